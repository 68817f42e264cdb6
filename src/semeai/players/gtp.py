"""A player whose moves come from a GTP engine."""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from semeai.errors import IllegalMove, PlayerFailed
from semeai.games.catalog import game_named
from semeai.games.game import Game
from semeai.games.position import Position
from semeai.players.base import Choice, Player
from semeai.players.engine_process import EngineProcess
from semeai.processes import fill_in, placeholders
from semeai.rng import SEED_BITS

SEED_COMMAND = "semeai-seed"


class GtpPlayer(Player):
    """A GTP engine, started without a shell at its first game, and again after a failure.

    ``{name}`` in ``command`` stands for one of ``values`` and ``{seed}`` for the seed of the game. An engine with
    ``{seed}`` is restarted for each game. ``timeout`` is in seconds per answer, ``startup_timeout`` for the first one.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str | None = None,
        timeout: float = 60.0,
        startup_timeout: float = 30.0,
        folder: str | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self.command = tuple(command)
        self.name = name or describe_command(fill_in(command, {**(values or {}), "seed": "{seed}"}))
        self._timeout = timeout
        self._startup_timeout = startup_timeout
        self._folder = folder
        self._values = dict(values or {})
        self._engine: EngineProcess | None = None
        self._commands: set[str] = set()
        self._position: Position | None = None
        self._seed = 0
        self._cpu = 0.0  # CPU seconds of the engine when they were last read
        self._generated: int | None = None  # a move on the engine's board that is not yet on ours

    @property
    def position(self) -> Position:
        assert self._position is not None, "start a game first"
        return self._position

    @property
    def _game(self) -> Game:
        return game_named(self.position.game)

    @property
    def stderr(self) -> str:
        """End of the engine's standard error."""
        return self._engine.stderr if self._engine else ""

    def start(self, position: Position, seed: int) -> None:
        self._position = position.copy()
        self._game.name_points(self._position, self._game.coordinates[0])
        self._seed = seed & ((1 << SEED_BITS) - 1)  # must fit a C int
        if "seed" in placeholders(self.command):
            self.close()
        if self._engine is None or not self._engine.is_open:
            self._start_engine()
        self._set_up()
        self._spent()

    def choose(self) -> Choice:
        if self._generated is not None:  # the last answer was not played
            self._set_up()
        answer = self._ask(f"genmove {self._game.colours[self.position.to_move]}")
        words = answer.partition("#")[0].split()
        if words and words[0].lower() == "resign":
            return Choice(None, cpu_seconds=self._spent())
        move = self._legal_move(words[0] if words else "", answer)
        self._generated = move
        return Choice(move, cpu_seconds=self._spent())

    def observe(self, move: int) -> None:
        position = self.position
        colour, text = self._game.colours[position.to_move], position.move_to_text(move)
        position.play(move)
        if self._generated is None:
            self._ask(f"play {colour} {text}")
        elif self._generated != move:
            self._set_up()
        self._generated = None

    def dead_stones(self) -> list[int] | None:
        if self._engine is None or "final_status_list" not in self._commands:
            return None
        answer = self._engine.try_ask("final_status_list dead", self._timeout)
        if answer is None:
            return None
        try:
            return sorted(self.position.text_to_move(word) for word in answer.split())
        except IllegalMove:
            return None

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _start_engine(self) -> None:
        arguments = fill_in(self.command, {**self._values, "seed": self._seed})
        self._engine = EngineProcess(arguments, self.name, self._folder, self._startup_timeout)
        self._commands = set((self._engine.try_ask("list_commands", self._timeout) or "").split())

    def _ask(self, command: str) -> str:
        if self._engine is None:
            raise PlayerFailed(f"engine {self.name!r} is not running")
        return self._engine.ask(command, self._timeout)

    def _set_up(self) -> None:
        """Set up our position on the engine's board."""
        position = self.position
        self._generated = None
        self._ask(f"boardsize {position.size}")
        self._ask("clear_board")
        if self._game.has_komi:
            self._ask(f"komi {getattr(position, 'komi', 0.0):g}")
        if SEED_COMMAND in self._commands:
            self._ask(f"{SEED_COMMAND} {self._seed}")
        first, second = self._game.setup_stones(position)
        self._place([position.move_to_text(p) for p in first], [position.move_to_text(p) for p in second])
        for player, move in position.moves:
            self._ask(f"play {self._game.colours[player]} {position.move_to_text(move)}")

    def _place(self, first: list[str], second: list[str]) -> None:
        if len(first) > 1 and not second and "set_free_handicap" in self._commands:
            self._ask(f"set_free_handicap {' '.join(first)}")
            return
        for colour, points in zip(self._game.colours, (first, second), strict=True):
            for point in points:
                self._ask(f"play {colour} {point}")

    def _legal_move(self, word: str, answer: str) -> int:
        position = self.position
        try:
            move = position.text_to_move(word)
        except IllegalMove:
            raise self._failed(f"gave {answer[:80]!r} as its move", "bad answer") from None
        try:
            position.play(move)
        except IllegalMove as error:
            raise self._failed(f"played an illegal move: {error}", "illegal move") from None
        position.undo()
        return move

    def _failed(self, what: str, reason: str) -> PlayerFailed:
        return PlayerFailed(f"engine {self.name!r} {what}", self.stderr, reason)

    def _spent(self) -> float:
        """Return the CPU seconds that the engine has used since the last call."""
        if self._engine is None:
            return 0.0
        before, self._cpu = self._cpu, self._engine.cpu_seconds()
        return max(0.0, self._cpu - before)


def describe_command(command: Sequence[str]) -> str:
    """Return a command as a name: the program without its folder, and the arguments."""
    name = shlex.join([os.path.basename(command[0]) or command[0], *command[1:]])
    return name.replace("'{seed}'", "{seed}")

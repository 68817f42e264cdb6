"""What an engine remembers between commands: the position, the player, the clocks and the seed."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from semeai.errors import IllegalMove
from semeai.games.catalog import game_named
from semeai.games.game import Game
from semeai.games.position import Position
from semeai.games.record import GameRecord
from semeai.gtp.protocol import CommandFailed, Stream, parse_colour
from semeai.players.base import Choice
from semeai.players.clock import LAG, Clock, expected_moves_left
from semeai.rng import SEED_BITS, derive
from semeai.search.report import MoveReport

Answer = str | Stream
SLICE_SECONDS = 0.05
"""Thinking is cut into pieces of about that; input and the clock wait for no longer."""
FIRST_CHUNK = 16


class Thinker(Protocol):
    """What the engine needs of a player: all of it is in ``players.mcts``."""

    name: str

    def start(self, position: Position, seed: int) -> None: ...
    def set_position(self, position: Position) -> None: ...
    def think(self, simulations: int) -> int: ...
    def choose(self, seconds: float | None = None) -> Choice: ...
    def conclude(self) -> Choice: ...
    def report(self) -> Sequence[MoveReport]: ...
    def dead_stones(self) -> list[int] | None: ...
    def close(self) -> None: ...


Handler = Callable[["Session", Sequence[str]], Answer]


@dataclass(frozen=True)
class Command:
    """``run`` gets the words after the command's name."""

    run: Handler
    arguments: str
    """How they are written; nothing where a command takes none."""
    summary: str


class CommandTable(dict[str, Command]):
    """Commands by name, filled by decorators."""

    def add(self, name: str, arguments: str = "") -> Callable[[Handler], Handler]:
        """Register a function whose docstring says what the command does."""

        def register(function: Handler) -> Handler:
            summary = (function.__doc__ or "").split("\n")[0]
            if name in self or not summary:
                raise ValueError(f"GTP command {name!r} is known already, or has no docstring")
            self[name] = Command(function, arguments, summary)
            return function

        return register


class Dialect(ABC):
    """What the engine has to know of a game beyond its entry in the catalog, and how the game is played here."""

    name: str
    """Of the game."""
    commands: Mapping[str, Command]
    """Those that only this game has."""

    def __init__(self, swap: bool = False, coordinates: str | None = None) -> None:
        self._swap, self._coordinates = swap, coordinates

    @property
    def game(self) -> Game:
        return game_named(self.name)

    def new_position(self, size: int | None = None, komi: float | None = None) -> Position:
        """ConfigError where the game has no such board."""
        return self._named(self.game.new_position(size, komi, self._swap))

    def replay(self, record: GameRecord, n_moves: int | None = None) -> Position:
        """A position of a game that was recorded."""
        return self._named(self.game.replay(record, n_moves))

    def _named(self, position: Position) -> Position:
        if self._coordinates is not None:
            self.game.name_points(position, self._coordinates)
        return position

    def is_over(self, position: Position) -> bool:
        """Whether there is nothing to think about any more."""
        return position.is_over

    @abstractmethod
    def to_think_about(self, position: Position, player: int) -> Position:
        """A copy in which it is the turn of ``player`` and the game is not over."""


@dataclass(frozen=True)
class SessionSettings:
    """What does not change while the engine runs, or is where it begins."""

    size: int
    komi: float
    seed: int = 1
    simulations: int | None = None
    """Of a move; None where the player's budget is time."""
    seconds: float | None = None
    fixed_budget: bool = True
    """Whether the budget holds beside a clock; else the clock alone says how long to think."""
    analysis_simulations: int = 100_000
    """Where an analysis stops and stays."""
    description: str = "semeai"


class Session:
    """The state behind the commands; every method leaves it as it was when it fails."""

    def __init__(self, dialect: Dialect, player: Thinker, settings: SessionSettings) -> None:
        self.dialect = dialect
        self.player = player
        self.settings = settings
        self.komi = settings.komi
        self.clock = Clock()
        self.position = dialect.new_position(settings.size, settings.komi)
        self.explanation = ""
        self.set_seed(settings.seed)

    def player_named(self, colour: str) -> int:
        """0 or 1, by the colour's name."""
        return self.dialect.game.colours.index(parse_colour(colour))

    def set_seed(self, seed: int) -> None:
        """Games from now on depend on ``seed`` and on the commands alone."""
        self.seed = seed
        self.n_games = 0
        self.forget()

    def new_game(self, position: Position) -> None:
        """Go on from ``position``; nothing is kept of the game so far but the settings."""
        self.position = position
        self.clock = Clock(self.clock.settings)
        self.explanation = ""
        self.n_games += 1
        self.forget()

    def forget(self) -> None:
        """Let the player start anew, with its seed, before it thinks again."""
        self._started = False

    def play(self, player: int, move: int) -> None:
        try:
            self.position.play(move, player)
        except IllegalMove:
            raise CommandFailed("illegal move") from None

    def undo(self) -> None:
        try:
            self.position.undo()
        except IllegalMove:
            raise CommandFailed("cannot undo") from None

    def prepare(self, player: int) -> Position:
        """Put the player before the position with ``player`` to move; returns that position."""
        position = self.dialect.to_think_about(self.position, player)
        if not self._started:
            self.player.start(position, derive(self.seed, "gtp", self.n_games) >> 64 - SEED_BITS)
            self._started = True
        else:
            self.player.set_position(position)
        return position

    def choose(self, player: int) -> Choice:
        """The player's own choice within its budget and the clock; nothing is played."""
        began = time.monotonic()
        self.prepare(player)
        if self.clock_seconds(player) is None:
            choice = self.player.choose()
        else:
            simulations, seconds = self.limits(player)
            self._think_until(simulations, began + (seconds or 0.0))
            choice = self.player.conclude()
        return self.note(player, choice, time.monotonic() - began)

    def limits(self, player: int) -> tuple[int | None, float | None]:
        """Simulations and seconds for the next move, None where there is no limit."""
        settings, allowed = self.settings, self.clock_seconds(player)
        if allowed is not None and not settings.fixed_budget:
            return None, allowed
        own = settings.seconds if settings.simulations is None else None
        return settings.simulations, min((s for s in (own, allowed) if s is not None), default=None)

    def clock_seconds(self, player: int) -> float | None:
        """What the clock allows for the next move; None without a clock."""
        points = self.dialect.game.n_points(self.position.size)
        return self.clock.seconds(player, expected_moves_left(points, len(self.position.moves)))

    def _think_until(self, simulations: int | None, deadline: float) -> None:
        """Spend the budget of a move, but no more time than there is: a clock on the wall does not wait for a CPU."""
        done, chunk = 0, FIRST_CHUNK
        while (now := time.monotonic()) < deadline:
            wanted = chunk if simulations is None else min(chunk, simulations - done)
            ran = self.player.think(wanted) if wanted > 0 else 0
            if ran == 0:
                return
            done += ran
            chunk = next_chunk(chunk, time.monotonic() - now)

    def note(self, player: int, choice: Choice, seconds: float) -> Choice:
        """Remember what a choice took and why it was made."""
        self.clock.spend(player, seconds + LAG)
        self.explanation = choice.comment
        return choice

    def settle(self, player: int, choice: Choice) -> str:
        """Play the choice and say it; the next best if the rules of the game refuse it after all."""
        if choice.move is None:
            return "resign"
        for move in (choice.move, *(report.move for report in self.player.report())):
            try:
                self.position.play(move, player)
            except IllegalMove:
                continue
            return self.position.move_to_text(move)
        raise CommandFailed("no legal move was found")


def next_chunk(chunk: int, seconds: float) -> int:
    """How many simulations to run next, after ``chunk`` of them took that long: about a slice."""
    if seconds < SLICE_SECONDS / 2:
        return 2 * chunk
    return max(1, chunk // 2) if seconds > SLICE_SECONDS else chunk

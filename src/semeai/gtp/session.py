"""The state of an engine between commands: the position, the player, the clocks and the seed."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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

if TYPE_CHECKING:
    from semeai.games.go.ownership import OwnerCounts

Answer = str | Stream
SLICE_SECONDS = 0.05
"""Approximate length of a slice of searching. Input and the clock are checked between slices."""
FIRST_CHUNK = 16


class Thinker(Protocol):
    """The interface that the engine needs of a player; ``players.mcts`` implements it."""

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
    """One GTP command. ``run`` gets the words after the command's name."""

    run: Handler
    arguments: str
    """The syntax of these words; empty if the command takes none."""
    summary: str


class CommandTable(dict[str, Command]):
    """Commands by name, filled by decorators."""

    def add(self, name: str, arguments: str = "") -> Callable[[Handler], Handler]:
        """Register a function as a command. The first line of its docstring is the summary."""

        def register(function: Handler) -> Handler:
            summary = (function.__doc__ or "").split("\n")[0]
            if name in self or not summary:
                raise ValueError(f"GTP command {name!r} exists already or has no docstring")
            self[name] = Command(function, arguments, summary)
            return function

        return register


class Dialect(ABC):
    """What the engine needs to know about a game in addition to its catalog entry, and the options of play."""

    name: str
    """Name of the game."""
    commands: Mapping[str, Command]
    """The commands that only this game has."""

    def __init__(self, swap: bool = False, coordinates: str | None = None) -> None:
        self._swap, self._coordinates = swap, coordinates

    @property
    def game(self) -> Game:
        return game_named(self.name)

    def new_position(self, size: int | None = None, komi: float | None = None) -> Position:
        """Return the starting position. Raises ConfigError if the game has no such board."""
        return self._named(self.game.new_position(size, komi, self._swap))

    def replay(self, record: GameRecord, n_moves: int | None = None) -> Position:
        """Return the position after ``n_moves`` moves of a record (default: all), which may repeat positions."""
        return self._named(self.game.replay(record, n_moves, may_repeat=True))

    def _named(self, position: Position) -> Position:
        if self._coordinates is not None:
            self.game.name_points(position, self._coordinates)
        return position

    def is_over(self, position: Position) -> bool:
        """Return whether there are no moves left to search."""
        return position.is_over

    def owner_counts(self, position: Position, player: Thinker) -> "OwnerCounts | None":
        """Return a counter of the owners of points at the end of playouts; None in a game without owners."""
        return None

    @abstractmethod
    def to_think_about(self, position: Position, player: int) -> Position:
        """Return a copy with ``player`` to move, in which the game is not over."""


@dataclass(frozen=True)
class SessionSettings:
    """Fixed settings of a session, and the initial values of its seed and komi."""

    size: int
    komi: float
    seed: int = 1
    simulations: int | None = None
    """Simulations per move; None if the player's budget is in seconds."""
    seconds: float | None = None
    fixed_budget: bool = True
    """Whether the budget also applies when there is a clock; otherwise the clock alone decides."""
    analysis_simulations: int = 100_000
    """Simulations after which an analysis pauses."""
    strict: bool = False
    """Whether the command ``play`` refuses a move that repeats an earlier position."""
    description: str = "semeai"


class Session:
    """The state behind the commands. A method that fails leaves it unchanged."""

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
        """Return the player, 0 or 1, with this colour."""
        return self.dialect.game.colours.index(parse_colour(colour))

    def set_seed(self, seed: int) -> None:
        """Set the seed. From now on, games depend only on it and on the commands."""
        self.seed = seed
        self.n_games = 0
        self.forget()

    def new_game(self, position: Position) -> None:
        """Start a new game from ``position``. Only the settings are kept."""
        self.position = position
        self.clock = Clock(self.clock.settings)
        self.explanation = ""
        self.n_games += 1
        self.forget()

    def forget(self) -> None:
        """Restart the player, with its seed, before the next search."""
        self._started = False

    def play(self, player: int, move: int) -> None:
        """Play a move that somebody else has chosen. It may repeat a position, unless the session is strict."""
        play = self.position.play if self.settings.strict else self.position.play_recorded
        try:
            play(move, player)
        except IllegalMove:
            raise CommandFailed("illegal move") from None

    def undo(self) -> None:
        try:
            self.position.undo()
        except IllegalMove:
            raise CommandFailed("cannot undo") from None

    def prepare(self, player: int) -> Position:
        """Set the player's position to the current one with ``player`` to move. Returns that position."""
        position = self.dialect.to_think_about(self.position, player)
        if not self._started:
            self.player.start(position, derive(self.seed, "gtp", self.n_games) >> 64 - SEED_BITS)
            self._started = True
        else:
            self.player.set_position(position)
        return position

    def choose(self, player: int) -> Choice:
        """Return the move that the player chooses within its budget and the clock. It is not played."""
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
        """Return the simulations and seconds for the next move; None means no limit."""
        settings, allowed = self.settings, self.clock_seconds(player)
        if allowed is not None and not settings.fixed_budget:
            return None, allowed
        own = settings.seconds if settings.simulations is None else None
        return settings.simulations, min((s for s in (own, allowed) if s is not None), default=None)

    def clock_seconds(self, player: int) -> float | None:
        """Return the seconds that the clock allows for the next move; None without a clock."""
        points = self.dialect.game.n_points(self.position.size)
        return self.clock.seconds(player, expected_moves_left(points, len(self.position.moves)))

    def _think_until(self, simulations: int | None, deadline: float) -> None:
        """Spend the budget of a move, but stop at the deadline, which is in wall-clock time like the game clock."""
        done, chunk = 0, FIRST_CHUNK
        while (now := time.monotonic()) < deadline:
            wanted = chunk if simulations is None else min(chunk, simulations - done)
            ran = self.player.think(wanted) if wanted > 0 else 0
            if ran == 0:
                return
            done += ran
            chunk = next_chunk(chunk, time.monotonic() - now)

    def note(self, player: int, choice: Choice, seconds: float) -> Choice:
        """Record the time and the explanation of a choice."""
        self.clock.spend(player, seconds + LAG)
        self.explanation = choice.comment
        return choice

    def settle(self, player: int, choice: Choice) -> str:
        """Play the choice, or the next best move if it is illegal. Returns the move as text."""
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
    """Return how many simulations to run next, given that ``chunk`` took ``seconds``, to fill about one slice."""
    if seconds < SLICE_SECONDS / 2:
        return 2 * chunk
    return max(1, chunk // 2) if seconds > SLICE_SECONDS else chunk

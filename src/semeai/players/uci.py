"""A player of chess whose moves come from a UCI engine."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from semeai.errors import ConfigError, IllegalMove, PlayerFailed
from semeai.games.position import Position
from semeai.models import Model
from semeai.players.base import Choice, Player
from semeai.players.gtp import describe_command
from semeai.players.time_control import ChessClock, TimeControl
from semeai.players.uci_process import MATE, UciMove, UciOption, UciProcess, check_options
from semeai.processes import fill_in, placeholders
from semeai.rng import SEED_BITS

DEFAULT_NODES = 10_000
_BUDGETS = ("nodes", "depth", "movetime", "tc")
Seconds = Annotated[float, Field(gt=0, le=1e6)]


class UciSettings(Model):
    """How long a UCI engine may think, and what happens if it takes longer."""

    nodes: Annotated[int, Field(ge=1, le=10**12)] | None = None
    """Nodes per move: the only budget that gives the same games on every machine. Default: 10,000."""
    depth: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Depth of the search in half moves."""
    movetime: Seconds | None = None
    """Seconds per move."""
    tc: str | None = None
    """Time control: ``10+0.1`` (seconds for the game, and more per move) or ``40/60`` (seconds per 40 moves)."""
    margin: Annotated[float, Field(ge=0, le=1e6)] = 0.1
    """Seconds that a move may take longer than ``movetime`` or ``tc`` allow before the game is lost on time."""
    restart: bool = False
    """Whether the engine is started again for each game, for engines that remember the last one."""
    timeout: Seconds = 60.0
    """Seconds for an answer, with ``nodes`` and ``depth``."""
    startup_timeout: Seconds = 30.0
    """Seconds for the first answer."""

    @field_validator("tc", mode="before")
    @classmethod
    def _time_control(cls, value: Any) -> Any:
        """Accept a number of seconds too."""
        text = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else value
        if isinstance(text, str):
            try:
                TimeControl.from_text(text)
            except ConfigError as error:
                raise ValueError(str(error)) from None
        return text

    @model_validator(mode="before")
    @classmethod
    def _one_budget(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        given = [name for name in _BUDGETS if values.get(name) is not None]
        if len(given) > 1:
            raise ValueError(f"give one of {', '.join(_BUDGETS)}, not {' and '.join(given)}")
        return values if given else {**values, "nodes": DEFAULT_NODES}

    @property
    def words(self) -> list[str]:
        """The settings that differ from the defaults, as ``parse_spec`` reads them."""
        return [f"{name}={_plain(value)}" for name, value in self.model_dump(exclude_defaults=True).items()]


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


class UciPlayer(Player):
    """A UCI engine, started without a shell at its first game, and again after a failure.

    ``{name}`` in ``command`` stands for one of ``values`` and ``{seed}`` for the seed of the game. An engine with
    ``{seed}`` is restarted for each game; other engines are told that a new game begins.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str | None = None,
        settings: UciSettings | None = None,
        options: Mapping[str, str] | None = None,
        folder: str | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self.command = tuple(command)
        self.name = name or describe_command(fill_in(command, {**(values or {}), "seed": "{seed}"}))
        self.settings = settings or UciSettings()
        self._options = dict(options or {})
        self._folder = folder
        self._values = dict(values or {})
        self._engine: UciProcess | None = None
        self._position: Position | None = None
        self._cpu = 0.0
        self._clocks: tuple[ChessClock, ChessClock] | None = None
        self._answered = 0.0  # when the last move was made, by the clock of this process

    @property
    def position(self) -> Position:
        assert self._position is not None, "start a game first"
        return self._position

    @property
    def stderr(self) -> str:
        """End of the engine's standard error."""
        return self._engine.stderr if self._engine else ""

    def start(self, position: Position, seed: int) -> None:
        self._position = position.copy()
        if self.settings.restart or "seed" in placeholders(self.command):
            self.close()
        if self._engine is None or not self._engine.is_open:
            self._start_engine(seed & ((1 << SEED_BITS) - 1))
        assert self._engine is not None
        self._engine.new_game(self.settings.timeout)
        control = TimeControl.from_text(self.settings.tc) if self.settings.tc else None
        self._clocks = (ChessClock(control), ChessClock(control)) if control else None
        self._answered = time.monotonic()
        self._spent()

    def choose(self) -> Choice:
        if self._engine is None:
            raise PlayerFailed(f"engine {self.name!r} is not running")
        position, side = self.position, self.position.to_move
        began = time.monotonic()
        if self._clocks and position.moves:  # the opponent's clock, as far as this player can know it
            self._clocks[1 - side].spend(began - self._answered)
        limit, allowed = self._limit(side)
        answer = self._engine.go(_as_uci(position), limit, allowed + self.settings.margin)
        self._answered = time.monotonic()
        if self._clocks:
            self._clocks[side].spend(self._answered - began)
        move = self._legal_move(answer.move)
        comment = _comment(answer) if self.explains else ""
        return Choice(move, comment, simulations=answer.nodes, cpu_seconds=self._spent(), score=answer.score)

    def observe(self, move: int) -> None:
        self.position.play(move)

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _start_engine(self, seed: int) -> None:
        settings = self.settings
        arguments = fill_in(self.command, {**self._values, "seed": seed})
        self._engine = UciProcess(arguments, self.name, self._folder, settings.startup_timeout)
        self._engine.set_options(self._options, settings.timeout)

    def _limit(self, side: int) -> tuple[str, float]:
        """Return the words after ``go``, and the seconds that the answer may take."""
        s = self.settings
        if self._clocks:
            control, own = self._clocks[side].control, self._clocks[side]
            white, black = self._clocks
            words = f"wtime {white.milliseconds} btime {black.milliseconds}"
            if control.increment:
                words += f" winc {control.increment * 1000:.0f} binc {control.increment * 1000:.0f}"
            return words + (f" movestogo {own.moves_to_go}" if own.moves_to_go else ""), max(0.0, own.left)
        if s.movetime is not None:
            return f"movetime {max(1, round(1000 * s.movetime))}", s.movetime
        if s.depth is not None:
            return f"depth {s.depth}", s.timeout
        return f"nodes {s.nodes}", s.timeout

    def _legal_move(self, word: str) -> int:
        position = self.position
        try:
            move = position.text_to_move(word)
        except IllegalMove as error:
            reason = "illegal move" if 4 <= len(word) <= 5 else "bad answer"
            what = "played an illegal move" if reason == "illegal move" else f"gave {word[:40]!r} as its move"
            raise PlayerFailed(f"engine {self.name!r} {what}: {error}", self.stderr, reason) from None
        return move

    def _spent(self) -> float:
        """Return the CPU seconds that the engine has used since the last call."""
        if self._engine is None:
            return 0.0
        before, self._cpu = self._cpu, self._engine.cpu_seconds()
        return max(0.0, self._cpu - before)


def _as_uci(position: Position) -> str:
    start = getattr(position, "start", "")
    moves = " ".join(position.move_to_text(move) for _, move in position.moves)
    return (f"fen {start}" if start else "startpos") + (f" moves {moves}" if moves else "")


def _comment(answer: UciMove) -> str:
    """Return score and depth as chess programs read them: ``+0.31/12``, ``-M5/20``."""
    score = answer.score
    if score is None:
        return ""
    mate = MATE - abs(score)
    shown = f"{'+' if score > 0 else '-'}M{mate}" if mate < 1000 else f"{score / 100:+.2f}"
    return f"{shown}/{answer.depth}"


@lru_cache(maxsize=100)
def declared_options(arguments: tuple[str, ...], folder: str | None, timeout: float) -> Mapping[str, UciOption]:
    """Start an engine, and return the options that it declares. Raises PlayerFailed if it does not speak UCI."""
    engine = UciProcess(arguments, describe_command(arguments), folder, timeout)
    engine.close()
    return engine.options


def verify_options(
    arguments: tuple[str, ...], folder: str | None, settings: UciSettings, options: Mapping[str, str]
) -> None:
    """Raise ConfigError if the engine does not have these options, and PlayerFailed if it cannot be started."""
    declared = declared_options(arguments, folder, settings.startup_timeout)
    check_options(describe_command(arguments), declared, options)

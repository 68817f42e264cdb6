"""``semeai gtp``: an engine for Sabaki, GoGui, Lizzie and every other program that speaks the Go Text Protocol."""

import contextlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.game_options import GameOption, KomiOption, SizeOption, SwapOption
from semeai.cli.options import SettingsOption
from semeai.cli.output import check_range, installed_version, note
from semeai.errors import ConfigError, did_you_mean
from semeai.files import append_to
from semeai.games.catalog import GAMES
from semeai.parallel.launch import started_ranks

if TYPE_CHECKING:
    from semeai.gtp.engine import GtpEngine
    from semeai.gtp.session import Dialect, Session
    from semeai.players.config import PlayerConfig

RESIGN_BELOW = 0.05
ANALYSIS_SIMULATIONS = 100_000


def gtp(
    game: GameOption = "go",
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move (default: as in the preset).")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds per move, instead of simulations.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads that search one tree.")] = 1,
    parallel: Annotated[
        str | None, typer.Option(help="How ranks share results: slow_tree, slow_root, voting or fast_tree.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(min=1, help="Ranks (default: those started by mpiexec); without mpiexec, simulated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed and commands give the same game.")] = 1,
    preset: Annotated[
        str, typer.Option(help="Settings to start from: a preset, or the .toml file of a player.")
    ] = "default",
    size: SizeOption = None,
    komi: KomiOption = None,
    swap: SwapOption = False,
    coordinates: Annotated[
        str | None, typer.Option(help="Names of points; in Havannah openspiel (a1, e9) or littlegolem (A1, I5).")
    ] = None,
    settings: SettingsOption = None,
    patterns: Annotated[
        Path | None, typer.Option(help="Pattern file, whose patterns bias the search; see semeai pattern.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Move model, see semeai learn; `none`: play without, `own`: semeai's own."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Pattern database (AE) instead of a move model, see semeai learn."),
    ] = None,
    analysis_simulations: Annotated[
        int, typer.Option(min=1, help="Simulations after which an analysis stops.")
    ] = ANALYSIS_SIMULATIONS,
    no_resign: Annotated[bool, typer.Option("--no-resign", help="Never resign.")] = False,
    no_book: Annotated[bool, typer.Option("--no-book", help="Do not use the opening book.")] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse to play a move that repeats a position; genmove never chooses one."),
    ] = False,
    log: Annotated[Path | None, typer.Option(help="Append all commands and responses to this file.")] = None,
) -> None:
    """Play by the Go Text Protocol (GTP) on standard input and output.

    Keeps the clock that the controller sets. Without --simulations and --seconds, that clock alone decides how long the
    player thinks.

    Examples:
        semeai gtp --simulations 3000              for GoGui, Sabaki or a match
        semeai gtp --seconds 5 --size 19           five seconds per move
        semeai gtp --set search.exploration=0.1    with another setting
        semeai gtp --patterns patterns.txt         with patterns of your own
        semeai gtp --preset grown/player.toml      a player that semeai evolve has grown
        semeai gtp --model model.npz               with a move model that semeai learn wrote
        semeai gtp --game havannah --simulations 3000 --size 5
        mpiexec -n 8 semeai gtp --seconds 5 --parallel slow_tree
    """
    if game not in GAMES:
        raise ConfigError(f"--game {game}: {did_you_mean(game, GAMES)}")
    changes = player_changes(simulations, seconds, threads, no_resign, settings or [])
    changes |= rank_changes(parallel, ranks)
    changes = {"book": not no_book, **changes}
    if patterns is not None:
        changes["patterns"] = str(patterns)
    changes |= {key: file for key, file in (("model", model), ("database", database)) if file is not None}
    start = SessionStart(
        game, preset, changes, size, komi, seed, analysis_simulations, bool(simulations or seconds), swap, coordinates,
        strict,
    )  # fmt: skip
    given = any(option is not None for option in (size, komi, coordinates, patterns, model, database, parallel))
    if preset != "default" or settings or threads > 1 or swap or given:
        start.check()  # report mistakes at once; the defaults need no check, and load when a command needs them
    serve_engine(start, log)


def player_changes(
    simulations: int | None, seconds: float | None, threads: int, no_resign: bool, settings: list[str]
) -> dict[str, Any]:
    """Return the player settings of the options, for ``PlayerConfig.with_changes``."""
    if simulations is not None and seconds is not None:
        raise ConfigError("give --simulations or --seconds, not both")
    check_range("--seconds", seconds, gt=0, le=1e6)
    changes: dict[str, Any] = {"resign_below": 0.0 if no_resign else RESIGN_BELOW}
    changes |= {"simulations": simulations} if simulations else {"seconds": seconds} if seconds else {}
    changes |= {"threads": threads} if threads > 1 else {}
    if settings:
        from semeai.players.config import parse_value
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--set {text}: write NAME=VALUE")
        changes[name.strip()] = parse_value(value.strip())
    return changes


def rank_changes(scheme: str | None, ranks: int | None) -> dict[str, Any]:
    """Return the player settings of --parallel and --ranks."""
    if scheme is None:
        if ranks is not None:
            raise ConfigError(f"--ranks {ranks}: also give a scheme, such as --parallel slow_tree")
        return {}
    if ranks is None:
        ranks = started_ranks()
        if ranks == 1:
            raise ConfigError(
                f"--parallel {scheme}: give --ranks for a virtual cluster, or start with mpiexec -n RANKS"
            )
    return {"parallel.scheme": scheme, "parallel.ranks": ranks}


@dataclass(frozen=True)
class SessionStart:
    """The options of a session. It is made when a command needs it, so asking for the name does not load numba."""

    game: str = "go"
    preset: str = "default"
    changes: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    komi: float | None = None
    seed: int = 1
    analysis_simulations: int = ANALYSIS_SIMULATIONS
    fixed_budget: bool = True
    swap: bool = False
    coordinates: str | None = None
    strict: bool = False

    def config(self) -> "PlayerConfig":
        from semeai.players.config import PlayerConfig

        if not self.preset.endswith(".toml"):
            return PlayerConfig.from_preset(self.preset, self.game).with_changes(self.changes)
        from semeai.players.catalog import parse_spec
        from semeai.players.specs import MctsSpec

        spec = parse_spec(self.preset, game=self.game)
        if not isinstance(spec, MctsSpec):
            raise ConfigError(f"--preset {self.preset}: only an mcts player can be the engine, not {spec.label!r}")
        return spec.config.with_changes(self.changes)

    def check(self) -> None:
        """Raise ConfigError if there is no such player or no such board."""
        from semeai.parallel.config import counted_in_simulations

        config = self.config()
        if config.seconds is not None and config.parallel.ranks > 1 and started_ranks() == 1:
            raise counted_in_simulations(config.parallel.ranks)
        dialect = self.dialect()
        dialect.new_position(self.size, self.komi)

    def dialect(self) -> "Dialect":
        from semeai.gtp.dialects import DIALECTS

        return DIALECTS[self.game](self.swap, self.coordinates)

    def session(self) -> "Session":
        from semeai.gtp.session import Session, SessionSettings
        from semeai.players.mcts import MctsPlayer, compile_players

        config, dialect = self.config(), self.dialect()
        compile_players([self.game], note, [config])
        game = dialect.game
        settings = SessionSettings(
            game.default_size if self.size is None else self.size,
            game.default_komi if self.komi is None else self.komi,
            self.seed,
            config.simulations,
            config.seconds,
            self.fixed_budget,
            self.analysis_simulations,
            self.strict,
            describe(self.preset, config),
        )
        return Session(dialect, MctsPlayer(config), settings)


def describe(preset: str, config: "PlayerConfig") -> str:
    """Return the engine's name, version, preset and every setting that is not the default."""
    from semeai.models import flat_settings

    default = dict(flat_settings(type(config)(game=config.game).model_dump()))
    settings = sorted(flat_settings(config.model_dump()), key=itemgetter(0))
    lines = [f"{name} {value}" for name, value in settings if value != default[name]]
    return "\n".join([f"semeai {installed_version()}", f"preset {preset}", *lines])


def make_engine(start: SessionStart) -> "GtpEngine":
    from semeai.gtp import analysis, playing, records
    from semeai.gtp.engine import GtpEngine

    tables = (playing.COMMANDS, records.COMMANDS, analysis.COMMANDS, start.dialect().commands)
    return GtpEngine(start.session, tables, "semeai", installed_version())


def serve_engine(start: SessionStart, log: Path | None) -> None:
    from semeai.gtp.io import serve

    with contextlib.ExitStack() as stack:
        file = None if log is None else stack.enter_context(append_to(log, "--log"))
        serve(make_engine(start), sys.stdin.buffer, sys.stdout.buffer, file)

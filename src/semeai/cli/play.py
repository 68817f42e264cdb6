"""``semeai play``: play and analyse on a board in the browser."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semeai.cli.dashboard import BrowserOption, HostOption, PortOption, need_web, show_page
from semeai.cli.game_options import GameOption, KomiOption, SizeOption, SwapOption
from semeai.cli.gtp import RESIGN_BELOW
from semeai.cli.options import SettingsOption
from semeai.cli.output import naming_options, note
from semeai.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from semeai.players.config import PlayerConfig

SIMULATIONS = 2000


def play(
    file: Annotated[Path | None, typer.Argument(help="Game record to look at, in SGF (default: a new game).")] = None,
    game: GameOption = "go",
    size: SizeOption = None,
    komi: KomiOption = None,
    handicap: Annotated[int, typer.Option(min=0, help="Handicap stones of Black (Go only).")] = 0,
    swap: SwapOption = False,
    human: Annotated[str, typer.Option(help="Your colour: black, white, both or none.")] = "",
    simulations: Annotated[
        int | None, typer.Option(min=1, help=f"Simulations per move (default: {SIMULATIONS}).")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds per move, instead of simulations.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads that search one tree.")] = 1,
    opponent: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Play against this player, for example gtp:COMMAND LINE.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Settings to start from: a preset, or a .toml file of a player.")
    ] = "default",
    settings: SettingsOption = None,
    analysis_simulations: Annotated[
        int, typer.Option(min=1, help="Simulations after which an analysis stops.")
    ] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the player.")] = 1,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    browser: BrowserOption = False,
) -> None:
    """Play and analyse Go or Havannah on a board in the browser.

    The page also loads and saves game records, shows what the search thinks, and finds the mistakes of a game. Ctrl-C
    ends it.

    Examples:
        semeai play                                  Go on 9x9 against the player
        semeai play --size 13 --seconds 5 --human white
        semeai play --game havannah --size 6 --swap
        semeai play game.sgf                         look at a game
        semeai play --opponent "gtp:gnugo --mode gtp"
    """
    need_web()
    from semeai.cli.analyze import read_record
    from semeai.cli.gtp import SessionStart, player_changes
    from semeai.games.catalog import game_named
    from semeai.players.catalog import parse_spec
    from semeai.players.mcts import compile_players
    from semeai.report.boards import can_be_drawn
    from semeai.ui.play import play_routes
    from semeai.ui.table import GameChoice
    from semeai.ui.thinking import Board, Budget

    if not can_be_drawn(game):
        raise ConfigError(f"--game {game}: {did_you_mean(game, ('go', 'havannah'))}")
    changes = player_changes(simulations, seconds, threads, True, settings or []) | {"resign_below": RESIGN_BELOW / 2}

    def config_of(name: str) -> "PlayerConfig":
        return SessionStart(name, preset if name == game else "default", changes if name == game else {}).config()

    colour = human or game_named(game).colours[0]
    choice = GameChoice(game, size, komi, handicap, swap, colour)
    with naming_options(("size", "komi", "handicap", "human")):
        choice.record()
    config = config_of(game)
    if file is not None:
        read_record(file, game)
    spec = None if opponent is None else parse_spec(opponent, game=game)
    compile_players([game], note, [config])
    budget = Budget(simulations or (None if seconds else SIMULATIONS), seconds, analysis_simulations)
    if spec is None:
        board = Board(choice, config_of, budget, None, seed)
    else:
        board = Board(choice, config_of, budget, lambda name: spec.make(), seed, spec.label)
    with contextlib.closing(board):
        if file is not None:
            board.load(file.read_bytes())
        show_page(play_routes(board), host, port, browser, game_named(game).name.capitalize())

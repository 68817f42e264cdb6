"""``semeai match``: play many games between two players, and find out who is stronger."""

import enum
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from semeai.cli.game_options import GameOption, KomiOption, SizeOption, SwapOption
from semeai.cli.options import JsonOption, LedgerOption, WorkersOption
from semeai.cli.output import check_writable, naming_options, print_json, warn
from semeai.errors import ConfigError
from semeai.files import write_text
from semeai.parallel.launch import started_ranks
from semeai.store.places import DEFAULT_LEDGER, without_password


class Scoring(enum.StrEnum):
    agreed = "agreed"
    area = "area"


def match(
    a: Annotated[
        str, typer.Argument(help="Player A: random, mcts:PRESET,NAME=VALUE, gtp:COMMAND LINE, or a .toml file.")
    ],
    b: Annotated[str, typer.Argument(help="Player B, written in the same way.")],
    games: Annotated[
        int, typer.Option(min=1, help="Games, rounded up to pairs with the same opening and swapped colours.")
    ] = 100,
    game: GameOption = "go",
    size: SizeOption = None,
    komi: KomiOption = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Simulations per move for MCTS players without a budget of their own.")
    ] = None,
    swap: SwapOption = False,
    openings: Annotated[int, typer.Option(min=0, help="Random moves that both games of a pair begin with.")] = 0,
    scoring: Annotated[
        Scoring, typer.Option(help="Remove the stones that both players call dead, or count all stones as they stand.")
    ] = Scoring.agreed,
    move_limit: Annotated[
        int | None,
        typer.Option(min=1, help="Moves after which a game is counted as it stands (default: 3 per point)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games, on any workers.")] = 1,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the always-valid interval excludes 50%.")
    ] = False,
    sgf: Annotated[
        Path | None, typer.Option(help="Folder for the games, one file per game; created if it does not exist.")
    ] = None,
    workers: WorkersOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the run (default: made from the players and the settings).")
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    markdown: Annotated[Path | None, typer.Option(help="Also write the result to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match between two players, or continue a stopped one.

    The same command continues the match; with more --games it becomes longer. Engines are started without a shell. An
    engine that crashes, hangs or plays an illegal move loses that game.

    Examples:
        semeai match mcts "gtp:gnugo --mode gtp --chinese-rules --positional-superko" --games 400 --sgf games
        semeai match mcts:uct mcts:rave --simulations 500 --size 7 --until-decided
        semeai match a.toml b.toml --games 1000    after a match of 400 games: 600 more
        semeai match mcts random --game havannah --size 5
        mpiexec -n 8 semeai match mcts:parallel.scheme=slow_tree,parallel.ranks=8 mcts
    """
    from semeai.cli.match_display import as_dict, as_result_table, make_match_display
    from semeai.match.match import Match
    from semeai.match.run import run_match
    from semeai.match.settings import MatchSettings
    from semeai.models import checked
    from semeai.players.catalog import parse_spec, words_with_simulations
    from semeai.runs.run import Place, checked_name

    check_writable("--markdown", markdown)
    table = {
        "game": game, "size": size, "komi": komi, "swap": swap, "opening_moves": openings, "scoring": scoring.value,
        "move_limit": move_limit,
    }  # fmt: skip
    with naming_options(table):
        settings = checked(MatchSettings, table)
    players = [words if simulations is None else words_with_simulations(words, simulations) for words in (a, b)]
    if simulations is not None and players == [a, b]:
        raise ConfigError(f"--simulations {simulations}: neither {a!r} nor {b!r} takes it")
    chosen = Match(parse_spec(players[0], game=game), parse_spec(players[1], game=game), settings, seed)
    run_name = chosen.name if name is None else checked_name(name, "--name")
    display = make_match_display(chosen, quiet=as_json)
    with display:
        executor = "inline" if started_ranks() > 1 else "local"  # worker processes cannot reach the ranks
        result = run_match(
            chosen,
            games,
            Place(ledger, executor, workers),
            name=run_name,
            sgf=sgf,
            until_decided=until_decided,
            observer=display,
        )
    place = without_password(ledger)
    if as_json:
        print_json(as_dict(chosen, run_name, place, result, until_decided))
    else:
        display.summary(result, until_decided, run_name, place)
    if markdown is not None:
        write_text(markdown, as_result_table(chosen, result, until_decided).to_markdown(), "--markdown")
    if not result.finished:
        warn(f"stopped; to continue: {shlex.join(['semeai', *sys.argv[1:]])}")
        raise typer.Exit(130)

"""``semeai match``: two players, many games, and who is stronger."""

import enum
import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from semeai.cli.output import check_writable, write_text
from semeai.errors import ConfigError
from semeai.parallel.launch import started_ranks
from semeai.store.places import DEFAULT_LEDGER, without_password

EXAMPLE = """
Examples:

    semeai match mcts "gtp:gnugo --mode gtp --chinese-rules --positional-superko" --games 400 --sgf games

    semeai match mcts:uct mcts:rave --simulations 500 --size 7 --until-decided

    semeai match a.toml b.toml --games 1000     on with a match of 400 games: the same, and 600 more

    semeai match mcts random --game havannah --size 5

    mpiexec -n 8 semeai match mcts:parallel.scheme=slow_tree,parallel.ranks=8 mcts
"""


class Scoring(enum.StrEnum):
    agreed = "agreed"
    area = "area"


def register(app: typer.Typer) -> None:
    app.command(epilog=EXAMPLE)(match)


def match(
    a: Annotated[str, typer.Argument(help="random, mcts:PRESET,NAME=VALUE, gtp:COMMAND LINE, or a .toml file.")],
    b: Annotated[str, typer.Argument(help="The other player.")],
    games: Annotated[int, typer.Option(min=1, help="Rounded up to pairs: each begins once with each opening.")] = 100,
    game: Annotated[str, typer.Option(help="What they play: go or havannah.")] = "go",
    size: Annotated[int | None, typer.Option(help="Of the board; the game's own by default.")] = None,
    komi: Annotated[float | None, typer.Option(help="What White gets on top, in Go; 7.5 by default.")] = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="A move, of MCTS players that do not say it themselves.")
    ] = None,
    swap: Annotated[
        bool, typer.Option("--swap", help="Let the second player take over the first move, in Havannah.")
    ] = False,
    openings: Annotated[int, typer.Option(min=0, help="Random moves that both games of a pair begin with.")] = 0,
    scoring: Annotated[
        Scoring, typer.Option(help="Take off the stones that players agree to be dead, or count all as they stand.")
    ] = Scoring.agreed,
    move_limit: Annotated[
        int | None, typer.Option(min=1, help="Count the board then; default: 3 moves a point.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games, on any number of workers.")] = 1,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the always-valid interval leaves out 50%.")
    ] = False,
    sgf: Annotated[Path | None, typer.Option(help="Folder for one file a game; made if it does not exist.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; default: the cores.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run; default: made from who plays whom.")] = None,
    ledger: Annotated[str, typer.Option(envvar="SEMEAI_LEDGER", help="File or database URL.")] = DEFAULT_LEDGER,
    markdown: Annotated[Path | None, typer.Option(help="Write the result to this file too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")] = False,
) -> None:
    """Play a match; the same command goes on with one that was stopped, and more --games make it longer.

    Engines are started without a shell. One that crashes, hangs or plays an illegal move loses that game.
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
    settings = checked(MatchSettings, table)
    players = [words if simulations is None else words_with_simulations(words, simulations) for words in (a, b)]
    if simulations is not None and players == [a, b]:
        raise ConfigError(f"--simulations {simulations}: neither {a!r} nor {b!r} takes it")
    chosen = Match(parse_spec(players[0], game=game), parse_spec(players[1], game=game), settings, seed)
    run_name = chosen.name if name is None else checked_name(name, "--name")
    display = make_match_display(chosen, quiet=as_json)
    with display:
        executor = "inline" if started_ranks() > 1 else "local"  # a worker could not speak with the ranks
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
        typer.echo(json.dumps(as_dict(chosen, run_name, place, result, until_decided), indent=2))
    else:
        display.summary(result, until_decided, run_name, place)
    if markdown is not None:
        write_text("--markdown", markdown, as_result_table(chosen, result, until_decided).to_markdown())
    if not result.finished:
        print(f"stopped; to go on: {shlex.join(['semeai', *sys.argv[1:]])}", file=sys.stderr)
        raise typer.Exit(130)

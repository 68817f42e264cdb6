"""``semeai evolve``: grow a player, change by change."""

import enum
import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.cli.output import check_folder
from semeai.store.places import beside, without_password

EXAMPLE = """
Examples:

    semeai evolve evolve.toml                  run it, or go on where it was stopped

    semeai evolve --size 9 --simulations 100 --proposer guided --steps 5

    semeai evolve --game havannah --size 5 --simulations 100 --candidates 1 --steps 50

    semeai evolve evolve.toml --steps 40       twenty steps more
"""


class ProposerName(enum.StrEnum):
    guided = "guided"
    random = "random"
    mutate = "mutate"
    crossover = "crossover"


class ShapeName(enum.StrEnum):
    good = "good"
    bad = "bad"
    both = "both"


def register(app: typer.Typer) -> None:
    app.command(epilog=EXAMPLE)(evolve)


def evolve(
    file: Annotated[Path | None, typer.Argument(help="The evolution; the options go first.")] = None,
    player: Annotated[
        str | None, typer.Option(help="The first program; default: RAVE and light playouts, without knowledge.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="go or havannah.")] = None,
    size: Annotated[int | None, typer.Option(help="Of the board.")] = None,
    simulations: Annotated[int | None, typer.Option(min=1, help="A move, at which changes are raced.")] = None,
    proposer: Annotated[
        list[ProposerName] | None, typer.Option(help="Where candidates come from; several are mixed.")
    ] = None,
    shapes: Annotated[ShapeName | None, typer.Option(help="Of the patterns that these proposers give.")] = None,
    candidates: Annotated[int | None, typer.Option(min=1, help="A step: |S0|, 10 or 1 in the papers.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Iterations.")] = None,
    hours: Annotated[float | None, typer.Option(help="Race no longer than this; then validate.")] = None,
    risk: Annotated[float | None, typer.Option(help="Of any wrong acceptance, over all steps.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same player.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run; default: `name` in the file, or its stem.")] = None,
    ledger: Annotated[
        str | None,
        typer.Option(envvar="SEMEAI_LEDGER", help="File or database URL; default: semeai.sqlite beside the file."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for the player, its patterns and the report; default: the run's name.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; default: the cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")] = False,
) -> None:
    """Propose changes of a player, race them, keep what is proven better, and go on from there.

    Accepted changes are validated by games of their own: against the programs before, at ten times the budget, and
    against a foreign engine. The same command goes on with an evolution that was stopped.
    """
    from semeai.cli.evolve_display import as_dict, make_evolve_display, next_steps
    from semeai.evolve.config import load_evolution
    from semeai.evolve.loop import run_evolution
    from semeai.evolve.output import REPORT_FILE, write_file
    from semeai.evolve.report import report
    from semeai.runs.run import checked_name

    changes: dict[str, Any] = {
        "player": player, "match.game": game, "match.size": size, "player.simulations": simulations,
        "proposers": [
            {"kind": p.value, **({"shapes": shapes.value} if shapes and p in SHAPED else {})} for p in proposer or ()
        ] or None,
        "candidates": candidates, "steps": steps, "hours": hours, "race.risk": risk, "seed": seed,
    }  # fmt: skip
    config = load_evolution(file, {key: value for key, value in changes.items() if value is not None})
    folder = Path() if file is None else file.parent
    default_name = config.name or ("evolve" if file is None else file.stem)
    run_name = default_name if name is None else checked_name(name, "--name")
    place = ledger or beside(config.ledger, folder)
    target = output or folder / (config.output or run_name)
    check_folder("--output", target)
    display = make_evolve_display(config.steps, quiet=as_json)
    with display:
        where = config.executor.place(place, workers)
        result = run_evolution(config, folder, where, name=run_name, output=target, observer=display)
    write_file(target / REPORT_FILE, report(result.history, result.notes))
    shown = without_password(place)
    if as_json:
        typer.echo(json.dumps(as_dict(shown, result), indent=2))
    else:
        display.summary(result, next_steps(str(target), run_name, shown, config.match.game, config.match.size))
    if not result.finished:
        print(f"stopped; to go on: {shlex.join(['semeai', *sys.argv[1:]])}", file=sys.stderr)
        raise typer.Exit(130)


SHAPED = (ProposerName.random, ProposerName.guided)

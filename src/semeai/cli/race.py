"""``semeai race``: run a race from its TOML file, or resume it."""

import json
import math
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from semeai.cli.display import make_display
from semeai.errors import ProgramFailed
from semeai.race.candidate import Verdict
from semeai.runs.race import RaceResult, run_plan
from semeai.runs.race_file import load_race_file
from semeai.runs.run import checked_name
from semeai.store.places import without_password

EXAMPLE = """
Examples:

    semeai race race.toml                    run it, or go on where it was stopped

    semeai race race.toml --workers 8        the same verdicts, sooner

    semeai race race.toml --name again       the same race as a new run
"""


def register(app: typer.Typer) -> None:
    app.command(epilog=EXAMPLE)(race)


def race(
    file: Annotated[Path, typer.Argument(help="The race: what is raced, how it is evaluated, at what risk.")],
    name: Annotated[str | None, typer.Option(help="Name of the run; default: `name` in the file, or its stem.")] = None,
    ledger: Annotated[
        str | None,
        typer.Option(envvar="SEMEAI_LEDGER", help="File or database URL; default: semeai.sqlite beside the race file."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; default: the cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")] = False,
) -> None:
    """Race the candidates of a TOML file; an interrupted run is resumed, to the same verdicts."""
    config = load_race_file(file)
    run_name = checked_name(name, "--name") if name is not None else config.name or file.stem
    place = ledger or config.ledger_beside(file.parent)
    options = [*(["--name", name] if name else []), *(["--ledger", ledger] if ledger else [])]
    command = shlex.join(["semeai", "race", str(file), *options])
    shown_place = without_password(place)
    display = make_display(quiet=as_json)
    with display:
        result = run_plan(config.plan(file.parent), run_name, config.executor.place(place, workers), display)
    if as_json:
        typer.echo(json.dumps(as_dict(run_name, shown_place, result), indent=2))
    else:
        display.summary(result, run_name, shown_place)
    if not result.finished:
        print(f"stopped; to go on: {command}", file=sys.stderr)
        raise typer.Exit(130)
    if result.standings and all(s.verdict == Verdict.FAILED for s in result.standings):
        raise ProgramFailed(f"every candidate's program failed; see: semeai status {run_name} --ledger {shown_place}")


def as_dict(run_name: str, place: str, result: RaceResult) -> dict[str, Any]:
    decided = {d.candidate: d for d in result.decisions}

    def bounds(index: int) -> list[float] | None:
        found = decided.get(index)
        return [found.bounds.lower, found.bounds.upper] if found and math.isfinite(found.bounds.lower) else None

    return {
        "run": run_name,
        "ledger": place,
        "finished": result.finished,
        "digest": result.digest,
        "evaluations": result.n_evaluations,
        "accepted": [c.name for c in result.accepted],
        "candidates": [
            {
                "name": s.candidate.name,
                "params": dict(s.candidate.params),
                "verdict": s.verdict.value,
                "evaluations": s.n_evaluations,
                "win_rate": None if math.isnan(s.win_rate) else s.win_rate,
                "bounds_at_verdict": bounds(s.index),
            }
            for s in result.standings
        ],
    }

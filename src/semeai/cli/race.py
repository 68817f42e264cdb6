"""``semeai race``: run a race from its TOML file, or resume it."""

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import ExecutorOption, FileLedgerOption, FileNameOption, JsonOption, WorkersOption
from semeai.cli.output import print_json, warn
from semeai.errors import ProgramFailed
from semeai.store.places import without_password

if TYPE_CHECKING:
    from semeai.runs.race import RaceResult


def race(
    file: Annotated[Path, typer.Argument(help="Race file (TOML): candidates, evaluator and settings.")],
    name: FileNameOption = None,
    ledger: FileLedgerOption = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Race the candidates of a file, or resume a race that was stopped.

    Every result is kept in the ledger. A resumed race comes to the same verdicts, with any number of workers. While it
    runs, `semeai dashboard` shows it in the browser, and `semeai status` in another terminal.

    Examples:
        semeai race race.toml                run it, or continue where it stopped
        semeai race race.toml --workers 8    the same verdicts, sooner
        semeai race race.toml --name again   the same race as a new run
        semeai race race.toml --executor dask://node1:8786    on the workers of a cluster
    """
    from semeai.cli.display import make_display
    from semeai.race.candidate import Verdict
    from semeai.runs.race import run_plan
    from semeai.runs.race_file import load_race_file
    from semeai.runs.run import checked_name, place_of

    config = load_race_file(file)
    run_name = checked_name(name, "--name") if name is not None else config.name or file.stem
    place = ledger or config.ledger_beside(file.parent)
    options = [
        *(["--name", name] if name else []),
        *(["--ledger", ledger] if ledger else []),
        *(["--executor", executor] if executor else []),
    ]
    command = shlex.join(["semeai", "race", str(file), *options])
    shown_place = without_password(place)
    display = make_display(quiet=as_json)
    where = place_of(config.executor, place, executor, workers)
    with display:
        result = run_plan(config.plan(file.parent), run_name, where, display)
    if as_json:
        print_json(as_dict(run_name, shown_place, result))
    else:
        display.summary(result, run_name, shown_place)
    if not result.finished:
        warn(f"stopped; to continue: {command}")
        raise typer.Exit(130)
    if result.standings and all(s.verdict == Verdict.FAILED for s in result.standings):
        raise ProgramFailed(f"every candidate's program failed; see: semeai status {run_name} --ledger {shown_place}")


def as_dict(run_name: str, place: str, result: "RaceResult") -> dict[str, Any]:
    decided = {d.candidate: d for d in result.decisions}

    def bounds(index: int) -> list[float] | None:
        found = decided.get(index)
        return [found.bounds.lower, found.bounds.upper] if found and math.isfinite(found.bounds.lower) else None

    return {
        "run": run_name,
        "ledger": place,
        "finished": result.finished,
        "ending": result.ending,
        "digest": result.digest,
        "evaluations": result.n_evaluations,
        "accepted": [c.name for c in result.accepted],
        "warnings": result.warnings,
        "candidates": [
            {
                "name": s.candidate.name,
                "params": dict(s.candidate.params),
                "verdict": s.verdict.value,
                "evaluations": s.n_evaluations,
                "win_rate": None if math.isnan(s.win_rate) else s.win_rate,
                "bounds_at_verdict": bounds(s.index),
                **({"effect": found.to_json()} if (found := result.effects.get(s.candidate.name)) else {}),
            }
            for s in result.standings
        ],
    }

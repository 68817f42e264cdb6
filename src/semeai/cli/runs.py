"""``semeai runs``, ``semeai status``, ``semeai export``: reading the ledger, also while a race is running."""

import csv
import enum
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption, LedgerOption
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from semeai.race.race import Race

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Name of the run, as `semeai runs` lists it.")]


class Format(enum.StrEnum):
    csv = "csv"
    jsonl = "jsonl"


class What(enum.StrEnum):
    batches = "batches"
    decisions = "decisions"
    candidates = "candidates"
    failures = "failures"
    games = "games"


def runs(
    ledger: LedgerOption = DEFAULT_LEDGER,
    every: Annotated[
        bool, typer.Option("--all", help="Also list the races and matches that belong to an evolution.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the runs of a ledger.

    Examples:
        semeai runs --ledger first-race/semeai.sqlite
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from semeai.store.ledger import Ledger

    store = Ledger(ledger, must_exist=True)
    found = store.runs()
    if as_json:
        keys = ("name", "kind", "seed", "config_hash", "created_at", "updated_at")
        rows = [{**{key: getattr(run, key) for key in keys}, "state": store.state(run)} for run in found]
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in ("run", "kind", "state", "started", "last written"):
        table.add_column(title)
    grown = tuple(f"{run.name}/step-" for run in found if run.kind == "evolution")
    for run in found:
        if every or not run.name.startswith(grown):
            table.add_row(Text(run.name), run.kind, store.state(run), run.created_at[:19], run.updated_at[:19])
    Console().print(table)


def status(run: RunArgument, ledger: LedgerOption = DEFAULT_LEDGER, as_json: JsonOption = False) -> None:
    """Show the state of a run, also while it is running.

    For a race: each candidate with its interval and verdict, and what failed. For a match: who leads. For an evolution:
    its steps.

    Examples:
        semeai status race --ledger first-race/semeai.sqlite
    """
    from rich.console import Console
    from rich.text import Text

    from semeai.cli.display import standings_table
    from semeai.runs.race import replay
    from semeai.store import schema
    from semeai.store.ledger import Ledger

    store = Ledger(ledger, must_exist=True)
    row = store.run(run)
    if row.kind == "match":
        from semeai.cli.match_display import show_match

        show_match(store, row, as_json)
        return
    if row.kind == "evolution":
        from semeai.cli.evolve_display import show_evolution

        show_evolution(store, row, as_json)
        return
    race = replay(store, run)
    failures = list(store.rows(schema.failures, row.id))
    if as_json:
        typer.echo(json.dumps(_status_dict(row, store.state(row), race, failures, store.digest(row.id)), indent=2))
        return
    console = Console()
    head = Text(row.name, style="bold").append(
        f": {store.state(row)}, seed {row.seed}, since {row.created_at[:19]}", ""
    )
    console.print(head)
    if race is None:
        console.print("no batch is recorded yet")
        return
    console.print(standings_table(race, len(race.standings), console.width))
    for failure in failures:
        console.print(Text(f"failure: {failure['message']}", style="red"))
        if failure["stderr"]:
            console.print(Text(_indent(failure["stderr"]), style="dim"))
    console.print(f"{race.n_evaluations:,} evaluations, digest {store.digest(row.id)}", highlight=False)


def export(
    run: RunArgument,
    format: Annotated[Format, typer.Option(help="Format of the rows.")] = Format.jsonl,
    table: Annotated[What, typer.Option(help="Table of the ledger.")] = What.batches,
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Write the rows of a run to standard output.

    Examples:
        semeai export race --ledger first-race/semeai.sqlite --format csv > batches.csv
    """
    from semeai.store import schema
    from semeai.store.ledger import Ledger

    store = Ledger(ledger, must_exist=True)
    source = schema.metadata.tables[table.value]
    rows = store.rows(source, store.run(run).id)
    if format == Format.jsonl:
        for row in rows:
            typer.echo(json.dumps({key: _decoded(key, value) for key, value in row.items()}))
        return
    columns = [column.name for column in source.columns if column.name not in ("run_id", "id")]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[column] for column in columns] for row in rows)


def _decoded(key: str, value: Any) -> Any:
    return json.loads(value) if key in ("counts", "params") and value is not None else value


def _status_dict(row: Any, state: str, race: "Race | None", failures: list[Any], digest: str) -> dict[str, Any]:
    standings = [] if race is None else race.standings
    return {
        "run": row.name,
        "state": state,
        "seed": row.seed,
        "digest": digest,
        "evaluations": 0 if race is None else race.n_evaluations,
        "candidates": [
            {
                "name": s.candidate.name,
                "params": dict(s.candidate.params),
                "verdict": s.verdict.value,
                "evaluations": s.n_evaluations,
                "win_rate": s.win_rate if s.n_evaluations else None,
                "bounds": list(race.shown_bounds(s)) if race and s.n_evaluations else None,
            }
            for s in standings
        ],
        "failures": [dict(failure) for failure in failures],
    }


def _indent(text: str) -> str:
    return "\n".join("    " + line for line in text.rstrip().splitlines()[-20:])

"""``semeai runs``, ``semeai status``, ``semeai export``: reading the ledger, also while a race is running."""

import csv
import enum
import json
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semeai.errors import RunNotFound
from semeai.store.kinds import table_named
from semeai.store.ledger import Ledger
from semeai.store.places import DEFAULT_LEDGER

LedgerOption = Annotated[str, typer.Option(envvar="SEMEAI_LEDGER", help="File or database URL of the ledger.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Name of the run, as `semeai runs` lists it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Format(enum.StrEnum):
    csv = "csv"
    jsonl = "jsonl"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai runs --ledger first-race/semeai.sqlite")(runs)
    app.command(epilog="Example: semeai status race --ledger first-race/semeai.sqlite")(status)
    app.command(epilog="Example: semeai export race --ledger first-race/semeai.sqlite --format csv > batches.csv")(
        export
    )


def runs(
    ledger: LedgerOption = DEFAULT_LEDGER,
    every: Annotated[
        bool, typer.Option("--all", help="Also the races and matches that an evolution is made of.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the runs of a ledger."""
    store = Ledger(ledger, must_exist=True)
    found, last = store.runs(), store.last_results()
    if as_json:
        keys = ("name", "kind", "seed", "config_hash", "created_at", "updated_at")
        rows = [{key: getattr(run, key) for key in keys} for run in found]
        for row, run in zip(rows, found, strict=True):
            row |= {"last_result_at": last.get(run.name), "state": store.state(run)}
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in ("run", "kind", "state", "started", "last result"):
        table.add_column(title)
    grown = tuple(f"{run.name}/step-" for run in found if run.kind == "evolution")
    for run in found:
        if every or not run.name.startswith(grown):
            table.add_row(Text(run.name), run.kind, store.state(run), run.created_at[:19], last.get(run.name, "")[:19])
    Console().print(table)


SHOWN_BY = {
    "race": "semeai.cli.display:show_race",
    "match": "semeai.cli.match_display:show_match",
    "evolution": "semeai.cli.evolve_display:show_evolution",
}
"""Kind of run -> the function that shows where it stands."""


def status(run: RunArgument, ledger: LedgerOption = DEFAULT_LEDGER, as_json: JsonOption = False) -> None:
    """Show where a run stands: every candidate, its interval, its verdict, what failed; who leads a match; or how far
    an evolution has come.
    """
    store = Ledger(ledger, must_exist=True)
    found = store.run(run)
    if found.kind not in SHOWN_BY:
        raise RunNotFound(f"run {run!r} is of kind {found.kind!r}, which this command cannot show")
    module, _, name = SHOWN_BY[found.kind].partition(":")
    getattr(import_module(module), name)(store, found, as_json)


def export(
    run: RunArgument,
    format: Annotated[Format, typer.Option(help="csv or jsonl.")] = Format.jsonl,
    table: Annotated[
        str, typer.Option(help="Rows to export: candidates, batches, decisions, failures, games, proposals.")
    ] = "batches",
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Write a run's rows to standard output."""
    store = Ledger(ledger, must_exist=True)
    source = table_named(table)
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
    return json.loads(value) if key in ("counts", "params", "change") and value is not None else value

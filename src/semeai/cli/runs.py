"""``semeai runs``, ``semeai status``, ``semeai export``: read the ledger, also while a run is active."""

import atexit
import contextlib
import csv
import enum
import gc
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semeai.cli.options import JsonOption, LedgerOption
from semeai.cli.output import print_json, print_json_lines
from semeai.errors import RunNotFound
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger, RunInfo

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Name of the run, as `semeai runs` lists it.")]


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Look for no garbage in the block: a look makes many objects, none of them in cycles, and then ends.

    Python looks for it at the end of the process too, among all objects, which takes as long as 10,000 candidates.
    """
    atexit.register(gc.freeze)
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Format(enum.StrEnum):
    csv = "csv"
    jsonl = "jsonl"


@without_collections()
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
    from rich.table import Table
    from rich.text import Text

    from semeai.cli.console import Console
    from semeai.store.ledger import Ledger

    store = Ledger(ledger, read_only=True)
    found, last = store.runs(), store.last_results()
    if as_json:
        keys = ("name", "kind", "seed", "config_hash", "created_at", "updated_at")
        rows = [{key: getattr(run, key) for key in keys} for run in found]
        for row, run in zip(rows, found, strict=True):
            row |= {"last_result_at": last.get(run.name), "state": store.state(run)}
        print_json(rows)
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
    "race": "semeai.cli.race_status:show_race",
    "match": "semeai.cli.match_display:show_match",
    "tournament": "semeai.cli.tournament_display:show_tournament",
    "evolution": "semeai.cli.evolve_display:show_evolution",
}
"""The function that shows the state of a run, by kind of run."""


@without_collections()
def status(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Name of the run (default: the one that was started last).")
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    every: Annotated[
        bool, typer.Option("--all", help="Show all candidates of a race, not only the first 100.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the state of a run, also while it is running.

    For a race: each candidate with its interval and verdict, and what failed. For a match: who leads. For an evolution:
    its steps.

    Examples:
        semeai status race --ledger first-race/semeai.sqlite
    """
    from semeai.store.ledger import Ledger

    store = Ledger(ledger, read_only=True)
    found = latest(store) if run is None else store.run(run)
    if found.kind not in SHOWN_BY:
        raise RunNotFound(f"run {found.name!r} is of kind {found.kind!r}, which this command cannot show")
    module, _, name = SHOWN_BY[found.kind].partition(":")
    getattr(import_module(module), name)(store, found, as_json, every)


def latest(store: "Ledger") -> "RunInfo":
    """Return the run that was started last; parts of an evolution do not count."""
    whole = [found for found in store.runs() if "/" not in found.name]
    if not whole:
        raise RunNotFound(f"{store.location} holds no runs")
    return whole[-1]


@without_collections()
def export(
    run: RunArgument,
    format: Annotated[Format, typer.Option(help="Format of the rows.")] = Format.jsonl,
    table: Annotated[
        str,
        typer.Option(help="Table: candidates, batches, decisions, failures, measurements, totals, games or proposals."),
    ] = "batches",
    summary: Annotated[
        bool, typer.Option("--summary", help="Write one row per candidate of a race instead: totals and verdict.")
    ] = False,
    values: Annotated[
        bool,
        typer.Option("--values", help="Write one row per number that a race with `better` has compared instead."),
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Write the rows of a run to standard output.

    Examples:
        semeai export race --ledger first-race/semeai.sqlite --format csv > batches.csv
        semeai export race --summary
        semeai export race --values --format csv    each number of a candidate, and the baseline's on the same seed
    """
    from semeai.store.kinds import table_named
    from semeai.store.ledger import Ledger

    store = Ledger(ledger, read_only=True)
    if values:
        from semeai.runs.effects import VALUES, value_rows

        write_rows(value_rows(store, run), format, VALUES)
    elif summary:
        from semeai.runs.resume import SUMMARY, summary_rows

        write_rows(summary_rows(store, run), format, SUMMARY)
    else:
        source = table_named(table)
        columns = [column.name for column in source.columns if column.name not in ("run_id", "checksum")]
        write_rows(store.rows(source, store.run(run).id), format, columns)


def write_rows(rows: Iterable[Mapping[str, Any]], format: Format, columns: Sequence[str]) -> None:
    """Write rows to standard output."""
    if format == Format.jsonl:
        encoded = [column for column in columns if column in ENCODED]
        print_json_lines(_decoded(row, encoded) for row in rows)
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)


ENCODED = ("counts", "params", "change", "ours", "theirs")
"""Columns of tables that are JSON texts."""


def _decoded(row: Mapping[str, Any], encoded: Sequence[str]) -> Mapping[str, Any]:
    texts = {column: text for column in encoded if isinstance(text := row[column], str)}
    return {**row, **{column: json.loads(text) for column, text in texts.items()}} if texts else row


def _cell(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, Mapping) else value

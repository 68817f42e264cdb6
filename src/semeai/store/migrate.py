"""Convert a ledger of an older format: the rows stay as they are, and get what the new format has in addition."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Column, Connection, MetaData, Table, insert, select, text

from semeai.errors import LedgerError
from semeai.store import schema
from semeai.store.backup import back_up
from semeai.store.checks import Head, row_checksum
from semeai.store.kinds import tables
from semeai.store.ledger import Ledger, set_run_values

Say = Callable[[str], object]
PORTION = 1000  # rows that are converted at a time


class OldLedger(Ledger):
    """A ledger of any format, opened to be converted."""

    def _prepare(self) -> None:
        if self.format() is None:
            raise LedgerError(f"{self.location} is not a ledger of semeai")


def migrate(location: str, *, backup: Path | None, say: Say) -> bool:
    """Convert the ledger at ``location`` to the present format; a copy of the old file is kept at ``backup``.

    Everything happens in one transaction, so an interrupt changes nothing. Returns False if there is nothing to do.
    Without ``backup`` the caller has made a copy, as for a database of a server.
    """
    ledger = OldLedger(location)
    try:
        version = ledger.format()
        if version == str(schema.SCHEMA_VERSION):
            return False
        step = STEPS.get(version or "")
        if step is None:
            raise LedgerError(f"{ledger.location} has ledger format {version}, which cannot be converted")
        if ledger.path is not None:
            assert backup is not None
            say(f"copying {ledger.path} to {backup}")
            back_up(ledger.path, backup)
        say(f"converting from format {version} to {schema.SCHEMA_VERSION}")
        ledger.write(step, durable=True, patient=False)
        return True
    finally:
        ledger.close()


def _from_1(connection: Connection) -> None:
    """Add checksums, leases and totals; decisions and failures get numbers."""
    held = _writers_of_format_1(connection)
    if held:
        raise LedgerError(f"run {held[0]} is being written: stop it first")
    present = set(sqlalchemy.inspect(connection).get_table_names())
    old = {table: _set_aside(connection, table) for name, table in tables().items() if name in present}
    connection.execute(text("ALTER TABLE runs ADD COLUMN checksum VARCHAR(32) NOT NULL DEFAULT ''"))
    schema.metadata.create_all(connection, list(dict.fromkeys([*schema.CORE_TABLES, *old])))
    run_ids = list(connection.scalars(select(schema.runs.c.id)))
    for run_id in run_ids:
        set_run_values(connection, run_id, {})
        for table, before in old.items():
            _copy(connection, before, table, run_id)
    for before in old.values():
        before.drop(connection)
    connection.execute(schema.about.update().values(value="2"))


def _writers_of_format_1(connection: Connection) -> list[int]:
    """Return the runs that hold the lock of PostgreSQL that format 1 used; its files have locks beside them."""
    if connection.dialect.name != "postgresql":
        return []
    query = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 6176417"
    return [int(row[0]) for row in connection.execute(text(query))]


def _set_aside(connection: Connection, table: Table) -> Table:
    """Rename a table of the old format. Returns it under its new name."""
    name = f"old_{table.name}"
    for index in sqlalchemy.inspect(connection).get_indexes(table.name):
        connection.execute(text(f'DROP INDEX "{index["name"]}"'))
    connection.execute(text(f'ALTER TABLE "{table.name}" RENAME TO "{name}"'))
    return Table(name, MetaData(), autoload_with=connection)


def _copy(connection: Connection, before: Table, table: Table, run_id: int) -> None:
    head, last = Head(), ""
    waiting: list[dict[str, Any]] = []
    for number, old in enumerate(_old_rows(connection, before, table, run_id)):
        row = _converted(table, old, number)
        row["checksum"] = row_checksum(table, row)
        head.add(table, row)
        last = max(last, row.get("recorded_at", ""))
        waiting.append(row)
        if len(waiting) == PORTION:
            connection.execute(insert(table), waiting)
            waiting = []
    if waiting:
        connection.execute(insert(table), waiting)
    if head.n_rows:
        values = {"run_id": run_id, "table_name": table.name, "updated_at": last, **head.to_row()}
        connection.execute(insert(schema.heads), values)


def _old_rows(connection: Connection, before: Table, table: Table, run_id: int) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a run in the order in which they get their numbers."""
    order: list[Column[Any]] = list(before.primary_key.columns)
    if table is schema.decisions:
        order = [before.c.after_batch, before.c.candidate]
    query = select(before).where(before.c.run_id == run_id).order_by(*order)
    for row in connection.execute(query):
        yield row._asdict()


def _converted(table: Table, old: Mapping[str, Any], number: int) -> dict[str, Any]:
    row = {column.name: old.get(column.name) for column in table.columns}
    if table in (schema.decisions, schema.failures):
        row["number"] = number
    if "recorded_at" in table.c and row["recorded_at"] is None:
        row["recorded_at"] = ""
    return row


STEPS: dict[str, Callable[[Connection], None]] = {"1": _from_1}
"""How to convert a ledger to the next format, by its format."""

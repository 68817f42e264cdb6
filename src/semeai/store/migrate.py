"""Convert a ledger of an older format: the rows stay as they are, and get what the new format has in addition.

Format 1 is that of semeai 0.1. Format 2 has no checksums of the heads, and no head of the totals.
"""

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Column, Connection, MetaData, Table, delete, insert, select, text

from semeai.errors import LedgerError
from semeai.store import schema
from semeai.store.backup import back_up
from semeai.store.checks import Head, head_rows, row_checksum
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
            if version == "1" and (names := _files_written_in_format_1(ledger)):
                raise LedgerError(f"run {names[0]!r} is being written by semeai 0.1: stop it first")
            assert backup is not None
            say(f"copying {ledger.path} to {backup}")
            back_up(ledger.path, backup)
        say(f"converting from format {version} to {schema.SCHEMA_VERSION}")
        ledger.write(lambda connection: step(connection, say), durable=True, patient=False)
        return True
    finally:
        ledger.close()


def _from_1(connection: Connection, say: Say) -> None:
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
        heads = {table.name: _copy(connection, before, table, run_id) for table, before in old.items()}
        connection.execute(insert(schema.heads), head_rows(run_id, heads))
    for before in old.values():
        before.drop(connection)
    connection.execute(schema.about.update().values(value="3"))


def _files_written_in_format_1(ledger: Ledger) -> list[str]:
    """Return the names of the runs whose writers hold the lock on a file beside the ledger, as semeai 0.1 did."""
    assert ledger.path is not None
    found = []
    for name, run_id in ledger.run_ids().items():
        with contextlib.suppress(OSError), open(ledger.path.with_name(f"{ledger.path.name}.{run_id}.lock")) as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                found.append(name)
    return found


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


def _copy(connection: Connection, before: Table, table: Table, run_id: int) -> Head:
    """Copy the rows of a run into the new table. Returns its head."""
    head = Head()
    waiting: list[dict[str, Any]] = []
    for number, old in enumerate(_old_rows(connection, before, table, run_id)):
        row = _converted(table, old, number)
        row["checksum"] = row_checksum(table, row)
        head.add(table, row)
        waiting.append(row)
        if len(waiting) == PORTION:
            connection.execute(insert(table), waiting)
            waiting = []
    if waiting:
        connection.execute(insert(table), waiting)
    return head


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


def _from_2(connection: Connection, say: Say) -> None:
    """Add checksums of the heads, and the head of the totals. What is damaged gets no checksum, so it stays damaged."""
    connection.execute(text("ALTER TABLE heads ADD COLUMN checksum VARCHAR(32) NOT NULL DEFAULT ''"))
    present = set(sqlalchemy.inspect(connection).get_table_names())
    named = {name: table for name, table in tables().items() if name in present and name != "checkpoints"}
    for run_id, name in connection.execute(select(schema.runs.c.id, schema.runs.c.name)).all():
        mine = schema.heads.c.run_id == run_id
        recorded = {row.table_name: row for row in connection.execute(select(schema.heads).where(mine))}
        heads = {table.name: _head(connection, table, run_id) for table in named.values()}
        sums = {name: (head.n_rows, head.checksums, head.digests) for name, head in heads.items() if name != "totals"}
        if {name: found for name, found in sums.items() if found[0]} != {
            name: (row.n_rows, int(row.checksums, 16), int(row.digests, 16)) for name, row in recorded.items()
        }:
            say(f"run {name!r} is damaged: its rows are not those that were recorded")
            continue
        connection.execute(delete(schema.heads).where(mine))
        connection.execute(insert(schema.heads), head_rows(run_id, heads))
    connection.execute(schema.about.update().values(value="3"))


def _head(connection: Connection, table: Table, run_id: int) -> Head:
    head = Head()
    for row in connection.execute(select(table).where(table.c.run_id == run_id)):
        head.add(table, row._asdict())
    return head


STEPS: dict[str, Callable[[Connection, Say], None]] = {"1": _from_1, "2": _from_2}
"""How to convert a ledger to the present format, by its format."""

"""Verify the rows of a run: their checksums, their number, and the totals that were made from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table

from semeai.errors import LedgerError
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.checks import Head
from semeai.store.kinds import table_named
from semeai.store.race_rows import counts_from_json, recorded_checkpoint

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger

NUMBERED = {"candidates": 1, "batches": 0, "decisions": 0, "failures": 0}
"""First number of the tables whose rows have no gaps."""


def verify_run(ledger: "Ledger", run_id: int) -> int:
    """Read every row of a run once. Returns the number of rows; raises LedgerError at the first damage."""
    heads = ledger.heads(run_id)
    counted: dict[int, dict[int, int]] = {}
    total = 0
    others = [table_named(name) for name in heads if name not in (*NUMBERED, "totals")]
    for table in (*schema.RACE_TABLES, *others):
        found = Head()
        for row in _numbered(ledger, table, run_id):
            found.add(table, row)
            if table is schema.batches and row["counts"] is not None:
                levels = counted.setdefault(row["candidate"], {})
                for level, n in counts_from_json(row["counts"]).items():
                    levels[level] = levels.get(level, 0) + n
        if found != heads.get(table.name, Head()):
            raise ledger.damage(run_id, f"the digest or the last time of {table.name} is not that of its rows")
        total += found.n_rows
    _verify_totals(ledger, run_id, counted)
    return total


def _numbered(ledger: "Ledger", table: Table, run_id: int) -> Iterator[Mapping[str, Any]]:
    expected = NUMBERED.get(table.name)
    for row in ledger.checked_rows(table, run_id):
        if expected is not None:
            if row["number"] != expected:
                raise ledger.damage(run_id, f"number {expected} is missing in {table.name}")
            expected += 1
        yield row


def _verify_totals(ledger: "Ledger", run_id: int, counted: dict[int, dict[int, int]]) -> None:
    checkpoint = recorded_checkpoint(ledger, run_id)
    if checkpoint is None:
        return
    for candidate, state in checkpoint.standings.items():
        if state.counts != RewardCounts(counted.pop(candidate, {})):
            raise ledger.damage(run_id, f"the totals of candidate {candidate} are not those of its batches")
    if counted:
        raise ledger.damage(run_id, f"candidate {min(counted)} has batches and no totals")


@dataclass
class Report:
    """What a check of a whole ledger has found."""

    n_rows: dict[str, int] = field(default_factory=dict)
    """Rows of each sound run, by name."""
    damage: dict[str, str] = field(default_factory=dict)
    """The first damage of each other run, by name; the empty name stands for the database itself."""


def verify_ledger(ledger: "Ledger") -> Report:
    """Verify the database and every run in it."""
    report = Report()
    try:
        with ledger.reading() as connection:
            if connection.dialect.name == "sqlite":
                found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
                if found != "ok":
                    report.damage[""] = f"{ledger.location}: SQLite finds damage: {found}"
    except LedgerError as error:
        report.damage[""] = str(error)
    known = ledger.run_ids()
    if lost := ledger.lost_runs():
        report.damage.setdefault("", str(ledger.damage(min(lost), "its row in runs is missing")))
    for name, run_id in known.items():
        try:
            with ledger.one_state():  # a live run may add rows meanwhile
                ledger.run(name)
                report.n_rows[name] = verify_run(ledger, run_id)
        except LedgerError as error:
            report.damage[name] = str(error)
    return report

"""Verdicts survive a power cut: they are on the disk before they are announced, and a ledger has a log."""

import contextlib
import sqlite3

import pytest
from benchmarks.faults.damage import RACE
from sqlalchemy import Engine, event

from semeai.errors import LedgerError
from semeai.runs.race_file import run_race_file
from semeai.store.engines import _sqlite_engine, use_log
from tests.observers import Watching

FULL = 2
"""The level of ``PRAGMA synchronous`` at which SQLite returns from a commit only when it is on the disk."""


@pytest.fixture
def commits():
    """The number of recorded decisions and the level of ``synchronous`` at each commit."""
    found = []

    def note(connection):
        if connection.get_execution_options().get("semeai_write"):
            has = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master WHERE name = 'decisions'").scalar()
            n = connection.exec_driver_sql("SELECT count(*) FROM decisions").scalar() if has else 0
            found.append((n, connection.exec_driver_sql("PRAGMA synchronous").scalar()))

    event.listen(Engine, "commit", note)
    yield found
    event.remove(Engine, "commit", note)


def test_verdicts_are_on_the_disk_before_they_are_announced(tmp_path, commits):
    (tmp_path / "race.toml").write_text(RACE)
    announced = []
    watching = Watching(decision=lambda decision: announced.append(max(n for n, level in commits if level == FULL)))
    result = run_race_file(tmp_path / "race.toml", workers=1, observer=watching)
    assert len(announced) == len(result.decisions) == 3
    assert all(n >= number for number, n in enumerate(announced, 1))
    first = dict(reversed(commits))
    assert {level for n, level in first.items() if n} == {FULL}
    assert 1 in {level for _, level in commits}, "a batch without a verdict costs less"


def test_a_disk_without_a_log_is_refused(tmp_path):
    """A file system of SQLite without shared memory refuses a write-ahead log by its answer only."""
    place = f"file:{tmp_path / 'x.sqlite'}?vfs=unix-none"
    engine = _sqlite_engine(lambda: sqlite3.connect(place, uri=True, isolation_level=None))
    with contextlib.closing(sqlite3.connect(place, uri=True)) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("delete",)
    with pytest.raises(LedgerError, match="its file system allows no write-ahead log"):
        use_log(engine)
    engine.dispose()

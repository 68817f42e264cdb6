"""One contract for all ledgers: SQLite always, PostgreSQL if its server is installed."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from semeai import Batch, Candidate, Decision, Ledger, RewardCounts, Verdict
from semeai.errors import LedgerError, RunChanged, RunLocked, RunNotFound
from semeai.stats.bounds import Bounds
from semeai.store import schema
from semeai.store.places import without_password
from semeai.store.race_rows import recorded_decisions
from semeai.work.jobs import Failure

CANDIDATES = [Candidate("a", {"x": 1}), Candidate("b", {"x": 2})]
BATCHES = [Batch(0, 1, 0, 10), Batch(1, 2, 0, 10)]
COUNTS = [RewardCounts.of(wins=6, losses=4), RewardCounts.of(wins=3, draws=1, losses=6)]
DECISION = Decision(2, Verdict.DISCARDED, 1, 10, 3.5, 1, -1.25, 4.5, Bounds(0.1, 0.5))


def postgres_binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgres_url():
    """A server of our own on a socket in a temporary folder; it refuses to run as root."""
    pytest.importorskip("psycopg")
    binaries = postgres_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed")
    folder = Path(tempfile.mkdtemp(prefix="semeai-postgres-"))
    as_user = ["runuser", "-u", "nobody", "--"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, "nobody")

    def run(*command):
        subprocess.run([*as_user, *map(str, command)], check=True, capture_output=True, cwd=folder, timeout=300)

    data, log = folder / "data", folder / "log"
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    try:
        run(binaries / "initdb", "-D", data, "-U", "semeai", "-A", "trust")
        run(binaries / "pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield f"postgresql+psycopg://semeai@/postgres?host={folder}"
    with contextlib.suppress(subprocess.SubprocessError):
        run(binaries / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, tmp_path):
    if request.param == "sqlite":
        yield str(tmp_path / "ledger.sqlite")
        return
    url = request.getfixturevalue("postgres_url")
    yield url
    from sqlalchemy import create_engine

    engine = create_engine(url)
    schema.metadata.drop_all(engine)
    engine.dispose()


@pytest.fixture
def ledger(location):
    store = Ledger(location)
    yield store
    store.close()


def open_run(ledger, config=None, name="run"):
    return ledger.open_run(name, "race", config or {"x": 1}, 7, {"semeai": "test"})


def fill(writer):
    """Record two batches, the first rows of the run."""
    writer.record(BATCHES[0], COUNTS[0], 0.5, CANDIDATES, [])
    writer.record(BATCHES[1], COUNTS[1], 0.7, CANDIDATES, [DECISION])
    writer.flush()


def test_what_was_flushed_is_found_again(ledger, location):
    writer = open_run(ledger)
    fill(writer)
    writer.close()
    again = Ledger(location)
    writer = open_run(again)
    recorded = list(again.batches(writer.run_id))
    assert [found.batch for found in recorded] == BATCHES
    assert [found.counts for found in recorded] == COUNTS
    assert recorded_decisions(again, writer.run_id) == [DECISION]
    (row,) = again.rows(schema.decisions, writer.run_id)
    assert (row["lower"], row["upper"], row["merit"]) == (0.1, 0.5, -1.25)
    assert [r["name"] for r in again.rows(schema.candidates, writer.run_id)] == ["a", "b"]
    writer.close()
    again.close()


def test_a_batch_and_its_verdicts_are_written_together_or_not_at_all(ledger, location):
    writer = open_run(ledger)
    writer.record(BATCHES[0], COUNTS[0], 0.5, CANDIDATES, [])
    other = Ledger(location)
    assert list(other.rows(schema.batches, writer.run_id)) == []
    assert list(other.rows(schema.candidates, writer.run_id)) == []
    writer.flush()
    assert len(list(other.rows(schema.batches, writer.run_id))) == 1
    writer.close()
    other.close()


def test_recording_again_changes_nothing(ledger):
    writer = open_run(ledger)
    fill(writer)
    digest = ledger.digest(writer.run_id)
    fill(writer)
    assert ledger.digest(writer.run_id) == digest
    writer.close()


def test_another_content_of_a_batch_is_refused(ledger):
    writer = open_run(ledger)
    fill(writer)
    with pytest.raises(LedgerError, match="batch 0 of run 'run' is recorded with other content"):
        writer.record(BATCHES[0], COUNTS[1], 0.5, CANDIDATES, [])
    writer.close()


def test_a_changed_config_is_refused_with_what_changed(ledger):
    open_run(ledger, {"race": {"risk": 0.05}, "seed": 1}).close()
    with pytest.raises(RunChanged, match=r"race\.risk was 0\.05, is 0\.1"):
        open_run(ledger, {"race": {"risk": 0.1}, "seed": 1})
    open_run(ledger, {"race": {"risk": 0.1}, "seed": 1}, name="other").close()


def test_a_run_has_one_writer(ledger, location):
    writer = open_run(ledger)
    other = Ledger(location)
    with pytest.raises(RunLocked, match="run 'run' is being written already, by"):
        open_run(other)
    open_run(other, name="another run").close()
    writer.close()
    open_run(other).close()
    other.close()


def test_readers_see_a_live_run(ledger, location):
    writer = open_run(ledger)
    reader = Ledger(location, read_only=True)
    for batch, counts in zip(BATCHES, COUNTS, strict=True):
        writer.record(batch, counts, 0.1, CANDIDATES, [])
        writer.flush()
        assert len(list(reader.rows(schema.batches, writer.run_id))) == batch.number + 1
    writer.close()
    reader.close()


def test_failures_are_kept_with_what_the_program_said(ledger):
    writer = open_run(ledger)
    failure = Failure("program", "candidate 'a', seed 5: exit status 3", 4, 5, "Traceback …\n")
    writer.record(BATCHES[0], None, 0.1, CANDIDATES, [], failure)
    writer.record_failure(BATCHES[1], CANDIDATES, failure)
    writer.flush()
    rows = list(ledger.rows(schema.failures, writer.run_id))
    assert [(r["batch"], r["stderr"]) for r in rows] == [(0, "Traceback …\n"), (1, "Traceback …\n")]
    (recorded,) = ledger.batches(writer.run_id)  # the second is not counted
    assert recorded.counts is None
    writer.close()


def test_the_digest_forgets_time_and_remembers_content(ledger):
    digests = []
    for name, seconds, counts in (("one", 1.0, COUNTS), ("two", 9.0, COUNTS), ("three", 1.0, COUNTS[::-1])):
        writer = open_run(ledger, name=name)
        for batch, c in zip(BATCHES, counts, strict=True):
            writer.record(batch, c, seconds, CANDIDATES, [])
        writer.close()
        digests.append(ledger.digest(writer.run_id))
    assert digests[0] == digests[1] != digests[2]


def test_an_unknown_run_is_named_with_the_nearest(ledger):
    open_run(ledger, name="first-race").close()
    with pytest.raises(RunNotFound, match="did you mean 'first-race'"):
        ledger.run("frist-race")


def test_a_run_without_a_writer_is_not_running(ledger):
    writer = open_run(ledger)
    writer.set_state("running")
    assert ledger.state(ledger.run("run")) == "running"
    writer.close()  # as a kill would: nothing more is written
    assert ledger.state(ledger.run("run")) == "killed"
    writer = open_run(ledger)
    writer.set_state("finished")
    writer.close()
    assert ledger.state(ledger.run("run")) == "finished"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql+psycopg://me:secret@host/db", "postgresql+psycopg://me:***@host/db"),
        ("ledger.sqlite", "ledger.sqlite"),
    ],
)
def test_a_password_is_not_shown(location, shown):
    assert without_password(location) == shown


class TestSQLite:
    def test_a_url_is_a_path(self, tmp_path):
        store = Ledger(f"sqlite:///{tmp_path / 'x.sqlite'}")
        open_run(store).close()
        store.close()
        assert (tmp_path / "x.sqlite").exists()

    def test_something_else_is_refused(self, tmp_path):
        path = tmp_path / "ledger.sqlite"
        path.write_text("this is not a database, but it is long enough to look like one" * 20)
        with pytest.raises(LedgerError, match="file is not a database"):
            Ledger(path)

    def test_missing_places_are_named(self, tmp_path):
        with pytest.raises(LedgerError, match="there is no ledger at"):
            Ledger(tmp_path / "none.sqlite", read_only=True)
        with pytest.raises(LedgerError, match="no such folder"):
            Ledger(tmp_path / "no" / "folder.sqlite")

    def test_another_format_is_refused(self, tmp_path):
        import sqlite3

        path = tmp_path / "ledger.sqlite"
        Ledger(path).close()
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE about SET value = '99'")
        connection.close()
        with pytest.raises(LedgerError, match="ledger format 99"):
            Ledger(path)


def test_another_database_is_refused_by_its_name():
    with pytest.raises(LedgerError, match=r"SQLite file or a PostgreSQL database .*, not mysql://"):
        Ledger("mysql://user:secret@host/db")

"""Readers never write: read-only files and folders, foreign databases, old formats; backups of live ledgers."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from semeai import Ledger
from semeai.errors import LedgerError
from semeai.store.backup import back_up
from semeai.store.verify import verify_ledger
from tests.contracts.test_store import fill, open_run

READ = """
import os, sys
from semeai import Ledger
Ledger(sys.argv[2], read_only=True).close()  # imports all that it needs
os.setgid(65534)
os.setuid(65534)
store = Ledger(sys.argv[1], read_only=True)
print([run.name for run in store.runs()], len(list(store.rows("batches", 1))))
store.close()
"""


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "ledger.sqlite"
    store = Ledger(path)
    writer = open_run(store)
    fill(writer)
    writer.close()
    store.close()
    return path


def foreign(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()
    return path


@pytest.mark.parametrize("read_only", [True, False])
def test_a_foreign_database_is_refused_and_left_as_it_is(tmp_path, read_only):
    path = foreign(tmp_path / "other.db")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="is not a ledger of semeai: it has the tables customers"):
        Ledger(path, read_only=read_only)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_creates_nothing(tmp_path):
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(tmp_path / "none.sqlite", read_only=True)
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(LedgerError, match="is not a ledger of semeai"):
        Ledger(tmp_path / "empty.sqlite", read_only=True)
    with pytest.raises(LedgerError, match="cannot read"):
        Ledger(tmp_path, read_only=True)
    assert [file.name for file in tmp_path.iterdir()] == ["empty.sqlite"]


def looks(place, folder):
    """Look at a ledger in every way. Returns what lies in its folder while it is open, and after."""
    store = Ledger(place, read_only=True)
    store.runs()
    with store.one_state():
        found = {file.name for file in folder.iterdir()}
    verify_ledger(store)
    store.close()
    return found | {file.name for file in folder.iterdir()}


def test_a_look_at_a_closed_ledger_leaves_no_files(place, tmp_path):
    assert looks(place, tmp_path) == {"ledger.sqlite"}
    (tmp_path / "copies").mkdir()
    back_up(place, tmp_path / "copies" / "copy.sqlite")
    assert looks(place, tmp_path) == {"ledger.sqlite", "copies"}


def test_a_look_at_a_foreign_database_with_a_log_leaves_no_files(tmp_path):
    path = foreign(tmp_path / "other.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="is not a ledger of semeai"):
        Ledger(path, read_only=True)
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]
    assert path.read_bytes() == before


def test_a_reader_sees_a_run_that_is_started_after_it(place, tmp_path):
    """The ledger is closed when the reader opens it, and read as it is; then it gets a log."""
    reader = Ledger(place, read_only=True)
    assert [run.name for run in reader.runs()] == ["run"]
    store = Ledger(place)
    writer = open_run(store, name="later")
    assert [run.name for run in reader.runs()] == ["run", "later"]
    fill(writer)
    assert len(list(reader.rows("batches", writer.run_id))) == 2
    writer.close()
    store.close()
    assert len(list(reader.rows("batches", writer.run_id))) == 2
    reader.close()
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_writer_that_comes_in_the_middle_is_no_damage(place):
    reader = Ledger(place, read_only=True)

    def find_damage(meanwhile=lambda: None):
        with reader.one_state():
            meanwhile()
            raise reader.damage(1, "pages of two times, or damage")

    def write():
        store = Ledger(place)
        open_run(store, name="later").close()
        store.close()

    with pytest.raises(LedgerError, match="was changed while it was read: look again"):
        find_damage(write)
    with pytest.raises(LedgerError, match="run 'run': pages of two times, or damage"):
        find_damage()
    reader.close()


def test_a_reader_cannot_write(place):
    store = Ledger(place, read_only=True)
    with pytest.raises(LedgerError, match="readonly database"):
        open_run(store, name="another")
    store.close()


@pytest.fixture
def public_folder():
    """A folder that another user can enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp(prefix="semeai-test-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("state", ["closed", "live", "killed"])
def test_a_colleague_can_look_at_a_ledger_that_he_cannot_write(place, public_folder, state):
    shared = public_folder / "ledger.sqlite"
    shutil.copy(place, shared)
    if state != "closed":
        store = Ledger(shared)
        writer = open_run(store, name="another")
        writer.flush()
    if state == "killed":  # the log is there, its index is not
        log = Path(f"{shared}-wal").read_bytes()
        data = shared.read_bytes()
        writer.close()
        store.close()
        shared.write_bytes(data)
        Path(f"{shared}-wal").write_bytes(log)
    for file in public_folder.iterdir():
        file.chmod(0o644)
    command = [sys.executable, "-c", READ, str(shared), str(place)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == ("['run'] 2" if state == "closed" else "['run', 'another'] 2"), done.stderr
    if state == "live":
        writer.close()
        store.close()


def test_a_backup_of_a_live_ledger_is_sound(place, tmp_path):
    store = Ledger(place)
    writer = open_run(store)
    copy = tmp_path / "copy.sqlite"
    back_up(place, copy)
    writer.close()
    store.close()
    found = Ledger(copy, read_only=True)
    assert verify_ledger(found).n_rows == {"run": 5}
    found.close()
    with pytest.raises(LedgerError, match="exists already"):
        back_up(place, copy)
    with pytest.raises(LedgerError, match="cannot copy"):
        back_up(place, tmp_path / "no" / "folder.sqlite")
    assert not list(tmp_path.glob("*.part"))


def test_a_disk_without_locks_is_named(place):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_LOCK"
    from semeai.store.engines import reason_of

    assert "its file system has no working locks" in reason_of(error)

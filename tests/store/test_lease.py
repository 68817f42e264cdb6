"""The lease of a run: one writer, fenced, also if processes die, numbers are reused and machines are silent."""

import json
import os
import subprocess
import sys
import threading

import pytest
from sqlalchemy import select

from semeai import Batch, Candidate, Ledger, RewardCounts
from semeai.errors import RunLocked
from semeai.store import lease as leases
from semeai.store import schema
from semeai.store.lease import Lease, is_alive, me
from tests.contracts.test_store import ledger, location, open_run, postgres_url  # noqa: F401 - fixtures

CANDIDATES = [Candidate("a", {"x": 1})]


def set_owner(store, run_id, age=0.0, **changes):
    """Write another owner into the lease, as if another process had taken it ``age`` seconds ago."""

    def write(connection):
        query = leases.lease_query(connection).where(schema.leases.c.run_id == run_id)
        old = connection.execute(query).one()
        owner = json.dumps({**me(), **changes})
        values = {"owner": owner, "token": "other", "heartbeat": old.heartbeat + old.age - age}
        connection.execute(schema.leases.update().where(schema.leases.c.run_id == run_id).values(values))

    store.write(write)


def record(writer, number):
    writer.record(Batch(number, 1, 10 * number, 10), RewardCounts.of(wins=5, losses=5), 0.1, CANDIDATES, [])


def test_a_process_is_alive_if_it_has_the_number_and_the_start(tmp_path):
    assert is_alive(me())
    assert is_alive({**me(), "started": "1"}) is False  # its number was given to another process
    assert is_alive({**me(), "boot": "before"}) is None  # or another machine with the same name
    assert is_alive({**me(), "host": "elsewhere"}) is None
    assert is_alive({**me(), "namespace": "pid:[1]"}) is None


def test_a_process_that_ended_but_was_not_waited_for_is_not_alive():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = {**me(), "process": child.pid, "started": leases._started(child.pid)}
    assert is_alive(owner)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended and is a zombie
    assert not is_alive(owner)
    child.stdin.close()
    child.wait()


def test_the_lease_of_a_dead_process_is_free_at_once(ledger):  # noqa: F811
    writer = open_run(ledger)
    set_owner(ledger, writer.run_id, started="1")
    other = open_run(ledger)
    record(other, 0)
    other.close()
    record(writer, 0)
    with pytest.raises(RunLocked, match="was taken over: nothing more is written here"):
        writer.close()


@pytest.mark.parametrize("other", [{"host": "node7"}, {"boot": "that of a machine with the same name"}], ids=str)
def test_a_silent_machine_is_taken_over_after_a_stated_time(ledger, other):  # noqa: F811
    writer = open_run(ledger)
    set_owner(ledger, writer.run_id, age=30, **other)
    host = other.get("host", me()["host"])
    with pytest.raises(
        RunLocked,
        match=rf"already, by process \d+ on {host} \(last sign of life 3\d s ago; it can be taken over 60 s after",
    ):
        open_run(ledger)
    assert ledger.state(ledger.run("run")) == "running"
    set_owner(ledger, writer.run_id, age=61, **other)
    assert ledger.state(ledger.run("run")) == "killed"
    open_run(ledger).close()
    writer._lease.release()


def test_a_fenced_writer_writes_nothing(ledger, location):  # noqa: F811
    writer = open_run(ledger)
    record(writer, 0)
    writer.flush()
    set_owner(ledger, writer.run_id, age=61, host="node7")
    store = Ledger(location)
    other = open_run(store)
    record(writer, 1)
    for action in (writer.flush, lambda: writer.set_state("finished"), writer.close):
        with pytest.raises(RunLocked, match="was taken over by this process"):
            action()
    assert store.run("run").state == "new"
    assert len(list(store.batches(writer.run_id))) == 1
    record(other, 1)
    other.close()
    store.close()


def test_looking_at_a_run_does_not_free_its_lease(ledger, location):  # noqa: F811
    writer = open_run(ledger)
    writer.set_state("running")
    reader = Ledger(location, read_only=True)
    assert [reader.state(run) for run in reader.runs()] == ["running"]
    reader.close()
    with pytest.raises(RunLocked, match="is being written already, by this process"):
        open_run(ledger)
    code = "import sys; from tests.contracts.test_store import *; open_run(Ledger(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, location], capture_output=True, text=True)
    assert f"RunLocked: run 'run' is being written already, by process {os.getpid()} on" in done.stderr
    writer.close()


def test_the_writer_gives_signs_of_life(ledger, monkeypatch):  # noqa: F811
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.05)
    beats = threading.Semaphore(0)
    keep = Lease.keep
    monkeypatch.setattr(Lease, "keep", lambda self, connection: (keep(self, connection), beats.release())[0])
    writer = open_run(ledger)
    with ledger.reading() as connection:
        first = connection.scalar(select(schema.leases.c.heartbeat))
    assert beats.acquire(timeout=300)
    assert beats.acquire(timeout=300)  # the first is committed then
    with ledger.reading() as connection:
        assert connection.scalar(select(schema.leases.c.heartbeat)) > first
    writer.close()


def test_no_files_lie_beside_a_ledger_in_a_file(tmp_path):
    store = Ledger(tmp_path / "x.sqlite")
    open_run(store).close()
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.sqlite"]

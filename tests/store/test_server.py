"""A ledger on a PostgreSQL server: lost connections, and several programs that are the first to use it."""

import subprocess
import sys

import pytest
from benchmarks.faults.damage import RACE
from sqlalchemy import text

from semeai import Batch, Candidate, Ledger, RewardCounts
from semeai.errors import LedgerError
from semeai.runs.race_file import run_race_file
from semeai.store import schema
from semeai.store.migrate import migrate
from tests.contracts.test_store import open_run, postgres_url  # noqa: F401 - fixture
from tests.observers import Watching


@pytest.fixture
def server(postgres_url):  # noqa: F811
    yield postgres_url
    store = Ledger(postgres_url)
    schema.metadata.drop_all(store._engine)
    store.close()


def drop_connections(url):
    """End all other connections, as a restart of the server or of the network does."""
    store = Ledger(url)
    with store.reading() as connection:
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        connection.execute(text(query + " AND backend_type = 'client backend'"))
    store.close()


def record(writer, number):
    counts = RewardCounts.of(wins=5, losses=5)
    writer.record(Batch(number, 1, 10 * number, 10), counts, 0.1, [Candidate("a", {})], [])


def test_a_writer_connects_again(server):
    store = Ledger(server)
    writer = open_run(store)
    for number in range(3):
        record(writer, number)
        drop_connections(server)
        writer.flush()
    writer.close()
    assert len(list(store.batches(writer.run_id))) == 3
    store.close()


def test_what_was_committed_before_the_connection_was_lost_is_not_written_twice(server):
    store = Ledger(server)
    writer = open_run(store)
    record(writer, 0)
    write = store.write

    def lose_the_answer(action, **options):
        """Commit, then fail as if the answer of the server had been lost, and try again."""
        write(action, **options)
        return write(action, **options)

    store.write = lose_the_answer
    writer.flush()
    store.write = write
    writer.close()
    assert len(list(store.batches(writer.run_id))) == 1
    store.close()


def test_a_lost_server_is_given_up_after_a_time(server, monkeypatch):
    said = []
    store = Ledger(server)
    writer = open_run(store)
    store.say = said.append
    monkeypatch.setattr(Ledger, "RECONNECT_SECONDS", 0.3)
    monkeypatch.setattr(store._engine.dialect, "connect", lambda *a, **k: store._engine.dialect.dbapi.connect("port=1"))
    record(writer, 0)
    drop_connections(server)
    with pytest.raises(LedgerError, match="cannot write to postgresql"):
        writer.flush()
    assert len(said) == 1
    assert "trying again for 0 s" in said[0]
    store.gives_up = lambda: True
    with pytest.raises(LedgerError, match="cannot write to postgresql"):
        writer.close()
    store.close()


def test_a_race_survives_lost_connections(server, tmp_path):
    (tmp_path / "race.toml").write_text(RACE)
    whole = run_race_file(tmp_path / "race.toml", workers=1)
    watching = Watching(progress=lambda driver: drop_connections(server), decision=lambda d: drop_connections(server))
    result = run_race_file(tmp_path / "race.toml", ledger=server, workers=1, observer=watching)
    assert result.digest == whole.digest


def test_several_programs_may_be_the_first(server):
    code = """
import sys
from tests.contracts.test_store import *
store = Ledger(sys.argv[1])
open_run(store, name=sys.argv[2]).close()
"""
    running = [subprocess.Popen([sys.executable, "-c", code, server, str(i)]) for i in range(5)]
    assert [process.wait() for process in running] == [0] * 5
    store = Ledger(server)
    assert sorted(run.name for run in store.runs()) == list("01234")
    store.close()


FORMAT_1 = """
DROP TABLE IF EXISTS checkpoints, totals, heads, leases, failures, decisions, batches, candidates, runs, about CASCADE;
CREATE TABLE about ("key" VARCHAR(40) PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO about VALUES ('schema', '1');
CREATE TABLE runs (id SERIAL PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind VARCHAR(20) NOT NULL, config JSON NOT NULL,
  config_hash VARCHAR(64) NOT NULL, seed BIGINT NOT NULL, versions JSON NOT NULL, created_at VARCHAR(32) NOT NULL,
  state VARCHAR(20) NOT NULL, updated_at VARCHAR(32) NOT NULL);
INSERT INTO runs VALUES (1, 'old', 'race', '{}',
  '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', 7, '{}', 'then', 'finished', 'then');
CREATE TABLE candidates (run_id INTEGER REFERENCES runs (id) ON DELETE CASCADE, number INTEGER, name TEXT NOT NULL,
  params TEXT NOT NULL, digest VARCHAR(16) NOT NULL, PRIMARY KEY (run_id, number));
INSERT INTO candidates VALUES (1, 1, 'a', '{}', 'x');
CREATE TABLE batches (run_id INTEGER REFERENCES runs (id) ON DELETE CASCADE, number INTEGER, candidate INTEGER NOT NULL,
  start BIGINT NOT NULL, size INTEGER NOT NULL, counts TEXT, seconds DOUBLE PRECISION NOT NULL,
  recorded_at VARCHAR(32) NOT NULL, PRIMARY KEY (run_id, number));
INSERT INTO batches VALUES (1, 0, 1, 0, 8, '{"1000": 8}', 0.25, 'then');
CREATE TABLE decisions (run_id INTEGER REFERENCES runs (id) ON DELETE CASCADE, candidate INTEGER,
  verdict VARCHAR(20) NOT NULL, after_batch INTEGER NOT NULL, n_evaluations BIGINT NOT NULL,
  total_reward DOUBLE PRECISION NOT NULL, n_tests INTEGER NOT NULL, merit DOUBLE PRECISION, doubt DOUBLE PRECISION,
  lower DOUBLE PRECISION, upper DOUBLE PRECISION, PRIMARY KEY (run_id, candidate));
INSERT INTO decisions VALUES (1, 1, 'accepted', 0, 8, 8, 1, 3.5, NULL, 0.6, 1);
CREATE TABLE failures (id SERIAL PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  batch INTEGER NOT NULL, candidate INTEGER NOT NULL, evaluation BIGINT NOT NULL, seed BIGINT NOT NULL,
  kind VARCHAR(20) NOT NULL, message TEXT NOT NULL, stderr TEXT NOT NULL, recorded_at VARCHAR(32) NOT NULL);
CREATE INDEX ix_failures_run_id ON failures (run_id);
"""


def test_a_database_of_format_1_is_converted(server):
    from semeai.store.verify import verify_run

    store = Ledger(server)
    store.write(lambda connection: connection.exec_driver_sql(FORMAT_1))
    store.close()
    with pytest.raises(LedgerError, match=r"has ledger format 1.*semeai migrate"):
        Ledger(server)
    assert migrate(server, backup=None, say=lambda text: None)
    store = Ledger(server)
    assert verify_run(store, store.run("old").id) == 3
    store.close()

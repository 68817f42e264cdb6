"""A damaged ledger is never used in silence: a damaged row is named, or the rows are still those that were recorded."""

import json
import shutil
import sqlite3

import pytest
from benchmarks.faults.damage import RACE, sound_ledger, trials
from hypothesis import given
from hypothesis import strategies as st

from semeai import Ledger
from semeai.errors import LedgerError
from semeai.race.race import Batch
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race, verify_races
from semeai.store.checks import json_list
from semeai.store.verify import verify_ledger, verify_run
from semeai.work.jobs import Failure


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return sound_ledger(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def ledger(sound, tmp_path):
    place = tmp_path / "ledger.sqlite"
    shutil.copy(sound, place)
    return place


def edit(place, statement):
    with sqlite3.connect(place) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE batches SET counts = '{\"1000\": 8}' WHERE number = 3", "row of run 1 number 3 in batches is damaged"),
        ("UPDATE batches SET seconds = seconds + 1 WHERE number = 0", "row of run 1 number 0 in batches is damaged"),
        ("UPDATE batches SET counts = 'nonsense' WHERE number = 2", "number 2 in batches is damaged"),
        ("UPDATE batches SET start = 'text' WHERE number = 2", "number 2 in batches is damaged"),
        ("DELETE FROM batches WHERE number = 2", "number 2 of run 1 is missing in batches"),
        ("DELETE FROM batches WHERE number = (SELECT max(number) FROM batches)", "batches has .* rows of a run where"),
        ("UPDATE decisions SET verdict = 'accepted' WHERE candidate = 2", "in decisions is damaged"),
        (
            "UPDATE heads SET updated_at = '2426' || substr(updated_at, 5) WHERE table_name = 'batches'",
            "has the time '2426",
        ),
        ("DELETE FROM decisions", "decisions has 0 rows of a run where 3 were recorded"),
        ("UPDATE candidates SET params = '{}' WHERE number = 1", "number 1 in candidates is damaged"),
        ("UPDATE totals SET n_tests = n_tests + 1 WHERE candidate = 1", "candidate 1 in totals is damaged"),
        ("DELETE FROM totals WHERE candidate = 1", "candidate 1 has batches and no totals"),
        ("UPDATE checkpoints SET pending = '[[1,1,1,1]]'", "in checkpoints is damaged"),
        ("UPDATE heads SET checksums = '00' WHERE table_name = 'batches'", "are not those that were recorded"),
        ("DELETE FROM heads", "rows of a run where 0 were recorded"),
    ],
)
def test_damage_is_named(ledger, statement, message):
    edit(ledger, statement)
    store = Ledger(ledger, read_only=True)
    with pytest.raises(LedgerError, match=message):
        verify_run(store, 1)
    assert list(verify_ledger(store).damage) == ["race"]
    store.close()


@pytest.mark.parametrize("column", ["config", "seed", "name", "versions", "kind", "state"])
def test_a_damaged_run_is_named(ledger, column):
    edit(ledger, f"UPDATE runs SET {column} = '\"x\"'")
    store = Ledger(ledger, read_only=True)
    with pytest.raises(LedgerError, match=r"the row of run '.*' is damaged"):
        store.runs()
    assert len(verify_ledger(store).damage) == 1
    store.close()


def test_a_damaged_race_is_not_resumed(ledger, tmp_path):
    (tmp_path / "race.toml").write_text(RACE)
    edit(ledger, "UPDATE batches SET counts = '{\"1000\": 8}' WHERE number = 3")
    with pytest.raises(LedgerError, match="number 3 in batches is damaged"):
        run_race_file(tmp_path / "race.toml", ledger=str(ledger), workers=1)


def test_verdicts_are_checked_against_the_rewards(ledger):
    """Rows whose checksums are right, but which no race could have made."""
    store = Ledger(ledger)
    info = store.run("race")
    writer = store.open_run("race", info.kind, info.config, info.seed, info.versions)
    race = read_race(store, "race")
    writer.decide(race.decisions[0])
    writer.close()
    assert "4 decisions where this race makes 3" in verify_races(store, ["race"])["race"]
    store.close()


def test_random_damage_changes_nothing_in_silence():
    row = trials(150, seed=1)
    assert (row.tried, row.lost) == (150, 0), row.examples
    assert row.cases["reported"] > 75


@given(st.lists(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())))
def test_checksums_are_those_of_the_text_of_the_json_library(values):
    assert json_list(values) == json.dumps(values)


def test_a_run_that_is_being_written_is_sound(ledger, monkeypatch):
    """Rows that come while a ledger is verified are no damage."""
    writer, reader = Ledger(ledger), Ledger(ledger, read_only=True)
    known = writer.run("race")
    heads = Ledger.heads

    def and_then_a_row(self, run_id):
        found = heads(self, run_id)
        if self is reader:
            monkeypatch.setattr(Ledger, "heads", heads)
            opened = writer.open_run("race", known.kind, known.config, known.seed, known.versions)
            opened.record_failure(Batch(999, 1, 0, 8), [], Failure("program", "broken", 0, 1))
            opened.close()
        return found

    monkeypatch.setattr(Ledger, "heads", and_then_a_row)
    assert verify_ledger(reader).damage == {}
    assert verify_ledger(reader).damage == {}
    assert len(list(reader.rows("failures", known.id))) == 1
    writer.close()
    reader.close()

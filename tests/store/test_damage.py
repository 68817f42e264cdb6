"""A damaged ledger is never used in silence: a damaged row is named, or the rows are still those that were recorded."""

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from benchmarks.faults.damage import RACE, look, sound_ledger, trials
from hypothesis import given
from hypothesis import strategies as st

from semeai import Ledger
from semeai.errors import LedgerError
from semeai.race.race import Batch
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race, record_states, verify_races
from semeai.store.checks import json_list
from semeai.store.migrate import migrate
from semeai.store.verify import verify_ledger, verify_run
from semeai.work.jobs import Failure

OLD_LEDGER = Path(__file__).parents[1] / "golden" / "ledger-0.1" / "ledger.sql"
NUMBERS = """
name = "numbers"
[race]
mode = "plain"
max_evaluations = 400
[evaluator]
callable = "tests.programs:score"
better = "higher"
[baseline]
shift = 0.0
[[candidates]]
name = "higher"
shift = 2.0
[[candidates]]
name = "lower"
shift = -2.0
"""


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
        (
            "UPDATE batches SET counts = '{\"1000\": 8}' WHERE number = 3",
            "run 'race': the row with number 3 in batches is damaged",
        ),
        ("UPDATE batches SET seconds = seconds + 1 WHERE number = 0", "row with number 0 in batches is damaged"),
        ("UPDATE batches SET counts = 'nonsense' WHERE number = 2", "number 2 in batches is damaged"),
        ("UPDATE batches SET start = 'text' WHERE number = 2", "number 2 in batches is damaged"),
        ("DELETE FROM batches WHERE number = 2", "run 'race': number 2 is missing in batches"),
        (
            "DELETE FROM batches WHERE number = (SELECT max(number) FROM batches)",
            "batches has .* rows where .* were recorded",
        ),
        ("UPDATE decisions SET verdict = 'accepted' WHERE candidate = 2", "in decisions is damaged"),
        ("UPDATE heads SET updated_at = '2426'", "run 'race': its rows in heads are damaged"),
        ("DELETE FROM decisions", "run 'race': decisions has 0 rows where 3 were recorded"),
        ("UPDATE decisions SET run_id = 7 WHERE number = 1", "number 1 is missing in decisions"),
        ("UPDATE candidates SET params = '{}' WHERE number = 1", "number 1 in candidates is damaged"),
        ("UPDATE totals SET n_tests = n_tests + 1 WHERE candidate = 1", "candidate 1 in totals is damaged"),
        ("DELETE FROM totals WHERE candidate = 1", "run 'race': totals has 2 rows where 3 were recorded"),
        ("UPDATE checkpoints SET pending = '[[1,1,1,1]]'", "in checkpoints is damaged"),
        ("UPDATE heads SET checksums = '00' WHERE table_name = 'batches'", "its rows in heads are damaged"),
        ("UPDATE heads SET digests = '00' WHERE table_name = 'batches'", "its rows in heads are damaged"),
        ("UPDATE heads SET n_rows = n_rows + 1 WHERE table_name = 'totals'", "its rows in heads are damaged"),
        ("DELETE FROM heads WHERE table_name = 'decisions'", "its rows in heads are damaged"),
        ("DELETE FROM heads WHERE table_name = 'heads'", "its rows in heads are damaged"),
        ("DELETE FROM heads", "its rows in heads are damaged"),
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
    with pytest.raises(LedgerError, match=r"the row of run '.*' in runs is damaged"):
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
    row = trials(60, seed=1)
    assert (row.tried, row.lost) == (60, 0), row.examples
    assert row.cases["reported"] > 25


@pytest.fixture(scope="module")
def ledger_of_all_kinds(tmp_path_factory):
    """A ledger with races, matches, an evolution, and a race that compares numbers."""
    folder = tmp_path_factory.mktemp("kinds")
    place = folder / "all.sqlite"
    with sqlite3.connect(place) as connection:
        connection.executescript(OLD_LEDGER.read_text())
    connection.close()
    migrate(str(place), backup=folder / "old.sqlite", say=lambda text: None)
    with contextlib.closing(Ledger(place)) as store:
        record_states(store)
    (folder / "race.toml").write_text(NUMBERS)
    run_race_file(folder / "race.toml", workers=1, ledger=str(place))
    return place


# Each of them leaves rows that look sound one by one.
LOSSES = [
    "DELETE FROM {table} WHERE run_id = {run}",
    "DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table} WHERE run_id = {run})",
    "DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table} WHERE run_id = {run})",
    "DELETE FROM heads WHERE run_id = {run} AND table_name = '{table}'",
    "DELETE FROM {table} WHERE run_id = {run}; DELETE FROM heads WHERE run_id = {run} AND table_name = '{table}'",
    "UPDATE heads SET n_rows = n_rows + 1 WHERE run_id = {run} AND table_name = '{table}'",
    "UPDATE heads SET digests = checksums WHERE run_id = {run} AND table_name = '{table}'",
    "UPDATE {table} SET checksum = (SELECT max(checksum) FROM {table}) WHERE run_id = {run}",
]


@pytest.mark.parametrize(("run", "table"), [
    ("numbers", "candidates"),
    ("numbers", "decisions"),
    ("numbers", "totals"),
    ("numbers", "measurements"),
    ("numbers", "batches"),
    ("match-havannah", "games"),
    ("evolve/step-1", "decisions"),
    ("evolve/step-1/deep", "games"),
])  # fmt: skip
def test_no_command_shows_something_else_after_a_loss(ledger_of_all_kinds, tmp_path, run, table):
    """The commands look at the damaged rows themselves; nothing verifies the ledger before them."""
    place = Path(shutil.copy(ledger_of_all_kinds, tmp_path))
    whole = look(place, [run])
    with contextlib.closing(Ledger(place, read_only=True)) as store:
        run_id = store.run_ids()[run]
    for loss in LOSSES:
        shutil.copy(ledger_of_all_kinds, place)
        with sqlite3.connect(place) as connection:
            connection.executescript(loss.format(run=run_id, table=table))
        connection.close()
        found = look(place, [run])
        assert {command for command, text in found.items() if text not in (None, whole[command])} == set(), loss
        refused = [command for command, text in found.items() if text is None and whole[command] is not None]
        # A digest is of rows that were recorded, so nothing that is shown depends on the rows of batches themselves.
        assert refused or table == "batches", loss


def test_the_digest_of_a_run_is_not_taken_from_a_damaged_row(ledger):
    edit(ledger, "UPDATE heads SET digests = '00' WHERE table_name = 'batches'")
    store = Ledger(ledger, read_only=True)
    with pytest.raises(LedgerError, match="run 'race': its rows in heads are damaged"):
        store.digest(1)
    with pytest.raises(LedgerError, match="run 'race': its rows in heads are damaged"):
        store.last_results()
    store.close()


def test_a_run_that_has_lost_its_row_is_missed(ledger):
    edit(ledger, "DELETE FROM runs")
    store = Ledger(ledger, read_only=True)
    with pytest.raises(LedgerError, match="run 1: its row in runs is missing"):
        store.runs()
    assert "run 1: its row in runs is missing" in verify_ledger(store).damage[""]
    store.close()


def test_random_damage_to_all_kinds_of_runs(ledger_of_all_kinds):
    row = trials(6, seed=2, source=ledger_of_all_kinds)
    assert (row.tried, row.lost) == (6, 0), row.examples
    assert row.cases["reported"] > 1


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

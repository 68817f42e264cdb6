"""A ledger of format 2 is converted, and what is damaged in it stays damaged. Format 1: ``tests/golden``."""

import contextlib
import sqlite3

import pytest
from benchmarks.faults.damage import sound_ledger

from semeai import Ledger
from semeai.errors import LedgerError
from semeai.runs.resume import read_race, record_states
from semeai.store.migrate import migrate
from semeai.store.verify import verify_ledger

TO_FORMAT_2 = """
ALTER TABLE heads DROP COLUMN checksum;
DELETE FROM heads WHERE table_name IN ('heads', 'totals');
UPDATE about SET value = '2';
"""


@pytest.fixture
def place(tmp_path):
    return sound_ledger(tmp_path)


def edit(place, statements):
    with sqlite3.connect(place) as connection:
        connection.executescript(statements)
    connection.close()


def convert(place):
    """Convert the ledger, as the command does. Returns what was said."""
    said = []
    assert migrate(str(place), backup=place.with_name("kept.sqlite"), say=said.append)
    return said


def test_a_ledger_of_format_2_is_converted(place):
    with contextlib.closing(Ledger(place)) as store:
        before = store.digest(1), store.last_results(), read_race(store, "race").decisions
    edit(place, TO_FORMAT_2)
    with pytest.raises(LedgerError, match=r"has ledger format 2.*`semeai migrate"):
        Ledger(place, read_only=True)
    convert(place)
    with contextlib.closing(Ledger(place)) as store:
        record_states(store)
        assert (store.digest(1), store.last_results(), read_race(store, "race").decisions) == before
        assert verify_ledger(store).damage == {}
    assert not migrate(str(place), backup=None, say=print)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM batches WHERE number = 1",
        "DELETE FROM decisions",
        "UPDATE heads SET digests = checksums",
        "UPDATE batches SET size = size + 1 WHERE number = 1",
    ],
)
def test_damage_is_not_made_sound(place, damage):
    edit(place, TO_FORMAT_2 + damage)
    assert "run 'race' is damaged: its rows are not those that were recorded" in convert(place)
    with contextlib.closing(Ledger(place)) as store, pytest.raises(LedgerError, match="run 'race': its rows in heads"):
        store.digest(1)

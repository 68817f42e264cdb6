"""Ctrl-C at moments when no driver runs yet, or for the third time."""

import pytest

from semeai import Ledger, run_race
from semeai.runs import driver, race
from tests import programs
from tests.observers import Watching

COINS = [{"p": 0.5}, {"p": 0.6}]


@pytest.fixture
def place(tmp_path):
    return {"ledger": str(tmp_path / "l.sqlite"), "name": "r"}


def state_of(place):
    store = Ledger(place["ledger"])
    found = store.state(store.run("r"))
    store.close()
    return found


def test_before_the_driver_runs_it_is_the_callers(place, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(race, "RaceDriver", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_race(programs.coin, COINS, **place)
    assert state_of(place) == "interrupted"
    monkeypatch.undo()
    assert run_race(programs.coin, COINS, **place).finished


def test_the_third_signal_ends_a_kept_run_without_an_error(place):
    def third(made: driver.RaceDriver):
        raise KeyboardInterrupt

    result = run_race(programs.coin, COINS, **place, observer=Watching(decision=third))
    assert not result.finished
    assert state_of(place) == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        run_race(programs.coin, COINS, observer=Watching(decision=third))

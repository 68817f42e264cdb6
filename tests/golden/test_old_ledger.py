"""A ledger of semeai 0.1.0 can be converted, read and resumed to the same rows, and its games can be played again.

``ledger-0.1/ledger.sql`` is a dump of it, made with the race files in the same folder. It must never be made again.
"""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from semeai.errors import LedgerError
from semeai.evolve.config import load_evolution
from semeai.evolve.history import read_history
from semeai.evolve.loop import run_evolution
from semeai.match.match import Match
from semeai.match.run import run_match
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race, record_states, verify_races
from semeai.runs.run import Place
from semeai.store.ledger import Ledger
from semeai.store.migrate import migrate
from semeai.store.verify import verify_ledger

OLD = Path(__file__).parent / "ledger-0.1"
DIGESTS = {"callable": "bd070e395d40e0ec", "command": "1e88e5624abc0dc9", "match": "6a36dde3272e85b8"}
DECIDED = ("candidate", "verdict", "after_batch", "n_evaluations", "total_reward", "n_tests")
PLAYED = ("number", "seed", "reward", "reason", "result", "n_moves", "simulations_a", "simulations_b", "sgf")


@pytest.fixture
def folder(tmp_path):
    for file in OLD.iterdir():
        shutil.copy(file, tmp_path)
    with sqlite3.connect(tmp_path / "old.sqlite") as connection:
        connection.executescript((OLD / "ledger.sql").read_text())
    connection.close()
    return tmp_path


def digest_0_1(place, name):
    """Return the digest of a race as semeai 0.1.0 defined it."""
    store = Ledger(place)
    digest = hashlib.sha256()
    identity = {
        "candidates": ("number", "name", "params"),
        "batches": ("number", "candidate", "start", "size", "counts"),
        "decisions": DECIDED,
    }
    for table, names in identity.items():
        found = [[row[name] for name in names] for row in store.rows(table, store.run(name).id)]
        for row in sorted(found) if table == "decisions" else found:
            digest.update(json.dumps(row).encode())
    store.close()
    return digest.hexdigest()[:16]


def convert(folder):
    """Convert the old ledger. Returns its place."""
    place = folder / "old.sqlite"
    assert migrate(str(place), backup=folder / "kept.sqlite", say=lambda text: None)
    store = Ledger(place)
    record_states(store)
    store.close()
    return place


def forget(folder, name, **limits):
    """Remove a run's rows from some number on, as if semeai 0.1.0 had been killed there."""
    with sqlite3.connect(folder / "old.sqlite") as connection:
        (run_id,) = connection.execute("SELECT id FROM runs WHERE name = ?", (name,)).fetchone()
        for table, column, first in limits.values():
            connection.execute(f"DELETE FROM {table} WHERE run_id = ? AND {column} >= ?", (run_id, first))
        connection.execute("UPDATE runs SET state = 'running' WHERE id = ?", (run_id,))
    connection.close()


def rows(folder, table, name, columns):
    store = Ledger(folder / "old.sqlite")
    found = [{column: row[column] for column in columns} for row in store.rows(table, store.run(name).id)]
    store.close()
    return found


@pytest.mark.parametrize("name", ["callable", "command", "match"])
def test_a_race_is_converted_with_all_it_had(folder, name):
    place = convert(folder)
    assert digest_0_1(place, name) == DIGESTS[name]
    store = Ledger(place, read_only=True)
    assert read_race(store, name).finished
    report = verify_ledger(store)
    assert not report.damage
    assert not verify_races(store, report.n_rows)
    store.close()
    assert not migrate(str(place), backup=folder / "other.sqlite", say=lambda text: None)


HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a+")
fcntl.lockf(file, fcntl.LOCK_EX)  # as semeai 0.1.0 did
print("held", flush=True)
sys.stdin.read()
"""


def test_a_ledger_that_semeai_0_1_writes_is_not_converted(folder):
    place = folder / "old.sqlite"
    command = [sys.executable, "-c", HOLD, f"{place}.1.lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"held\n"
        with pytest.raises(LedgerError, match=r"run 'callable' is being written by semeai 0\.1: stop it first"):
            convert(folder)
        writer.stdin.close()
    convert(folder)  # the file alone is no lock


def test_the_copy_is_the_old_ledger(folder):
    with sqlite3.connect(folder / "old.sqlite") as connection:
        before = list(connection.iterdump())
    convert(folder)
    with sqlite3.connect(folder / "kept.sqlite") as connection:
        assert list(connection.iterdump()) == before


@pytest.mark.parametrize("name", ["callable", pytest.param("command", marks=pytest.mark.slow), "match"])
def test_a_race_is_resumed_to_the_same_rows(folder, name):
    forget(folder, name, batches=("batches", "number", 2), decisions=("decisions", "after_batch", 2))
    place = convert(folder)
    result = run_race_file(folder / f"{name}.toml", ledger=str(place), workers=2)
    assert result.finished
    assert digest_0_1(place, name) == DIGESTS[name]


@pytest.mark.parametrize(
    ("name", "players", "settings", "seed"),
    [
        ("match-havannah", ("mcts:fast,simulations=10", "random"), {"game": "havannah", "size": 3}, 1),
        (
            "match-5b756507da",
            ("mcts:database=own,simulations=10", "mcts:rave,simulations=10"),
            {"size": 5, "opening_moves": 1},
            7,
        ),
    ],
)
def test_a_match_plays_the_same_games(folder, name, players, settings, seed):
    settings = MatchSettings(**settings)
    specs = (parse_spec(words, game=settings.game) for words in players)
    # The default player had the database then, and the records of games have the players' labels.
    specs = (replace(spec, label=spec.label.replace("database=own,", "")) for spec in specs)
    match = Match(*specs, settings, seed)
    with sqlite3.connect(folder / "old.sqlite") as connection:
        where = "run_id = (SELECT id FROM runs WHERE name = ?)"
        query = f"SELECT {', '.join(PLAYED)} FROM games WHERE {where} ORDER BY number"
        before = [dict(zip(PLAYED, row, strict=True)) for row in connection.execute(query, (name,))]
    connection.close()
    forget(folder, name, games=("games", "number", 2))
    convert(folder)
    run_match(match, len(before), Place(str(folder / "old.sqlite"), "inline"), name=name)
    assert rows(folder, "games", name, PLAYED) == before


@pytest.mark.slow
def test_an_evolution_is_read_and_resumed(folder):
    """The old ledger has no rows of proposals, so what was proposed is known by the names of candidates."""
    whole = folder / "whole"
    whole.mkdir()
    shutil.copy(folder / "old.sqlite", whole)
    store = Ledger(convert(whole))
    old = read_history(store, "evolve")
    digests = {run.name: store.digest(run.id) for run in store.runs()}
    store.close()
    accepted = [str(change) for _, change in old.accepted()]
    assert accepted == ["policy.pattern_visits=0.0555"]
    place = folder / "old.sqlite"
    forget(folder, "evolve/step-1", batches=("batches", "number", 1), decisions=("decisions", "after_batch", 1))
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM runs WHERE name LIKE 'evolve/step-2%'")
    connection.close()
    convert(folder)
    config = load_evolution(folder / "evolve.toml")
    result = run_evolution(config, folder, Place(str(place), workers=2), name="evolve", output=folder / "out")
    assert result.finished
    assert [str(change) for _, change in result.history.accepted()] == accepted
    store = Ledger(place)
    assert {run.name: store.digest(run.id) for run in store.runs()} == digests
    (row,) = (row for row in store.rows("proposals", store.run("evolve").id) if row["number"] == 1)
    assert json.loads(row["change"])["kind"] in ("pattern", "number")
    store.close()

"""``semeai retry``: a repaired candidate races on, and the ledger tells the story."""

import subprocess
import sys

import pytest

from semeai import Ledger
from semeai.errors import ConfigError, RunLocked
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race, reopen, verify_races

PROGRAM = """
import random, pathlib
def play(params, seed):
    if params["p"] == 0.9 and not (pathlib.Path(__file__).parent / "repaired").exists():
        raise RuntimeError("not yet")
    return float(random.Random(seed).random() < params["p"])
"""
RACE = """
[race]
mode = "{mode}"
[evaluator]
callable = "program:play"
[[candidates]]
name = "broken"
p = 0.9
[[candidates]]
name = "bad"
p = 0.2
"""


def semeai(folder, *words):
    return subprocess.run([sys.executable, "-m", "semeai", *words], cwd=folder, capture_output=True, text=True)


@pytest.fixture(params=["plain", "bgp", "stream"])
def folder(request, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "race.toml").write_text(RACE.format(mode=request.param))
    result = run_race_file(tmp_path / "race.toml", workers=1)
    assert [s.verdict.value for s in result.standings] == ["failed", "discarded"]
    return tmp_path


def test_a_repaired_candidate_races_on(folder):
    (folder / "repaired").touch()
    done = semeai(folder, "retry", "race", "broken")
    assert (done.returncode, done.stdout) == (0, "broken races on when the race is started again\n"), done.stderr
    store = Ledger(folder / "semeai.sqlite", read_only=True)
    assert [s.verdict.value for s in read_race(store, "race").standings] == ["undecided", "discarded"]
    store.close()
    done = semeai(folder, "race", "race.toml", "--workers", "1")
    assert "accepted: broken" in done.stdout, done.stderr
    store = Ledger(folder / "semeai.sqlite", read_only=True)
    rows = [(row["candidate"], row["verdict"]) for row in store.rows("decisions", 1) if row["candidate"] == 1]
    assert rows == [(1, "failed"), (1, "reopened"), (1, "accepted")]
    assert verify_races(store, ["race"]) == {}
    assert [s.verdict.value for s in read_race(store, "race").standings] == ["accepted", "discarded"]
    store.close()
    assert semeai(folder, "check").returncode == 0


def test_a_candidate_that_fails_again_has_failed_again(folder):
    assert semeai(folder, "retry", "race", "broken").returncode == 0
    result = run_race_file(folder / "race.toml", workers=1)
    assert [s.verdict.value for s in result.standings] == ["failed", "discarded"]
    assert [d.verdict.value for d in result.decisions if d.candidate == 1] == ["failed", "reopened", "failed"]


def test_mistakes_are_named(folder):
    store = Ledger(folder / "semeai.sqlite")
    with pytest.raises(ConfigError, match="candidate 'bad' is discarded, not failed"):
        reopen(store, "race", ["bad"])
    with pytest.raises(ConfigError, match="no candidate 'borken': did you mean 'broken'"):
        reopen(store, "race", ["borken"])
    info = store.run("race")
    writer = store.open_run("race", info.kind, info.config, info.seed, {})
    with pytest.raises(RunLocked):
        reopen(store, "race", ["broken"])
    writer.close()
    store.close()

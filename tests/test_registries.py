"""Names that others add: one registration each, and everything derived from it follows."""

import importlib
import os
import subprocess
import sys

import pytest

from semeai import RaceSettings, Verdict, run_race, run_race_file
from semeai.errors import ConfigError
from semeai.evolve.config import checked_evolution
from semeai.evolve.loop import run_evolution
from semeai.evolve.proposers import PROPOSERS
from semeai.models import checked
from semeai.race.methods import METHODS
from semeai.race.selection import SELECTION_RULES
from semeai.registry import Registry
from semeai.runs.run import Place
from semeai.work.evaluators import EVALUATORS
from semeai.work.executors import EXECUTORS
from tests import programs

REGISTRIES = (METHODS, SELECTION_RULES, EXECUTORS, PROPOSERS, EVALUATORS)


@pytest.fixture(scope="module", autouse=True)
def outside():
    """What another package registers, for the tests of this file only."""
    yield importlib.import_module("tests.outside")
    for registry in REGISTRIES:
        for name in [name for name in registry._entries if name.startswith("toy")]:
            del registry._entries[name]


COINS = [{"p": 0.2}, {"p": 0.9}]


def test_a_race_method_and_a_selection_rule_from_outside():
    settings = {"method": "toy_mean", "mode": "plain", "selection": "toy_last", "width": 1, "lookahead": 1}
    result = run_race(programs.coin, COINS, settings)
    assert [s.verdict for s in result.standings] == [Verdict.DISCARDED, Verdict.ACCEPTED]
    assert [d.candidate for d in result.decisions] == [2, 1]
    with pytest.raises(ConfigError, match="method 'toy_mean' has no coverage"):
        checked(RaceSettings, {"method": "toy_mean", "coverage": True})
    with pytest.raises(ConfigError, match="method: 'toy_man' is unknown; did you mean 'toy_mean'"):
        checked(RaceSettings, {"method": "toy_man"})


def test_an_executor_from_outside():
    usual, other = (run_race(programs.coin, COINS, workers=2, executor=name) for name in ("inline", "toy_threads"))
    assert [s.counts for s in usual.standings] == [s.counts for s in other.standings]
    with pytest.raises(ConfigError, match="no executor 'toy_thread': did you mean 'toy_threads'"):
        run_race(programs.coin, COINS, executor="toy_thread")


def test_an_evaluator_from_outside_in_a_race_file_on_workers(tmp_path):
    (tmp_path / "race.toml").write_text(
        "[race]\naccept_above = 0.5\ndiscard_below = 0.7\n[evaluator]\ntoy_threshold = 1.0\n"
        "[executor]\nworkers = 2\n[candidates.grid]\np = [0.2, 0.95]\n"
    )
    assert [c.name for c in run_race_file(tmp_path / "race.toml").accepted] == ["p=0.95"]
    (tmp_path / "race.toml").write_text("[evaluator]\ntoy_treshold = 1\n[candidates.grid]\np = [0.2]\n")
    with pytest.raises(ConfigError, match=r"evaluator\.toy_treshold: unknown key; did you mean 'toy_threshold'"):
        run_race_file(tmp_path / "race.toml")


def test_a_proposer_from_outside(tmp_path):
    data = {
        "steps": 1,
        "candidates": 2,
        "sample": 0,
        "player": {"player": "mcts:fast", "simulations": 8, "policy.patterns": ["-1 *_"]},
        "match": {"game": "havannah", "size": 3},
        "race": {"accept_above": 0.5, "discard_below": 0.6, "max_per_candidate": 20},
        "proposers": [{"kind": "toy_halves"}],
        "validation": {"games": 0, "deep_games": 0, "opponent_games": 0},
    }
    place = Place(str(tmp_path / "l.sqlite"), "inline")
    result = run_evolution(checked_evolution(data), tmp_path, place, name="e", output=tmp_path / "e")
    assert list(result.history.by_proposer()) == ["toy_halves"]
    with pytest.raises(ConfigError, match=r"proposers\.0\.seting: unknown key; did you mean 'setting'"):
        checked_evolution({**data, "proposers": [{"kind": "toy_halves", "seting": "x"}]})


@pytest.mark.slow
def test_a_game_from_outside_is_played_by_workers(tmp_path):
    """The workers import the script, as they import every module that has registered something."""
    script = tmp_path / "script.py"
    script.write_text(
        "from semeai import play_match, register_game\nfrom tests.toy_game import ToyGame\n\n"
        "register_game(ToyGame())\n\nif __name__ == '__main__':\n"
        "    result = play_match('mcts:simulations=20', 'random', 4, settings={'game': 'toy'}, workers=2)\n"
        "    print(result.finished, result.failures)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True []\n"


def test_a_collision_is_an_error(outside):
    known = Registry("thing", "semeai.things")
    known.add_lazily("a", "math:pi")
    known.add("b", outside.threads)
    for name in ("a", "b"):
        with pytest.raises(ConfigError, match=f"there is a thing named '{name}' already"):
            known.add(name, outside.last_alive)
        with pytest.raises(ConfigError, match="already"):
            known.add_lazily(name, "math:e")
    assert known.add("b", outside.threads) is outside.threads
    assert (list(known), len(known), "c" in known) == (["a", "b"], 2, False)
    assert known["a"] == pytest.approx(3.14159, abs=1e-4)
    with pytest.raises(ConfigError, match="no thing 'd': known: a, b"):
        known["d"]


def test_a_package_registers_by_an_entry_point(tmp_path):
    """An installed package needs no import by anybody: its name is found where it is used."""
    (tmp_path / "plugin.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\n\n\ndef pool(workers):\n    return ThreadPoolExecutor(1)\n"
    )
    info = tmp_path / "plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[semeai.executors]\nplugged = plugin:pool\n")
    code = (
        "from semeai import run_race\nfrom tests.programs import coin\n"
        "print(run_race(coin, [{'p': 0.9}], executor='plugged').accepted)"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "p=0.9" in done.stdout
    assert "plugged" not in EXECUTORS

"""Commands on a real dask cluster: the same results as in one process, and what Ctrl-C and certificates do there."""

import shlex
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.store.ledger import Ledger
from tests.clusters import until
from tests.evolve.small import SMALL

pytestmark = pytest.mark.slow
pytest.importorskip("distributed")

COMMANDS = {
    "match": "match mcts:fast,simulations=5 random --game havannah --size 3 --games 6",
    "evolve": "evolve small.toml --steps 1 --output grown",
    "learn from self-play": "learn --self-play 4 --size 4 --simulations 5 --player mcts:rave,memory_mb=1 --min-seen 3 "
    "--patterns-only -o ae.npz",
    "reproduce": "reproduce scaling-havannah --games 2 --size 3 --simulations 5",
}


def digests(words):
    """Run a command. Returns the digests of all its runs by name."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    ledger = Ledger(words[-1], read_only=True)
    found = {run.name: ledger.digest(run.id) for run in ledger.runs()}
    ledger.close()
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_the_same_on_a_cluster(dask_cluster, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    words = shlex.split(COMMANDS[command])
    there = digests([*words, "--executor", dask_cluster.address, "--ledger", "there.sqlite"])
    assert there
    assert there == digests([*words, "--executor", "inline", "--ledger", "here.sqlite"])
    assert dask_cluster.n_tasks() == 0


def test_a_second_ctrl_c_drops_what_workers_do(dask_cluster, tmp_path):
    (tmp_path / "race.toml").write_text('[evaluator]\ncallable = "endless:play"\n[[candidates]]\np = 0.5\n')
    (tmp_path / "endless.py").write_text("import time\n\ndef play(params, seed):\n    time.sleep(1000)\n")
    command = [sys.executable, "-m", "semeai", "race", "race.toml", "--executor", dask_cluster.address]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until(lambda: dask_cluster.n_tasks() > 0)
    process.send_signal(signal.SIGINT)
    assert "Ctrl-C again: drop them" in next(line for line in process.stdout if "stopping" in line)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert dask_cluster.n_tasks() == 0

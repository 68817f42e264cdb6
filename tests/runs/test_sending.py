"""Functions on their way to worker processes: from scripts, notebooks and shells, and those that cannot be sent."""

import importlib
import subprocess
import sys
import textwrap
import threading

import pytest

from semeai import run_race
from semeai.errors import ConfigError
from semeai.work.evaluators import CallableEvaluator
from semeai.work.packing import pack
from tests import programs

SCRIPT = """
import random
from semeai import run_race

EDGE = 0.0

def play(params, seed):
    return float(random.Random(seed).random() + EDGE < params["x"])

result = run_race(play, [{"x": 0.2}, {"x": 0.8}], {"mode": "plain"}, workers=2)
print("verdicts:", *[s.verdict.value for s in result.standings])
"""
COINS = [{"p": 0.3}, {"p": 0.8}]


def python(*arguments, stdin=None):
    return subprocess.run([sys.executable, *arguments], input=stdin, capture_output=True, text=True, timeout=300)


def script(tmp_path, text):
    (tmp_path / "script.py").write_text(text)
    return python(tmp_path / "script.py")


def assert_raced(done):
    assert done.returncode == 0, done.stderr
    assert "verdicts: discarded accepted" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_command_line():
    done = python("-c", SCRIPT)
    assert_raced(done)
    assert done.stderr == ""


def test_a_script_on_standard_input():
    done = python("-", stdin=SCRIPT)
    assert_raced(done)
    assert done.stderr == ""


def test_a_shell():
    assert_raced(python("-i", "-q", stdin=SCRIPT))


def test_a_script_without_a_main_guard_runs_once(tmp_path):
    done = script(tmp_path, SCRIPT + "print('once')\n")
    assert_raced(done)
    assert done.stdout.count("once") == 1
    assert done.stderr == ""


def test_a_script_that_registers_something_needs_its_main_guard(tmp_path):
    """Workers must run it again to know what it registers."""
    registers = "from semeai.work.executors import EXECUTORS\nEXECUTORS.add('mine', EXECUTORS['local'])\n"
    done = script(tmp_path, registers + SCRIPT)
    assert done.returncode == 1
    assert "must do its work below `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1  # that of the script itself
    head, call = SCRIPT.split("result = ")
    guarded = f"{registers}{head}if __name__ == '__main__':\n{textwrap.indent('result = ' + call, '    ')}"
    assert_raced(script(tmp_path, guarded))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own libraries
def test_a_notebook():
    import nbclient
    import nbformat

    cells = [nbformat.v4.new_code_cell(SCRIPT), nbformat.v4.new_code_cell("EDGE = 1.0\n" + SCRIPT.split("\n\n")[-1])]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    # A busy kernel sends what a cell prints in several parts.
    assert ["".join(output["text"] for output in cell["outputs"]) for cell in cells] == [
        "verdicts: discarded accepted\n",
        "verdicts: discarded discarded\n",  # what the second cell has changed reaches the workers
    ]


def test_lambdas_and_inner_functions():
    reward = 1.0

    def inner(params, seed):
        return reward

    for function in (inner, lambda params, seed: 1.0):
        assert run_race(function, [{"x": 1}], workers=2).accepted


def test_what_workers_can_import_is_sent_by_name():
    assert len(pack(CallableEvaluator(programs.coin)).data) < 200
    assert b"random" not in pack(CallableEvaluator(programs.coin)).data


def test_what_cannot_be_sent_is_refused_before_the_first_job():
    lock = threading.Lock()
    with pytest.raises(ConfigError, match=r"cannot be sent to workers \(TypeError: .*lock.*use a function of a module"):
        run_race(lambda params, seed: lock.locked(), [{"x": 1}], workers=2)


def test_a_program_that_workers_cannot_load_ends_the_run(tmp_path, monkeypatch):
    """It is nobody's failure: not one evaluation has run."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "only_driver_has_it.py").write_text("def play(params, seed):\n    return 1.0\n")
    play = importlib.import_module("only_driver_has_it").play
    (tmp_path / "only_driver_has_it.py").unlink()
    with pytest.raises(
        ConfigError, match=r"a worker cannot load the program: ModuleNotFoundError: .*only_driver_has_it"
    ):
        run_race(play, COINS, workers=2)

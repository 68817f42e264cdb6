"""A race on a real SLURM, over two jobs, of which one is cancelled."""

import importlib.util
import os
import subprocess
import threading

import pytest

import semeai
from semeai.errors import WorkersLost
from tests.clusters import until
from tests.slurm import jobs, slurm

# Not importorskip: the import of dask_jobqueue would replace the handler of Ctrl-C for all tests of this process.
pytestmark = pytest.mark.skipif(importlib.util.find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue")

RACE = """
[race]
mode = "plain"
max_per_candidate = 1000
[evaluator]
callable = "program:play"
[[candidates]]
p = 0.45
[[candidates]]
p = 0.55
[executor]
name = "slurm"
queue = "main"
walltime = "00:10:00"
cores = 1
memory = "500MB"
jobs = [0, 2]
options = { interface = "lo", job_directives_skip = ["--mem"] }
"""
PROGRAM = """
import os, random, time

def play(params, seed):
    if "SLURM_JOB_ID" in os.environ:  # the same race on this machine needs no time
        time.sleep(0.005)
    return float(random.Random(seed).random() < params["p"])
"""


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch):
    monkeypatch.setattr("semeai.work.cluster.jobs.LOOK_SECONDS", 0.5)


@pytest.mark.slow
def test_a_race_over_two_jobs_survives_scancel(tmp_path, monkeypatch):
    folder = tmp_path / "race"
    folder.mkdir()
    monkeypatch.chdir(folder)  # SLURM writes the output of jobs here
    (folder / "race.toml").write_text(RACE)
    (folder / "program.py").write_text(PROGRAM)
    with slurm(tmp_path / "slurm") as environment:
        for name in environment.keys() - os.environ.keys():
            monkeypatch.setenv(name, environment[name])
        cancelled = []

        class Cancelling(semeai.Observer):
            thread = None

            def progress(self, driver):
                if self.thread is None and driver.race.n_evaluations > 100:
                    self.thread = threading.Thread(target=self.cancel)
                    self.thread.start()

            def cancel(self):
                until(lambda: len(jobs(environment)) == 2)
                cancelled.append(jobs(environment)[0])
                subprocess.run(["scancel", cancelled[0]], env=environment, check=True)

        observer = Cancelling()
        # Without a worker at first: the work that waits brings both jobs.
        on_slurm = semeai.run_race_file(folder / "race.toml", observer=observer)
        observer.thread.join()
        until(lambda: not jobs(environment))  # it leaves no job behind
    local = semeai.run_race_file(folder / "race.toml", ledger=str(tmp_path / "l.sqlite"), executor="local", workers=2)
    assert cancelled
    assert on_slurm.finished
    assert on_slurm.digest == local.digest


def executor(folder, **changes):
    """Write a race file with other settings of its executor, and return it."""
    lines = RACE.splitlines()
    for key, value in changes.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
    (folder / "race.toml").write_text("\n".join(lines) + "\n")
    (folder / "program.py").write_text(PROGRAM)
    return folder / "race.toml"


@pytest.mark.slow
def test_jobs_that_end_are_replaced_and_jobs_that_cannot_work_are_one_sentence(tmp_path, monkeypatch):
    folder = tmp_path / "race"
    folder.mkdir()
    monkeypatch.chdir(folder)  # SLURM writes the output of jobs here
    with slurm(tmp_path / "slurm") as environment:
        for name in environment.keys() - os.environ.keys():
            monkeypatch.setenv(name, environment[name])
        path = executor(folder, max_per_candidate=500, jobs=1)
        cancelled = []

        class Cancelling(semeai.Observer):
            def progress(self, driver):
                if not cancelled and driver.race.n_evaluations > 50:
                    cancelled.extend(jobs(environment))
                    subprocess.run(["scancel", *cancelled], env=environment, check=True)

        replaced = semeai.run_race_file(path, observer=Cancelling())
        assert len(cancelled) == 1  # it was the only one
        assert replaced.finished
        path = executor(folder, queue='"nowhere"')
        with pytest.raises(WorkersLost, match=r"slurm takes no job: sbatch: .*: nowhere"):
            semeai.run_race_file(path, ledger=str(tmp_path / "a.sqlite"))
        path = executor(
            folder, options='{ interface = "lo", job_directives_skip = ["--mem"], python = "/bin/false" }', jobs=1
        )
        with pytest.raises(WorkersLost, match="3 jobs of slurm in a row have ended before a worker answered"):
            semeai.run_race_file(path, ledger=str(tmp_path / "b.sqlite"))
        until(lambda: not jobs(environment))

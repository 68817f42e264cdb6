"""What a cluster adds to the contract of executors: machines that come, go, hang and lie; a shared scheduler.

Each run is compared with the same run on one worker of this machine: the digest must be the same.
"""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import semeai
from semeai.cli.app import app
from semeai.cli.main import run
from semeai.errors import ConfigError
from semeai.stats.counts import RewardCounts
from semeai.work.cluster.connect import connect
from semeai.work.cluster.settings import ExecutorTable
from semeai.work.evaluators import CallableEvaluator
from semeai.work.jobs import Job, run_job
from semeai.work.packing import pack
from tests import programs
from tests.clusters import cluster, free_port, self_signed, until
from tests.store.test_server import postgres_url, server  # noqa: F401 - fixtures
from tests.tiny_kernel import NeedsKernel

pytestmark = pytest.mark.slow
pytest.importorskip("distributed")

SETTINGS = {"mode": "plain", "max_per_candidate": 400, "accept_above": 0.55, "discard_below": 0.6}
RACE = """
[race]
mode = "plain"
max_per_candidate = 400
accept_above = 0.55
discard_below = 0.6
[evaluator]
callable = "tests.programs:slow_coin"
[candidates.grid]
p = [0.4, 0.5, 0.7]
seconds = [0.002]
"""
PATIENCE = "semeai.work.cluster.connect.CONNECT_SECONDS"


def jobs_of(function, params, n, size=50, **more):
    evaluator = pack(CallableEvaluator(function))
    return [Job(evaluator, "c", params, 12345, size * i, size, **more) for i in range(n)]


def collect(pool, n, seconds=300):
    results, deadline = {}, time.monotonic() + seconds
    while len(results) < n and time.monotonic() < deadline:
        results.update((i, answers[0]) for i, answers in pool.wait(1))
    return results


def race(place, executor, function=programs.slow_coin, observer=None):
    candidates = [{"p": p, "seconds": 0.002} for p in (0.4, 0.5, 0.7)]
    return semeai.run_race(
        function, candidates, SETTINGS, ledger=str(place), name="r", workers=2, executor=executor, timeout=300,
        observer=observer,
    )  # fmt: skip


@pytest.fixture(scope="module")
def digest(tmp_path_factory):
    """The digest of the race on one local worker."""
    found = race(tmp_path_factory.mktemp("one") / "l.sqlite", "local")
    assert found.finished
    return found.digest


class Once(semeai.Observer):
    """Calls a function once, in another thread, when some results are there."""

    def __init__(self, function, after=200):
        self.function, self.after, self.thread = function, after, None

    def progress(self, driver):
        if self.thread is None and driver.race.n_evaluations >= self.after:
            self.thread = threading.Thread(target=self.function)
            self.thread.start()


def worker_pids(found):
    return list(found.ask(lambda client: client.run(os.getpid)).values())


def test_killed_workers_cost_only_a_second_run(dask_cluster, tmp_path, digest):
    observer = Once(lambda: os.kill(worker_pids(dask_cluster)[0], signal.SIGKILL))
    result = race(tmp_path / "l.sqlite", dask_cluster.address, observer=observer)
    assert observer.thread is not None
    assert result.digest == digest
    assert dask_cluster.n_tasks() == 0


def test_a_program_that_crashes_or_hangs_costs_no_worker(dask_cluster):
    until(lambda: len(worker_pids(dask_cluster)) == 2)  # an earlier test may have killed one
    pids = sorted(worker_pids(dask_cluster))
    with dask_cluster.pool() as pool:
        pool.begin(CallableEvaluator(programs.bad_end))
        (hanging,) = jobs_of(programs.bad_end, {"how": "hang in C"}, 1, time_limit=0.5)
        (crashing,) = jobs_of(programs.bad_end, {"how": "segfault"}, 1)
        ids = [pool.submit([job]) for job in (hanging, crashing)]
        results = collect(pool, 2)
        assert "no answer within 0.5 s" in results[ids[0]].failure.message
        assert "kills its worker (exit status -11 (SIGSEGV))" in results[ids[1]].failure.message
        assert {results[i].failure.kind for i in ids} == {"program"}
    assert sorted(worker_pids(dask_cluster)) == pids


def test_a_task_that_kills_its_workers_is_a_failing_program(dask_cluster):
    (deadly,) = jobs_of(programs.kills_the_supervisor, {}, 1)
    fine = jobs_of(programs.coin, {"p": 0.5}, 3)
    with dask_cluster.pool() as pool:
        pool.begin(CallableEvaluator(programs.coin))
        first = pool.submit([deadly, fine[0]])
        others = [pool.submit([job]) for job in fine]
        results = {}
        until(lambda: results.update(pool.wait(1)) or len(results) == 4, 120)
    assert results[first][0].failure.kind == "program"
    assert "it kills its worker" in results[first][0].failure.message
    assert results[first][1].counts == results[others[0]][0].counts == run_job(fine[0]).counts


def test_a_task_that_kills_its_worker_gives_the_digest_of_one_that_crashes(dask_cluster, tmp_path):
    settings = {**SETTINGS, "batch": 1, "lookahead": 1, "max_per_candidate": 10}
    found = [
        semeai.run_race(
            programs.kills_its_worker, [{"p": 0.5}, {"p": 1.0}], settings, workers=2, executor=executor,
            ledger=str(tmp_path / f"{executor[:4]}.sqlite"), name="r",
        )
        for executor in ("local", dask_cluster.address)
    ]  # fmt: skip
    here, there = ([failure.message for failure in result.failures] for result in found)
    assert "exit status -11" in here[0]
    assert "workers were lost with it" in there[0]
    assert found[0].digest == found[1].digest


def test_the_work_has_one_thread_for_numba_and_linear_algebra(dask_cluster):
    with dask_cluster.pool() as pool:
        pool.begin(CallableEvaluator(programs.has_one_thread))
        pool.submit(jobs_of(programs.has_one_thread, {}, 1, 4))
        assert collect(pool, 1)[0].counts == RewardCounts.of(wins=4)


def test_kernels_are_compiled_by_one_process_of_a_machine(tmp_path):
    notes = tmp_path / "notes"
    with cluster(tmp_path / "c", 3, SEMEAI_CACHE_DIR=str(tmp_path / "kernels")) as found, found.pool() as pool:
        pool.begin(NeedsKernel(str(notes)))
        until(lambda: pool.wait(0.1) or pool.slots == 3)
        jobs = jobs_of(programs.slow_coin, {"p": 0.5, "seconds": 0.01}, 6, size=20)
        for job in jobs:
            pool.submit([job])
        assert len(collect(pool, 6)) == 6
    assert sorted(notes.read_text().split()) == ["0", "0", "1"]


def test_a_driver_on_a_cluster_writes_to_postgresql(dask_cluster, server, digest):  # noqa: F811
    assert race(server, dask_cluster.address).digest == digest


def test_workers_that_come_later_are_used_and_those_that_hang_are_given_up(tmp_path, digest):
    with cluster(tmp_path / "c", 0, DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="1s") as found:  # dask waits five at least
        first = found.start_worker(nanny=False)
        pools = []

        class Replacing(semeai.Observer):
            def progress(self, driver):
                if not pools and driver.race.n_evaluations >= 200:
                    pools.append(driver.pool)
                    found.kill(first, signal.SIGSTOP)
                    found.start_worker(nanny=False)

        result = race(tmp_path / "l.sqlite", found.address, observer=Replacing())
        assert result.digest == digest
        assert pools[0].n_lost == 1


def test_a_worker_with_other_sources_is_left_out_although_its_version_is_the_same(tmp_path, digest):
    copy = tmp_path / "other" / "semeai"
    shutil.copytree(Path(semeai.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with open(copy / "work" / "jobs.py", "a") as file:
        file.write("\n# another program\n")
    warnings = []

    class Warned(semeai.Observer):
        def warning(self, text):
            warnings.append(text)

    with cluster(tmp_path / "c", 0) as found:
        found.start_worker(nanny=False, path=copy.parent)
        until(lambda: len(worker_pids(found)) == 1)
        with pytest.raises(ConfigError, match=r"does not fit: it has semeai 0\.1\.0, sources \w+, and this machine"):
            race(tmp_path / "refused.sqlite", found.address)
        found.start_worker(nanny=False)
        until(lambda: len(worker_pids(found)) == 2)
        result = race(tmp_path / "l.sqlite", found.address, observer=Warned())
    assert result.digest == digest
    assert all("it is left out" in text for text in warnings)


def test_a_lost_scheduler_ends_the_command_and_the_same_command_resumes_it(tmp_path, digest, monkeypatch, capsys):
    monkeypatch.setattr(PATIENCE, 5.0)
    (tmp_path / "race.toml").write_text(RACE)
    with cluster(tmp_path / "c", 1) as found:

        def kill():
            until(lambda: _n_batches("r.sqlite") > 2)
            found.kill(found.scheduler)

        monkeypatch.chdir(tmp_path)
        killing = threading.Thread(target=kill)
        killing.start()
        words = ["race", "race.toml", "--executor", found.address, "--ledger", "r.sqlite"]
        with pytest.raises(SystemExit) as ended:
            run(lambda: app(words))
        killing.join()
        assert ended.value.code == 3
        assert "does not answer any more; all results that came in are kept" in capsys.readouterr().err
        assert not any(logging.getLogger(name).isEnabledFor(logging.ERROR) for name in _logging_of_dask())
        assert semeai.Ledger("r.sqlite", read_only=True).run("race").state == "error"
        found.start_scheduler()
        found.start_worker()
        assert CliRunner().invoke(app, words).exit_code == 0
    ledger = semeai.Ledger("r.sqlite", read_only=True)
    assert ledger.digest(ledger.run("race").id) == digest
    ledger.close()


def _logging_of_dask():
    return [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]


def test_ctrl_c_leaves_no_task_on_a_shared_scheduler_and_another_machine_resumes(dask_cluster, tmp_path):
    (tmp_path / "race.toml").write_text(
        '[race]\nmode = "plain"\nmax_per_candidate = 600\n[evaluator]\ncallable = "slow_program:play"\n'
        "[[candidates]]\np = 0.52\n"
    )
    (tmp_path / "slow_program.py").write_text(
        "import random, time\n\ndef play(params, seed):\n    time.sleep(0.005)\n"
        "    return float(random.Random(seed).random() < params['p'])\n"
    )
    command = [sys.executable, "-m", "semeai", "race", "race.toml", "--executor", dask_cluster.address]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until(lambda: _n_batches(tmp_path / "semeai.sqlite") > 2)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 130, output
    assert f"--executor {dask_cluster.address}" in output
    assert dask_cluster.n_tasks() == 0
    before = _n_batches(tmp_path / "semeai.sqlite")
    resumed = semeai.run_race_file(tmp_path / "race.toml", executor="local", workers=2)
    whole = semeai.run_race_file(tmp_path / "race.toml", ledger=str(tmp_path / "other.sqlite"), workers=2)
    assert resumed.finished
    assert before > 2
    assert resumed.digest == whole.digest


def _n_batches(place):
    if not Path(place).exists():
        return 0
    try:
        ledger = semeai.Ledger(str(place), read_only=True)
    except semeai.SemeaiError:
        return 0  # it is being made
    try:
        return sum(1 for _ in ledger.batches(ledger.run("race").id))
    except semeai.SemeaiError:
        return 0
    finally:
        ledger.close()


def test_a_program_and_its_files_travel_to_machines_that_do_not_have_them(dask_cluster, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "travelling.py").write_text("import helping\n\ndef play(params, seed):\n    return helping.half()\n")
    (folder / "helping.py").write_text("def half():\n    return 0.5\n")
    monkeypatch.chdir(folder)
    # This path leads every process to its own working directory, so the workers do not find the files there.
    evaluator = CallableEvaluator("travelling:play", "/proc/self/cwd")
    with dask_cluster.pool() as pool:
        pool.begin(evaluator)
        number = pool.submit([Job(pack(evaluator), "c", {}, 1, 0, 10)])
        result = collect(pool, 1)[number]
    assert result.failure is None
    assert result.counts.n == 10


def test_a_missing_program_is_refused_with_the_name_of_the_host(dask_cluster, tmp_path):
    from semeai.work.evaluators import CommandEvaluator

    program = tmp_path / "only-here"
    program.write_text("#!/bin/sh\necho 1\n")
    with dask_cluster.pool() as pool:
        pool.begin(CommandEvaluator((str(program),), "/"))  # it lies outside of the folder, so it does not travel
        pool.submit([Job(pack(CommandEvaluator((str(program),), "/")), "c", {}, 1, 0, 1)])
        with pytest.raises(
            ConfigError, match=rf"on {os.uname().nodename} does not fit: it has no program '.*only-here'"
        ):
            collect(pool, 1)


def test_a_module_that_workers_do_not_have_is_refused_with_the_name_of_the_host(dask_cluster, tmp_path, monkeypatch):
    for folder, name, text in (
        ("library", "only_here", ""),
        ("program", "needs_it", "import only_here\nplay = print\n"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "library")
    evaluator = CallableEvaluator("needs_it:play", str(tmp_path / "program"))
    with dask_cluster.pool() as pool:
        pool.begin(evaluator)
        pool.submit([Job(pack(evaluator), "c", {}, 1, 0, 1)])
        says = "cannot load 'needs_it:play': ModuleNotFoundError: No module named 'only_here'"
        with pytest.raises(ConfigError, match=rf"on {os.uname().nodename} does not fit: {says}"):
            collect(pool, 1)


def test_runs_that_share_a_scheduler_take_turns(dask_cluster):
    until(lambda: len(worker_pids(dask_cluster)) == 2)
    params = {"p": 0.5, "seconds": 0.002}
    with dask_cluster.pool() as first, dask_cluster.pool() as second:
        for pool in (first, second):
            pool.begin(CallableEvaluator(programs.slow_coin))
            until(lambda pool=pool: pool.wait(0.1) or pool.slots == 2)
        early = {first.submit([job]) for job in jobs_of(programs.slow_coin, params, 100)}
        n_early = len(collect(first, 1))
        late = [second.submit([job]) for job in jobs_of(programs.slow_coin, params, 10)]
        done = set()
        deadline = time.monotonic() + 300
        while len(done) < len(late) and time.monotonic() < deadline:
            done |= {number for number, _ in second.wait(0.02)}
            n_early += len(first.wait(0.02))
        assert len(done) == len(late)
        assert n_early < len(early) / 2  # the second has not waited for the first, which has ten times as much to do


def test_a_plan_is_the_same_on_workers_of_a_cluster(dask_cluster):
    words = ["plan", "--efficiency", "0.7", "--races", "20", "--json"]
    here, there = (CliRunner().invoke(app, [*words, *more]) for more in ([], ["--executor", dask_cluster.address]))
    assert there.exit_code == 0, there.output
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert dask_cluster.n_tasks() == 0


def test_the_command_workers_shows_who_works(dask_cluster):
    until(lambda: len(worker_pids(dask_cluster)) == 2)
    done = CliRunner().invoke(app, ["workers", dask_cluster.address, "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    assert [(worker["host"], worker["misfit"]) for worker in found] == [(os.uname().nodename, "")] * 2
    shown = CliRunner().invoke(app, ["workers", dask_cluster.address], env={"COLUMNS": "120"}).stdout
    assert "2 workers on 1 host" in shown


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate by openssl")
def test_connections_are_encrypted_with_certificates_and_refused_without(tmp_path, monkeypatch):
    with cluster(tmp_path / "tls", 1, certificate=self_signed(tmp_path)) as found:
        with found.pool() as pool:
            pool.begin(CallableEvaluator(programs.coin))
            jobs = jobs_of(programs.coin, {"p": 0.5}, 3)
            ids = [pool.submit([job]) for job in jobs]
            results = collect(pool, 3)
        assert [results[i].counts for i in ids] == [run_job(job).counts for job in jobs]
        command = [sys.executable, "-m", "semeai", "workers", found.address]  # its certificate is in dask's settings
        shown = subprocess.run(command, env=found.environment, capture_output=True, text=True, check=True).stdout
        assert "1 worker" in shown
        monkeypatch.setattr(PATIENCE, 1.0)
        for name in (found.address, found.address.replace("tls", "dask")):
            with pytest.raises(ConfigError, match="no dask scheduler answers there"):
                connect(ExecutorTable(name=name))


def test_a_scheduler_that_is_not_there_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(PATIENCE, 1.0)
    address = f"dask://127.0.0.1:{free_port()}"
    with pytest.raises(ConfigError, match=f"executor {address}: no dask scheduler answers there"):
        race(tmp_path / "l.sqlite", address)

"""How the pool tells a program that ends its worker from a worker that was killed, and from one that hangs."""

import os
import signal
import time
from contextlib import suppress
from multiprocessing import forkserver

import pytest

from semeai.errors import WorkersLost
from semeai.kills import Memory, memory_advice, memory_state
from semeai.work.evaluators import AgainstBaseline, CallableEvaluator
from semeai.work.executors import EXECUTORS
from semeai.work.jobs import Job, run_job
from semeai.work.pool import ResilientPool
from tests import programs
from tests.contracts.test_executors import collect, workers_of

GENEROUS = 300  # seconds, for a machine that is busy with other things


class QuickPool(ResilientPool):
    FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.02


class HastyPool(QuickPool):
    PATIENCE = 0.0


def make_job(function=programs.bad_end, params=None, start=0, size=20, evaluator=None, **more):
    return Job(evaluator or CallableEvaluator(function), "c", params or {}, 12345, start, size, **more)


def bad_job(how, **more):
    return make_job(params={"how": how}, **more)


def until(condition):
    deadline = time.monotonic() + GENEROUS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestKills:
    @pytest.mark.slow
    def test_any_number_of_kills_from_outside_is_no_failure(self):
        jobs = [make_job(programs.slow_coin, {"p": 0.5, "seconds": 0.02}, start=100 * i, size=100) for i in range(2)]
        with QuickPool(EXECUTORS["local"], 2) as pool:
            ids = [pool.submit([job]) for job in jobs]
            results = {}

            def look():
                results.update((i, answers[0]) for i, answers in pool.wait(0.05))
                return len(results) == 2

            for kill in (signal.SIGKILL, signal.SIGTERM) * 2:
                lost = pool.n_lost
                until(lambda: look() or pool.slowest())
                for process in workers_of(pool):
                    with suppress(ProcessLookupError):  # the pool has ended it in the meantime
                        os.kill(process.pid, kill)
                until(lambda before=lost: look() or pool.n_lost > before)
            results.update(collect(pool, 2 - len(results)))
            assert pool.n_lost >= 4
        assert [results[i].counts for i in ids] == [run_job(job).counts for job in jobs]

    def test_a_task_that_is_always_killed_ends_the_run_with_its_name(self):
        with HastyPool(EXECUTORS["local"], 2) as pool:
            pool.submit([bad_job("SIGKILL")])
            good = pool.submit([make_job(start=20)])
            wanted = r"candidate 'c', evaluations 0 to 19: its worker was killed \d+ times in \d+ s by SIGKILL, also"
            with pytest.raises(WorkersLost, match=wanted):
                collect(pool, 2)
            assert good is not None

    def test_the_other_tasks_are_returned_before_the_error(self):
        results = {}
        with HastyPool(EXECUTORS["local"], 2) as pool:
            pool.submit([bad_job("SIGKILL")])
            good = [pool.submit([make_job(start=20 * i)]) for i in range(1, 4)]
            with pytest.raises(WorkersLost):
                until(lambda: results.update(pool.wait(0.1)))
        assert not set(results) - set(good)

    def test_a_crash_is_blamed_on_the_task_and_its_seed(self):
        with QuickPool(EXECUTORS["local"], 2) as pool:
            bad = pool.submit([make_job(start=40), bad_job("segfault")])
            good = [pool.submit([make_job(start=20 * i)]) for i in range(1, 6)]
            answers = {}
            until(lambda: answers.update(pool.wait(0.1)) or len(answers) == 6)
        sound, failed = answers[bad]
        assert sound.failure is None
        assert failed.failure.kind == "program"
        assert failed.failure.seed % 7 == 3
        assert f"seed {failed.failure.seed}: it kills its worker (exit status -11 (SIGSEGV))" in failed.failure.message
        assert all(answers[i][0].failure is None for i in good)

    def test_work_that_comes_while_a_suspect_runs_alone_waits(self):
        with QuickPool(EXECUTORS["local"], 3) as pool:
            bad = pool.submit([bad_job("segfault")])
            answers = {}
            until(lambda: answers.update(pool.wait(0.01)) or pool.n_lost >= pool.SUSPICIOUS)
            good = [pool.submit([make_job(start=20 * i)]) for i in range(1, 9)]
            until(lambda: answers.update(pool.wait(0.1)) or len(answers) == 9)
        assert answers[bad][0].failure.kind == "program"
        assert all(answers[i][0].failure is None for i in good)


class TestServer:
    def test_it_dies_before_its_first_worker(self):
        executor = EXECUTORS["local"]

        def unlucky(workers):
            made = executor(workers)
            if not killed:
                killed.append(forkserver._forkserver._forkserver_pid)
                os.kill(killed[0], signal.SIGKILL)
            return made

        killed = []
        with QuickPool(unlucky, 2) as pool:
            wanted = pool.submit([make_job()])
            assert collect(pool, 1)[wanted].failure is None
        assert forkserver._forkserver._forkserver_pid != killed[0]

    def test_it_dies_later(self):
        with QuickPool(EXECUTORS["local"], 2) as pool:
            wanted = pool.submit([make_job(programs.slow_coin, {"p": 0.5, "seconds": 0.02}, size=50)])
            until(lambda: pool.wait(0.05) or pool.slowest())
            old = [process.pid for process in workers_of(pool)]
            os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
            assert collect(pool, 1)[wanted].failure is None
        for pid in old:  # nobody else ends the workers of a dead server
            until(lambda pid=pid: not _runs(pid))


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class TestTimeLimit:
    @pytest.mark.parametrize("how", ["hang", "hang in C"])
    def test_a_task_that_hangs_fails_and_the_others_do_not(self, how):
        with QuickPool(EXECUTORS["local"], 2) as pool:
            bad = pool.submit([make_job(start=40, time_limit=0.5), bad_job(how, time_limit=0.5)])
            good = [pool.submit([make_job(start=20 * i, time_limit=60.0)]) for i in range(1, 6)]
            answers = {}
            until(lambda: answers.update(pool.wait(0.1)) or len(answers) == 6)
        sound, failed = answers[bad]
        assert sound.failure is None
        assert failed.failure.seed % 7 == 3
        assert failed.failure.message == f"candidate 'c', seed {failed.failure.seed}: no answer within 0.5 s"
        assert all(answers[i][0].failure is None for i in good)

    def test_a_baseline_that_hangs(self):
        compare = AgainstBaseline(CallableEvaluator(programs.bad_end), {"how": "hang"})
        with QuickPool(EXECUTORS["local"], 1) as pool:
            wanted = pool.submit([make_job(evaluator=compare, time_limit=0.5)])
            failure = collect(pool, 1)[wanted].failure
        assert failure.kind == "baseline"
        assert failure.message.endswith("the baseline failed: no answer within 0.5 s")

    def test_it_is_tried_again(self, tmp_path):
        params = {"marker": str(tmp_path / "m")}
        for retries in (1, 0):
            with QuickPool(EXECUTORS["local"], 1) as pool:
                wanted = pool.submit([make_job(programs.hangs_once, params, time_limit=0.5, retries=retries)])
                assert (collect(pool, 1)[wanted].failure is None) == bool(retries)
            (tmp_path / "m").unlink()

    def test_many_short_evaluations_may_take_longer_together(self):
        with QuickPool(EXECUTORS["local"], 1) as pool:
            wanted = pool.submit([make_job(programs.slow_coin, {"p": 0.5, "seconds": 0.05}, size=30, time_limit=0.8)])
            assert collect(pool, 1)[wanted].failure is None

    def test_what_runs_for_long_is_known(self):
        with QuickPool(EXECUTORS["local"], 1) as pool:
            job = bad_job("hang")
            pool.submit([make_job(start=40), job])
            until(lambda: pool.wait(0.1) or ((now := pool.slowest()) and now.task == job and now.seconds > 0.3))
            assert job.seed(pool.slowest().step) % 7 == 3


class TestDropping:
    def test_a_parcel_whose_worker_dies_is_not_run_again(self):
        with QuickPool(EXECUTORS["local"], 1) as pool:
            wanted = pool.submit([make_job(programs.slow_coin, {"p": 0.5, "seconds": 60})])
            until(lambda: pool.wait(0.05) or pool.slowest())
            assert pool.drop_backlog() == set()
            for process in workers_of(pool):
                process.terminate()
            dropped = set()
            until(lambda: pool.wait(0.05) or dropped.update(pool.drop_backlog()) or dropped)
            assert dropped == {wanted}
            again = pool.submit([make_job()])
            assert collect(pool, 1).keys() == {again}


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


class TestMemory:
    def test_control_groups_of_version_2(self, tmp_path):
        write(
            tmp_path,
            {
                "proc/self/cgroup": "0::/jobs/mine\n",
                "sys/fs/cgroup/jobs/mine/memory.events": "low 0\noom 3\noom_kill 2\n",
                "sys/fs/cgroup/jobs/mine/memory.max": "max\n",
                "sys/fs/cgroup/jobs/memory.events": "oom_kill 5\noom_group_kill 0\n",
                "sys/fs/cgroup/jobs/memory.max": "2147483648\n",
            },
        )
        assert memory_state(tmp_path) == Memory(5, 2**31)

    def test_control_groups_of_version_1(self, tmp_path):
        write(
            tmp_path,
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/x\n3:memory:/mine\n",
                "sys/fs/cgroup/memory/mine/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
                "sys/fs/cgroup/memory/mine/memory.limit_in_bytes": "1073741824\n",
            },
        )
        assert memory_state(tmp_path) == Memory(1, 2**30)

    def test_the_machine(self, tmp_path):
        assert memory_state(tmp_path) == Memory(0, None)
        write(tmp_path, {"proc/self/cgroup": "0::/\n", "proc/vmstat": "nr_free_pages 5\noom_kill 7\n"})
        assert memory_state(tmp_path) == Memory(7, None)
        assert memory_state().n_kills >= 0

    def test_advice(self):
        assert "used up 2 times (the limit is 2 GB)" in memory_advice(Memory(1, 2**31), Memory(3, 2**31))
        assert memory_advice(Memory(1, None), Memory(1, None)).endswith("or memory was used up")

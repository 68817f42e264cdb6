"""One contract for all executors, tested through the pool."""

import concurrent.futures
import functools
import os
import time

import pytest

from semeai.errors import ConfigError, WorkersLost
from semeai.work.evaluators import CallableEvaluator
from semeai.work.executors import EXECUTORS
from semeai.work.jobs import Job, run_job
from semeai.work.pool import ResilientPool
from tests import programs

NAMES = [*EXECUTORS, "threads", pytest.param("dask", marks=pytest.mark.slow)]


@pytest.fixture
def make_pool(request):
    """Return a function that makes a pool with an executor of this name."""

    def make(name, workers):
        if name == "dask":
            pool = request.getfixturevalue("dask_cluster").pool()
            pool.begin(CallableEvaluator(programs.coin))
            return pool
        # any PEP 3148 executor will do
        return ResilientPool(concurrent.futures.ThreadPoolExecutor if name == "threads" else EXECUTORS[name], workers)

    return make


def make_job(function=programs.coin, params=None, start=0, size=50, **more):
    return Job(CallableEvaluator(function), "c", params or {"p": 0.5}, 12345, start, size, **more)


def workers_of(pool):
    return list((getattr(pool._executor, "_processes", None) or {}).values())


def collect(pool, n):
    results = {}
    deadline = time.monotonic() + 300
    while len(results) < n and time.monotonic() < deadline:
        results.update((i, answers[0]) for i, answers in pool.wait(1))
    return results


@pytest.mark.parametrize("name", NAMES)
def test_the_same_jobs_give_the_same_rewards_anywhere(name, make_pool):
    jobs = [make_job(start=50 * i) for i in range(8)]
    expected = [run_job(job).counts for job in jobs]
    with make_pool(name, 2) as pool:
        ids = [pool.submit([job]) for job in jobs]
        results = collect(pool, len(jobs))
    assert [results[i].counts for i in ids] == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_failing_program_is_an_answer_and_not_an_error(name, make_pool):
    with make_pool(name, 2) as pool:
        bad = pool.submit([make_job(programs.broken, {"kind": "raise"})])
        good = pool.submit([make_job()])
        results = collect(pool, 2)
    assert results[bad].failure.kind == "program"
    assert "candidate 'c'" in results[bad].failure.message
    assert "ValueError: a broken program" in results[bad].failure.message
    assert results[good].failure is None


@pytest.mark.parametrize("name", NAMES)
def test_what_was_abandoned_does_not_come_in_for_whoever_is_next(name, make_pool):
    with make_pool(name, 2) as pool:
        for i in range(8):
            pool.submit([make_job(programs.slow_coin, {"p": 0.5, "seconds": 0.001}, start=50 * i)])
        pool.abandon()
        wanted = pool.submit([make_job()])
        assert collect(pool, 1).keys() == {wanted}
        time.sleep(0.2)
        assert pool.wait(0.1) == []


def test_what_was_abandoned_is_not_run_again_when_its_worker_dies(tmp_path):
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        pool.submit([make_job(programs.broken, {"kind": "die"})])
        pool.abandon()
        wanted = pool.submit([make_job()])
        assert collect(pool, 1).keys() == {wanted}
        assert pool.n_lost <= 1


@pytest.mark.parametrize("name", NAMES)
def test_closing_drops_what_is_under_way(name, make_pool):
    pool = make_pool(name, 1)
    if name != "inline":
        pool.submit([make_job(programs.slow_coin, {"p": 0.5, "seconds": 1000}, size=100)])
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 300  # and not 100,000


@pytest.mark.slow
def test_a_lost_worker_costs_only_a_second_run(tmp_path):
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        ids = [
            pool.submit([make_job(programs.dies_once, {"marker": str(tmp_path / "m")}, start=i * 5)]) for i in range(4)
        ]
        results = collect(pool, 4)
        assert pool.n_lost >= 1
    assert all(results[i].failure is None for i in ids)


def test_a_program_that_always_kills_its_worker_is_told_from_a_lost_one():
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        deadly = pool.submit([make_job(programs.broken, {"kind": "die"})])
        others = [pool.submit([make_job(start=50 * i)]) for i in range(3)]
        results = collect(pool, 4)
    assert results[deadly].failure.kind == "program"
    assert "kills its worker" in results[deadly].failure.message
    assert all(results[i].failure is None for i in others)


class Unloadable:
    def __reduce__(self):
        return int, ("no number",)


def test_a_task_that_workers_cannot_load_is_an_error_and_no_crash():
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        pool.submit([Unloadable()])
        with pytest.raises(ConfigError, match="a worker cannot load its work: ValueError: invalid literal"):
            collect(pool, 1)
        assert pool.n_lost == 0


def _cannot_start(workers):
    import multiprocessing

    context = multiprocessing.get_context("forkserver")
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=context, initializer=os._exit, initargs=(1,))


def _start_unless_first(marker, start, *arguments):
    """The first worker is ready at once, the next one late, and deaf to SIGTERM until then."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        time.sleep(60)
    start(*arguments)


@pytest.mark.slow
def test_a_worker_that_is_still_starting_does_not_keep_a_closed_pool_alive(tmp_path):
    executor = EXECUTORS["local"](2)
    executor._initializer = functools.partial(_start_unless_first, tmp_path / "m", executor._initializer)
    pool = ResilientPool(lambda workers: executor, 2)
    for start in range(0, 400, 50):
        pool.submit([make_job(start=start)])
    collect(pool, 8)
    processes = list(executor._processes.values())
    assert len(processes) == 2
    pool.close()
    assert not any(process.is_alive() for process in processes)


def test_workers_that_cannot_start_are_not_the_programs_fault():
    with ResilientPool(_cannot_start, 2) as pool:
        pool.submit([make_job()])
        with pytest.raises(WorkersLost, match="die as soon as they start"):
            collect(pool, 1)


@pytest.mark.slow
def test_workers_killed_at_random_lose_nothing():
    jobs = [make_job(programs.slow_coin, {"p": 0.5, "seconds": 0.0005}, start=50 * i) for i in range(40)]
    expected = [run_job(job).counts for job in jobs]
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        ids = [pool.submit([job]) for job in jobs]
        results = {}
        for _ in range(3):
            results.update((i, answers[0]) for i, answers in pool.wait(1))
            for process in workers_of(pool)[:1]:
                process.kill()  # quiet when the pool has already buried it
        results.update(collect(pool, len(jobs) - len(results)))
    assert [results[i].counts for i in ids] == expected

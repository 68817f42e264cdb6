"""What a cluster costs: dask workers against local ones, and the driver's rate with a thousand simulated workers."""

import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from json import loads
from pathlib import Path

from benchmarks.programs import fifty_milliseconds
from semeai.experiments.figure import draw
from semeai.table import Chart, Curve, ResultTable, percent
from semeai.work.cluster.connect import connect
from semeai.work.cluster.pool import ClusterPool
from semeai.work.cluster.settings import ExecutorTable
from semeai.work.evaluators import CallableEvaluator
from semeai.work.executors import EXECUTORS
from semeai.work.jobs import Job
from semeai.work.packing import pack
from semeai.work.pool import Pool, ResilientPool

TASKS = 300
WORKERS = 2
LATENCIES = (0.05, 0.1, 0.25, 0.4)
"""A thousand workers give at most 1,000 tasks per second divided by the mean time of a task."""
LIMIT = 20_000

DRIVER = textwrap.dedent(
    """
    import json, sys, time
    from benchmarks.programs import trivial
    from benchmarks.simulated_workers import SimulatedWorkers
    from semeai.race.candidate import Candidate
    from semeai.race.race import Race
    from semeai.race.settings import RaceSettings
    from semeai.runs import driver as drivers
    from semeai.runs.run import Observer, Run
    from semeai.work.evaluators import CallableEvaluator
    from semeai.work.packing import pack
    from semeai.work.pool import ResilientPool

    slots, latency, limit = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    drivers.JOB_SECONDS = drivers.PARCEL_SECONDS = 1e-12  # one evaluation per task, however short
    made = []

    def workers(n):
        made.append(SimulatedWorkers(slots, latency))
        return made[-1]

    settings = RaceSettings(mode="plain", batch=275, lookahead=4, width=80, max_evaluations=limit)
    race = Race(settings.resolved(), [Candidate(f"c{i}", {"p": 0.5025}) for i in range(20)], 1)
    points = []  # results, memory in MB

    class Watching(Observer):
        def progress(self, driver):
            if driver.n_new >= (len(points) + 1) * limit // 20:
                points.append((driver.n_new, memory()))

    def memory():
        return int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) / 1024

    began, before, own = time.perf_counter(), time.process_time(), time.thread_time()
    with ResilientPool(workers, slots) as pool:
        driver = drivers.RaceDriver(race, pack(CallableEvaluator(trivial)), Run(pool, None, Watching()))
        driver.run()
    r = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - before, "own": time.thread_time() - own}
    print(json.dumps({"tasks": made[0].n_done, **r, "points": [*points, (driver.n_new, memory())]}))
    """
)


def rate(pool: Pool) -> float:
    """Return the tasks per second of a pool that is warm."""
    evaluator = CallableEvaluator(fifty_milliseconds)
    pool.begin(evaluator)
    packed = pack(evaluator)
    for n in (4 * WORKERS, TASKS):
        began = time.perf_counter()
        left = {pool.submit([Job(packed, "c", {}, 1, i, 1)]) for i in range(n)}
        while left:
            left -= {number for number, _ in pool.wait(1.0)}
    return TASKS / (time.perf_counter() - began)


@contextmanager
def dask_workers() -> Iterator[str]:
    """Start a scheduler and its workers. Yields the address."""
    with socket.socket() as s, tempfile.TemporaryDirectory() as folder:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        s.close()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        dask = [sys.executable, "-m", "dask"]
        words = [["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]]
        words += [["worker", f"127.0.0.1:{port}", "--nthreads", "1", "--no-nanny", "--no-dashboard"]] * WORKERS
        processes = [subprocess.Popen([*dask, *more], env=environment, **quiet) for more in words]  # type: ignore[call-overload]
        try:
            yield f"dask://127.0.0.1:{port}"
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()


def run() -> list[ResultTable]:
    with ResilientPool(EXECUTORS["local"], WORKERS) as pool:
        local = rate(pool)
    with dask_workers() as address, ClusterPool(connect(ExecutorTable(name=address))) as pool:
        pool.begin(CallableEvaluator(fifty_milliseconds))
        while pool.slots < WORKERS:
            pool.wait(0.1)
        dask = rate(pool)
    rows = [(name, round(found, 1), percent(found / local)) for name, found in (("local", local), ("dask", dask))]
    first = ResultTable(
        f"Tasks of 50 ms, {WORKERS} workers",
        ("executor", "tasks per second", "of the local rate"),
        tuple(rows),
        f"{TASKS} tasks of one evaluation that sleeps for 50 ms, so at most {20 * WORKERS} per second; scheduler, "
        "workers and driver on one machine of two cores, which had other work to do: expect a few percent of noise.",
    )
    second, curves, memories = [], [], []
    for latency in LATENCIES:
        command = [sys.executable, "-c", DRIVER, "1000", str(latency), str(LIMIT)]
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        r = loads(done.stdout)
        rates = [r["tasks"] / r[clock] for clock in ("seconds", "cpu", "own")]
        memory = max(megabytes for _, megabytes in r["points"])
        second.append((
            f"{latency:g} s", f"{1000 / latency:,.0f}", *(f"{found:,.0f}" for found in rates), f"{memory:.0f} MB"
        ))  # fmt: skip
        curves.append((latency, *rates))
        memories.append(Curve(f"{latency:g} s", tuple((n, m, m, m) for n, m in r["points"])))
    names = ("per second", "per CPU second of its process", "per CPU second of its thread")
    lines = tuple(Curve(name, tuple((c[0], c[i], c[i], c[i]) for c in curves)) for i, name in enumerate(names, 1))
    charts = [
        Chart("Results that the driver handles", "mean time of a task, in seconds", "results", lines, even=2000),
        Chart("Memory of the driver, by mean time of a task", "results", "MB", tuple(memories), even=None, log_x=False),
    ]
    draw(charts, Path("docs/benchmarks/cluster-overhead.svg"))
    return [
        first,
        ResultTable(
            "The driver with 1,000 simulated workers",
            ("mean time of a task", "possible per second", "per second", *names[1:], "driver's memory"),
            tuple(second),
            f"{LIMIT:,} results of a race of 20 candidates whose tasks have one evaluation each, on an executor with "
            "1,000 slots; times are random (exponential). The process also runs the executor and the evaluations; "
            "the driver itself is one thread. The goal is 2,000 per second. Other work on the machine lowers the rate "
            "per second, but not the rates per CPU second.\n\n"
            "![Results per second, and memory of the driver](cluster-overhead.svg)",
        ),
    ]

"""What a cluster costs: dask workers against local ones, and the driver's rate with a thousand simulated workers."""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import loads
from pathlib import Path
from typing import Any

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
from semeai.work.parcels import Pool
from semeai.work.pool import ResilientPool

TASKS = 100
ROUNDS = 7
WORKERS = 2
SLOTS = 1000
LATENCIES = (0.05, 0.1, 0.25, 0.4)
"""A thousand workers give at most 1,000 tasks per second divided by the mean time of a task."""
DASK_LATENCIES = (0.25, 1.0)
LIMIT = 20_000
PATH = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
"""Where the other processes find this program, and the semeai that is measured."""

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
    from semeai.work.cluster.connect import connect
    from semeai.work.cluster.pool import ClusterPool
    from semeai.work.cluster.settings import ExecutorTable
    from semeai.work.evaluators import CallableEvaluator
    from semeai.work.packing import pack
    from semeai.work.pool import ResilientPool

    name, slots, latency, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    drivers.JOB_SECONDS = drivers.PARCEL_SECONDS = 1e-12  # one evaluation per task, however short

    def ready():
        if name == "simulated":
            return ResilientPool(lambda n: SimulatedWorkers(slots, latency), slots)
        pool = ClusterPool(connect(ExecutorTable(name=name)))
        pool.begin(CallableEvaluator(trivial))
        while pool.slots < slots:
            pool.wait(0.1)
        return pool

    settings = RaceSettings(mode="plain", batch=275, lookahead=4, width=80, max_evaluations=limit)
    race = Race(settings.resolved(), [Candidate(f"c{i}", {"p": 0.5025}) for i in range(20)], 1)
    points = []  # results, memory in MB

    class Watching(Observer):
        def progress(self, driver):
            if driver.n_new >= (len(points) + 1) * limit // 20:
                points.append((driver.n_new, memory()))

    def memory():
        return int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) / 1024

    with ready() as pool:
        clocks = {"seconds": time.perf_counter, "cpu": time.process_time, "own": time.thread_time}
        before = {key: clock() for key, clock in clocks.items()}
        driver = drivers.RaceDriver(race, pack(CallableEvaluator(trivial)), Run(pool, None, Watching()))
        driver.run()
        r = {key: clock() - before[key] for key, clock in clocks.items()}
    print(json.dumps({"tasks": driver.n_new, **r, "points": [*points, (driver.n_new, memory())]}))
    """
)


def rate(pool: Pool, n: int) -> float:
    """Return the tasks per second of a pool that is warm."""
    evaluator = CallableEvaluator(fifty_milliseconds)
    packed = pack(evaluator)
    began = time.perf_counter()
    left = {pool.submit([Job(packed, "c", {}, 1, i, 1)]) for i in range(n)}
    while left:
        left -= {number for number, _ in pool.wait(1.0)}
    return n / (time.perf_counter() - began)


@contextmanager
def dask(workers: Sequence[Sequence[str]], **environment: str) -> Iterator[tuple[str, int]]:
    """Start a scheduler and workers with more options each. Yields the address, and the scheduler's process id."""
    with socket.socket() as s, tempfile.TemporaryDirectory() as folder:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        s.close()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        variables = {**os.environ, "PYTHONPATH": PATH, **environment}
        program = [sys.executable, "-m", "dask"]
        words = [["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]]
        words += [["worker", f"127.0.0.1:{port}", "--no-nanny", "--no-dashboard", *more] for more in workers]
        processes = [subprocess.Popen([*program, *more], env=variables, **quiet) for more in words]  # type: ignore[call-overload]
        try:
            while not is_listening(port) and processes[0].poll() is None:
                time.sleep(0.1)
            yield f"dask://127.0.0.1:{port}", processes[0].pid
        finally:
            for process in reversed(processes):  # a worker that loses its scheduler may wait for it without end
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def is_listening(port: int) -> bool:
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def against_local() -> ResultTable:
    """Measure both pools in turns, so that other work on the machine meets both."""
    evaluator, found = CallableEvaluator(fifty_milliseconds), []
    with (
        dask([("--nthreads", "1")] * WORKERS) as (address, _),
        ResilientPool(EXECUTORS["local"], WORKERS) as local,
        ClusterPool(connect(ExecutorTable(name=address))) as cluster,
    ):
        cluster.begin(evaluator)
        while cluster.slots < WORKERS:
            cluster.wait(0.1)
        for pool in (local, cluster):
            rate(pool, 4 * WORKERS)
        for _ in range(ROUNDS):
            found.append((rate(local, TASKS), rate(cluster, TASKS)))
    rates = [statistics.median(one) for one in zip(*found, strict=True)]
    shares = [theirs / ours for ours, theirs in found]
    return ResultTable(
        f"Tasks of 50 ms, {WORKERS} workers",
        ("executor", "tasks per second", "of the local rate", "lowest", "highest"),
        (
            ("local", round(rates[0], 1), percent(1), "", ""),
            ("dask", round(rates[1], 1), *(percent(f(shares)) for f in (statistics.median, min, max))),
        ),
        f"Medians of {ROUNDS} rounds of {TASKS} tasks, in which both pools take turns. A task is one evaluation that "
        f"sleeps for 50 ms, so at most {20 * WORKERS} per second. Scheduler, workers and driver are on one machine of "
        "two cores.",
    )


def drive(name: str, latency: float) -> Mapping[str, Any]:
    """Run a race on 1,000 simulated workers in a process of its own. Returns what it measured."""
    command = [sys.executable, "-c", DRIVER, name, str(SLOTS), str(latency), str(LIMIT)]
    environment = {**os.environ, "PYTHONPATH": PATH}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = loads(done.stdout)
    return found


def drive_through_dask(latency: float) -> Mapping[str, Any]:
    """Run the race through a real scheduler, to one process that stands for all workers."""
    worker = ("--nthreads", str(SLOTS), "--preload", "benchmarks.simulated_node")
    with dask([worker], SIMULATED_SECONDS=str(latency)) as (address, scheduler):
        before = cpu_seconds(scheduler)
        found = drive(address, latency)
        return {**found, "scheduler": cpu_seconds(scheduler) - before}


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(found: Mapping[str, Any]) -> float:
    """Return the most memory of a driver, in MB."""
    return float(max(megabytes for _, megabytes in found["points"]))


def of_driver() -> tuple[ResultTable, list[Chart]]:
    rows, curves, memories = [], [], []
    for latency in LATENCIES:
        r = drive("simulated", latency)
        rates = [r["tasks"] / r[clock] for clock in ("seconds", "cpu", "own")]
        shown = (f"{found:,.0f}" for found in rates)
        rows.append((f"{latency:g} s", f"{SLOTS / latency:,.0f}", *shown, f"{memory(r):.0f} MB"))
        curves.append((latency, *rates))
        memories.append(Curve(f"{latency:g} s", tuple((n, m, m, m) for n, m in r["points"])))
    names = ("per second", "per CPU second of its process", "per CPU second of its thread")
    lines = tuple(Curve(name, tuple((c[0], c[i], c[i], c[i]) for c in curves)) for i, name in enumerate(names, 1))
    charts = [
        Chart("Results that the driver handles", "mean time of a task, in seconds", "results", lines, even=2000),
        Chart("Memory of the driver, by mean time of a task", "results", "MB", tuple(memories), even=None, log_x=False),
    ]
    table = ResultTable(
        "The driver with 1,000 simulated workers",
        ("mean time of a task", "possible per second", "per second", *names[1:], "driver's memory"),
        tuple(rows),
        f"{LIMIT:,} results of a race of 20 candidates whose tasks have one evaluation each, on an executor with "
        "1,000 slots; times are random (exponential). The process also runs the executor and the evaluations; "
        "the driver itself is one thread. The goal is 2,000 per second. Other work on the machine lowers the rate "
        "per second, but not the rates per CPU second.\n\n"
        "![Results per second, and memory of the driver](cluster-overhead.svg)",
    )
    return table, charts


def through_dask() -> ResultTable:
    rows = []
    for latency in DASK_LATENCIES:
        r = drive_through_dask(latency)
        rates = [r["tasks"] / r[clock] for clock in ("seconds", "cpu", "own", "scheduler")]
        rows.append((f"{latency:g} s", *(f"{found:,.0f}" for found in rates), f"{memory(r):.0f} MB"))
    return ResultTable(
        "The same through a dask scheduler",
        (
            "mean time of a task",
            "per second",
            "per CPU second of the driver's process",
            "of its thread",
            "of the scheduler",
            "driver's memory",
        ),
        tuple(rows),
        "One dask worker with 1,000 threads stands for all workers. It shares the two cores with driver and scheduler, "
        "and needs more time than both: expect more per second where workers have machines of their own.",
    )


def run() -> list[ResultTable]:
    first = against_local()
    second, charts = of_driver()
    third = through_dask()
    draw(charts, Path("docs/benchmarks/cluster-overhead.svg"))
    return [first, second, third]

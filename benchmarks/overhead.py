"""Measure the overhead of racing: races of a program that does nothing, with a million evaluations."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from semeai.table import ResultTable

RACES = {
    "1 candidate": (1, 1_000_000, 8),
    "10 candidates": (10, 1_000_000, 8),
    "100 candidates": (100, 1_000_000, 8),
    "1,000 candidates": (1000, 1_000_000, 8),
    "1,000 candidates, batch = 64": (1000, 1_000_000, 64),
}

# Each race runs in a separate process, so that its peak memory can be measured.
DRIVER = textwrap.dedent(
    """
    import json, sys, time
    from pathlib import Path
    from semeai import Observer
    from semeai.runs.race_file import RaceFile
    from semeai.runs.race import run_plan
    from semeai.runs.run import Place

    n, limit, batch, folder = *map(int, sys.argv[1:4]), Path(sys.argv[4])
    file = RaceFile.model_validate({
        "race": {"mode": "plain", "max_evaluations": limit, "batch": batch},
        "evaluator": {"callable": "benchmarks.programs:trivial"},
        "candidates": [{"name": f"c{i}", "p": 0.5025} for i in range(n)],
    })
    pauses, last = [], [time.perf_counter()]

    class Pauses(Observer):
        def progress(self, driver):
            now = time.perf_counter()
            pauses.append(now - last[0])
            last[0] = now

    if __name__ == "__main__":
        began = time.perf_counter()
        result = run_plan(file.plan(folder), "r", Place(str(folder / "l.sqlite"), workers=2), Pauses())
        seconds = time.perf_counter() - began
        print(json.dumps({
            "evaluations": result.n_evaluations,
            "seconds": seconds,
            "batches": sum(s.n_tests for s in result.standings),
            "memory": int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) / 1024,
            "longest_pause": max(pauses),
            "ledger": (folder / "l.sqlite").stat().st_size / 2**20,
        }))
    """
)


def run() -> ResultTable:
    rows = []
    for name, (n, limit, batch) in RACES.items():
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "driver.py"
            script.write_text(DRIVER)
            environment = {**os.environ, "PYTHONPATH": os.getcwd()}
            command = [sys.executable, str(script), str(n), str(limit), str(batch), folder]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        r = json.loads(done.stdout)
        rows.append(
            (
                name,
                r["evaluations"],
                r["evaluations"] / r["seconds"],
                r["batches"],
                f"{1000 * r['seconds'] / r['batches']:.2f} ms",
                f"{r['memory']:.0f} MB",
                f"{1000 * r['longest_pause']:.0f} ms",
                f"{r['ledger']:.1f} MB",
            )
        )
    return ResultTable(
        "A program that does nothing, two workers, ledger on disk",
        (
            "race",
            "evaluations",
            "per second",
            "batches",
            "time per batch",
            "driver's memory",
            "longest time between two updates",
            "ledger",
        ),
        tuple(rows),
        "Wall time from start to end, including the start and stop of the workers. All candidates have efficiency "
        "0.5025, between the thresholds, so that few are decided early. By default a batch has at least 8 evaluations; "
        "if an evaluation takes microseconds and there are many candidates, a larger `batch` saves most of the time.",
    )

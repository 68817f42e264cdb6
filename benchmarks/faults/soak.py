"""A soak: a race and a GTP session for an hour, with the memory and the open files of each process.

``python -m benchmarks.faults.soak --minutes 60`` writes its samples to a JSON file.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.faults.kills import processes_of
from benchmarks.faults.trials import start
from benchmarks.gtp_memory import Engine, play_game

RACE = """
seed = {seed}
[race]
mode = "plain"
[evaluator]
callable = "benchmarks.faults.programs:coin"
[candidates.grid]
p = [0.5024, 0.5025, 0.5026, 0.50245, 0.50255]
"""
Sample = dict[str, tuple[float, int]]


def usage(pid: int) -> tuple[float, int]:
    """Return the memory of a process in MB, and its number of open files."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return memory / 1024, len(os.listdir(f"/proc/{pid}/fd"))


def sample(race: int, gtp: int) -> Sample:
    found = {"driver": usage(race), "gtp": usage(gtp)}
    workers = [pid for pid, line in sorted(processes_of(race).items()) if pid != race and "forkserver" in line]
    for i, pid in enumerate(workers):
        with contextlib.suppress(OSError):
            found[f"fork server or worker {i}"] = usage(pid)
    return found


def start_race(folder: Path, number: int) -> subprocess.Popen[str]:
    (folder / "race.toml").write_text(RACE.format(seed=number))
    return start(folder, ["race", "race.toml", "--name", str(number)])


def soak(minutes: float, path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        races = [start_race(folder, 0)]
        engine = Engine(simulations=100)
        samples: list[tuple[float, Sample]] = []
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < 60 * minutes:
            play_game(engine)
            if races[-1].poll() is not None:  # it has decided: the next one has other seeds
                races.append(start_race(folder, len(races)))
            elif not samples or elapsed > samples[-1][0] + 20:
                samples.append((elapsed, sample(races[-1].pid, engine.pid)))
                path.write_text(json.dumps(samples))
        races[-1].terminate()
        races[-1].communicate()
        engine.quit()


def rows(path: Path) -> list[tuple[str, ...]]:
    """Return for each process: memory in the second sixth of the time and in the last, and the open files likewise."""
    samples = json.loads(path.read_text())
    end = samples[-1][0]
    parts = [[s for t, s in samples if first <= t / end <= last] for first, last in ((1 / 6, 1 / 3), (5 / 6, 1))]
    found = []
    for name in samples[-1][1]:
        memory, files = ([statistics.mean(s[name][i] for s in part if name in s) for part in parts] for i in (0, 1))
        found.append((name, *(f"{m:.1f}" for m in memory), *(f"{f:.1f}" for f in files)))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--output", type=Path, default=Path("build/soak.json"))
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    soak(options.minutes, options.output)
    print(*rows(options.output), sep="\n")

"""A soak: two races and a GTP session for an hour, with the memory and the open files of each process.

``python -m benchmarks.faults.soak --minutes 60`` writes its samples to a JSON file, and its table to the page.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.faults.kills import processes_of
from benchmarks.faults.trials import INTERRUPTED, finish, replace_between, start, wrong_end
from benchmarks.gtp_memory import Engine, play_game
from semeai.table import ResultTable

RACE = """
seed = {seed}
[race]
mode = "plain"
[evaluator]
{program}
[candidates.grid]
p = [0.5024, 0.5025, 0.5026, 0.50245, 0.50255]
"""
PROGRAMS = {
    "callable": 'callable = "benchmarks.faults.programs:slow_coin"',
    "command": 'command = ["sh", "-c", "sleep 0.2; : $1; echo $(( $2 % 2 ))", "sh", "{p}", "{seed}"]',
}
REST = 4.0
"""Rest of the GTP engine after a game, in times of the game: the soak shall leave most of a core free."""
START, END = "<!-- made by `python -m benchmarks.faults.soak` -->", "<!-- end of the soak -->"
Sample = dict[str, tuple[float, int]]


def usage(pid: int) -> tuple[float, int]:
    """Return the memory of a process in MB, and its number of open files."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return memory / 1024, len(os.listdir(f"/proc/{pid}/fd"))


def sample(races: dict[str, int], gtp: int) -> Sample:
    found = {"gtp engine": usage(gtp)}
    for title, driver in races.items():
        found[f"driver, race of a {title}"] = usage(driver)
        workers = [pid for pid, line in sorted(processes_of(driver).items()) if pid != driver and "forkserver" in line]
        for i, pid in enumerate(workers):
            with contextlib.suppress(OSError):
                found[f"fork server or worker {i}, race of a {title}"] = usage(pid)
    return found


class Race:
    """Races of one program, one after another for as long as the soak lasts."""

    def __init__(self, folder: Path, title: str) -> None:
        self.title = title
        self._folder = folder
        self._number = 0
        self._start()

    def _start(self) -> None:
        path = self._folder / f"{self.title}.toml"
        path.write_text(RACE.format(seed=self._number, program=PROGRAMS[self.title]))
        words = ["race", path.name, "--name", str(self._number)]
        self.process = start(self._folder, words, f"{self.title}.sqlite")

    def go_on(self) -> bool:
        """Start the next race, with other seeds, if this one has decided. Returns whether it had."""
        code = self.process.poll()
        if code is None:
            return False
        if code:
            raise SystemExit(f"the race of a {self.title} ended: {self.process.output()[1]}")
        self._number += 1
        self._start()
        return True

    def end(self) -> None:
        self.process.send(signal.SIGTERM)
        code, _, err = finish(self.process)
        if wrong := wrong_end(code, err, (0, INTERRUPTED, -signal.SIGTERM)):
            raise SystemExit(f"the race of a {self.title} did not end as it should: {wrong}")


def soak(minutes: float, path: Path, simulations: int = 100) -> None:
    """Write samples to a file, about 180 in equal distances."""
    with tempfile.TemporaryDirectory() as name:
        races = [Race(Path(name), title) for title in PROGRAMS]
        engine = Engine(simulations)
        play_game(engine)  # which compiles if need be
        samples: list[tuple[float, Sample]] = []
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < 60 * minutes:
            play_game(engine)
            time.sleep(REST * (time.monotonic() - began - elapsed))
            decided = [race.go_on() for race in races]
            if not any(decided) and (not samples or elapsed > samples[-1][0] + minutes / 3):
                samples.append((elapsed, sample({race.title: race.process.pid for race in races}, engine.pid)))
                path.write_text(json.dumps(samples))
        for race in races:
            race.end()
        engine.quit()


def table(path: Path) -> ResultTable:
    """Return for each process its memory and its open files, in the second sixth of the time and in the last."""
    samples = json.loads(path.read_text())
    end = samples[-1][0]
    parts = [[s for t, s in samples if first <= t / end <= last] for first, last in ((1 / 6, 1 / 3), (5 / 6, 1))]
    found = []
    for name in samples[-1][1]:
        cells = [_mean([s[name][i] for s in part if name in s]) for i in (0, 1) for part in parts]
        found.append((name, *cells))
    times = [f"{first * end / 60:.0f} to {last * end / 60:.0f} min" for first, last in ((1 / 6, 1 / 3), (5 / 6, 1))]
    columns = ("process", *(f"MB, {time}" for time in times), *(f"open files, {time}" for time in times))
    return ResultTable(f"A soak of {end / 60:.0f} minutes", columns, tuple(found))


def _mean(numbers: list[float]) -> str:
    return f"{statistics.mean(numbers):.1f}" if numbers else "—"


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--minutes", type=float, default=60)
    reader.add_argument("--output", type=Path, default=Path("build/soak.json"))
    reader.add_argument("--show", action="store_true", help="only write the table of an earlier soak")
    given = reader.parse_args()
    if not given.show:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        soak(given.minutes, given.output)
    replace_between(START, END, table(given.output).to_markdown())


if __name__ == "__main__":
    main()

"""Kills: of the driver, a worker, the server that workers are forked from, and all together, at random moments."""

import contextlib
import os
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.faults.trials import MATCH, Row, contents, finish, start, write_race, wrong_with

Victims = Callable[[int], list[int]]
LONGEST = 3.0  # seconds until a kill


def processes_of(group: int) -> dict[int, str]:
    """Return the command lines of the processes of a group, by number."""
    found = {}
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found[int(place.name)] = (place / "cmdline").read_text().replace("\0", " ")
    return found


def driver(group: int) -> list[int]:
    return [group]


def worker(group: int) -> list[int]:
    """A worker: a child of the fork server."""
    return _children(group, lambda pid, parent, line: "forkserver" in line and parent != group)


def fork_server(group: int) -> list[int]:
    return _children(group, lambda pid, parent, line: "forkserver" in line and parent == group)


def everybody(group: int) -> list[int]:
    return list(processes_of(group))


def _children(group: int, wanted: Callable[[int, int, str], bool]) -> list[int]:
    found = []
    for pid, line in processes_of(group).items():
        with contextlib.suppress(OSError, IndexError):
            parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
            if wanted(pid, parent, line):
                found.append(pid)
    return found


KINDS: dict[str, tuple[Victims, int]] = {
    "driver, kill -9": (driver, signal.SIGKILL),
    "driver, SIGTERM": (driver, signal.SIGTERM),
    "driver, Ctrl-C": (driver, signal.SIGINT),
    "a worker, kill -9": (worker, signal.SIGKILL),
    "a worker, SIGTERM": (worker, signal.SIGTERM),
    "fork server, kill -9": (fork_server, signal.SIGKILL),
    "all processes, kill -9": (everybody, signal.SIGKILL),
    "all processes, SIGTERM": (everybody, signal.SIGTERM),
}
RUNS = {"race of a callable": "callable", "race of a command": "command", "match": ""}


BEGUN, WORKING, ENDED = "before the first result", "during the work", "at or after the end"
MOMENTS = (BEGUN, WORKING, ENDED)


def moment(folder: Path) -> str:
    """Return how far the run is, as its ledger shows it."""
    place = folder / "semeai.sqlite"
    if not place.exists():
        return BEGUN
    connection = sqlite3.connect(place, timeout=10)
    try:
        states = connection.execute("SELECT state FROM runs").fetchall()
        results = connection.execute("SELECT n_rows FROM heads WHERE table_name IN ('batches', 'games')").fetchall()
    except sqlite3.OperationalError:  # there are no tables yet
        return BEGUN
    finally:
        connection.close()
    return ENDED if ("finished",) in states else WORKING if results else BEGUN


def kill_at_random(folder: Path, words: list[str], kind: str, draws: random.Random) -> tuple[str, str]:
    """Start the run, kill at a random moment, and wait for its end. Returns the moment, and what was wrong."""
    victims, number = KINDS[kind]
    process = start(folder, words)
    wait, at_work = draws.random() * LONGEST, draws.random() < 2 / 3
    if at_work:  # starting takes longer than many races: most kills shall hit the work
        while moment(folder) == BEGUN and process.poll() is None:
            time.sleep(0.03)
    time.sleep(wait / 3 if at_work else wait)
    when = moment(folder)
    found = victims(process.pid)
    for pid in found if victims is everybody else draws.sample(found, min(1, len(found))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    code, _, err = finish(process)
    left = _left_over(process.pid)
    if "Traceback" in err:
        return when, f"traceback: {err[-2000:]}"
    if code == -1:
        return when, err[-500:]
    return when, f"left over: {left}" if left else ""


def _left_over(group: int) -> dict[int, str]:
    """Return the processes that are still there some seconds after the end of their driver."""
    until = time.monotonic() + 10
    while (left := processes_of(group)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left


def trials(title: str, kind: str, n: int, seed: int) -> Row:
    """Kill a run ``n`` times; each run goes on until it has finished."""
    program = RUNS[title]
    words, expected = reference(program)
    row = Row(f"{title}: {kind}")
    draws = random.Random(f"{seed} {title} {kind}")
    while row.tried < n:
        _one_run(row, n, program, words, kind, draws, expected)
    return row


def _one_run(row: Row, n: int, program: str, words: list[str], kind: str, draws: random.Random, expected: str) -> None:
    """Kill one run up to five times, but not after its end, then let it finish.

    What is lost then is blamed on the last kill.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if program:
            write_race(folder, program)
        ends = [kill_at_random(folder, words, kind, draws)]
        while len(ends) < min(5, n - row.tried) and moment(folder) != ENDED:
            ends.append(kill_at_random(folder, words, kind, draws))
        end = wrong_with(folder, words, expected)
        for i, (when, wrong) in enumerate(ends):
            row.count(wrong or (end if i == len(ends) - 1 else ""), when)


@cache
def reference(program: str) -> tuple[list[str], str]:
    """Return the command of a run, and what its ledger has if nothing disturbs it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = MATCH
        if program:
            write_race(folder, program)
            words = ["race", "race.toml"]
        code, _, err = finish(start(folder, words))
        assert code == 0, err
        return words, contents(folder)

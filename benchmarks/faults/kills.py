"""Kills: of the driver, a worker, the server that workers are forked from, and all together, at random moments."""

import contextlib
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.faults.trials import MATCH, Row, contents, finish, start, write_race, wrong_with

Victims = Callable[[int], list[int]]
LONGEST = 2.0  # seconds until a kill


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


def kill_at_random(folder: Path, words: list[str], kind: str, draws: random.Random) -> str:
    """Start the run, kill at a random moment, and wait for its end. Returns a traceback or another wrong ending."""
    victims, number = KINDS[kind]
    process = start(folder, words)
    time.sleep(draws.random() * LONGEST)
    found = victims(process.pid)
    for pid in found if victims is everybody else draws.sample(found, min(1, len(found))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    code, _, err = finish(process)
    left = _left_over(process.pid)
    if "Traceback" in err:
        return f"traceback: {err[-2000:]}"
    if code == -1:
        return err[-500:]
    return f"left over: {left}" if left else ""


def _left_over(group: int) -> dict[int, str]:
    """Return the processes that are still there some seconds after the end of their driver."""
    until = time.monotonic() + 10
    while (left := processes_of(group)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left


def trials(title: str, n: int, seed: int) -> Iterator[Row]:
    """Kill a run ``n`` times, over all kinds of kills; each run goes on until it has finished."""
    share = max(1, n // len(KINDS))
    program = RUNS[title]
    words, expected = _reference(program)
    for kind in KINDS:
        row = Row(f"{title}: {kind}")
        draws = random.Random(f"{seed} {title} {kind}")
        while row.tried < share:
            _one_run(row, share, program, words, kind, draws, expected)
        yield row


def _one_run(
    row: Row, share: int, program: str, words: list[str], kind: str, draws: random.Random, expected: str
) -> None:
    """Kill one run up to five times, then let it finish."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if program:
            write_race(folder, program)
        for _ in range(min(5, share - row.tried)):
            row.count(kill_at_random(folder, words, kind, draws))
        if wrong := wrong_with(folder, words, expected):
            row.lost += 1
            row.examples.append(wrong)


def _reference(program: str) -> tuple[list[str], str]:
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

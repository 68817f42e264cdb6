"""Kills: of the driver, a worker, the server that workers are forked from, and all together, at random moments."""

import contextlib
import os
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.faults.trials import INTERRUPTED, MATCH, Row, contents, finish, start, write_race, wrong_end, wrong_with
from benchmarks.faults.warm import Started

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


@dataclass(frozen=True)
class Kind:
    """A kind of kill: which processes get which signal, and how the driver may end after it."""

    victims: Victims
    signal: int
    codes: tuple[int, ...]
    """Exit codes of the driver. 0 is right only if the run has finished, which the ledger must say."""
    early: tuple[int, ...] = ()
    """More exit codes before the first result: until its own handlers are set, Python's are right."""


_KILLED, _TERM = (0, -signal.SIGKILL), -signal.SIGTERM
KINDS = {
    "driver, kill -9": Kind(driver, signal.SIGKILL, _KILLED),
    "driver, SIGTERM": Kind(driver, signal.SIGTERM, (0, INTERRUPTED), (_TERM,)),
    "driver, Ctrl-C": Kind(driver, signal.SIGINT, (0, INTERRUPTED)),
    "a worker, kill -9": Kind(worker, signal.SIGKILL, (0,)),
    "a worker, SIGTERM": Kind(worker, signal.SIGTERM, (0,)),
    "fork server, kill -9": Kind(fork_server, signal.SIGKILL, (0,)),
    "all processes, kill -9": Kind(everybody, signal.SIGKILL, _KILLED),
    "all processes, SIGTERM": Kind(everybody, signal.SIGTERM, (0, INTERRUPTED), (_TERM,)),
}
RUNS = {"race of a callable": "callable", "race of a command": "command", "match": ""}
MOST_KILLS = 5
"""Kills of one run."""

BEGUN, WORKING, ENDED = "before the first result", "during the work", "at or after the end"
MOMENTS = (BEGUN, WORKING, ENDED)


def progress(folder: Path) -> tuple[int, bool]:
    """Return the number of results in the ledger, and whether its run has finished."""
    place = folder / "semeai.sqlite"
    if not place.exists():
        return 0, False
    connection = sqlite3.connect(place, timeout=60)
    try:
        states = connection.execute("SELECT state FROM runs").fetchall()
        rows = connection.execute("SELECT n_rows FROM heads WHERE table_name IN ('batches', 'games')").fetchall()
    except sqlite3.OperationalError:  # there are no tables yet
        return 0, False
    finally:
        connection.close()
    return sum(n for (n,) in rows), ("finished",) in states


class Kills:
    """A run that is killed at random moments until it has finished."""

    def __init__(self, folder: Path, words: list[str], kind: Kind, draws: random.Random) -> None:
        self._folder, self._words, self._kind, self._draws = folder, words, kind, draws
        self._n_at_start = 0

    @property
    def finished(self) -> bool:
        return progress(self._folder)[1]

    def _moment(self) -> str:
        n, finished = progress(self._folder)
        return ENDED if finished else WORKING if n > self._n_at_start else BEGUN

    def session(self, most: int) -> list[tuple[str, str]]:
        """Start the run and kill until it ends. Returns the moment of each kill, and what was wrong after it.

        A run whose worker is killed goes on, and is killed again. What is wrong at the end is blamed on the last kill.
        """
        self._n_at_start = progress(self._folder)[0]
        process = start(self._folder, self._words)
        moments = [self._kill(process)]
        while len(moments) < most and self._kind.codes == (0,) and not self.finished and process.poll() is None:
            moments.append(self._kill(process))
        code, _, err = finish(process)
        early = self._kind.early if moments[-1] == BEGUN else ()
        left = _left_over(process.pid)
        wrong = wrong_end(code, err, (*self._kind.codes, *early))
        if not wrong and code == 0 and not self.finished:
            wrong = "exit code 0 before the run has finished"
        wrong = wrong or (f"left over: {left}" if left else "")
        return [*((moment, "") for moment in moments[:-1]), (moments[-1], wrong)]

    def _kill(self, process: Started) -> str:
        """Wait for a random time and kill. Returns the moment."""
        wait, at_work = self._draws.random() * LONGEST, self._draws.random() < 2 / 3
        if at_work:  # starting takes longer than many races: most kills shall hit the work
            while self._moment() == BEGUN and process.poll() is None:
                time.sleep(0.03)
        time.sleep(wait / 3 if at_work else wait)
        while not (found := self._kind.victims(process.pid)) and process.poll() is None:
            time.sleep(0.01)
        when = self._moment()
        for pid in found if self._kind.victims is everybody else self._draws.sample(found, min(1, len(found))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, self._kind.signal)
        return when


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
    """Kill one run up to ``MOST_KILLS`` times, but not after its end, then let it finish.

    What is lost then is blamed on the last kill.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if program:
            write_race(folder, program)
        most = min(MOST_KILLS, n - row.tried)
        kills = Kills(folder, words, KINDS[kind], draws)
        ends = kills.session(most)
        while len(ends) < most and not kills.finished:
            ends += kills.session(most - len(ends))
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

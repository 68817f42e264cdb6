"""Full disks, lost servers and second writers."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from benchmarks.faults import kills
from benchmarks.faults.kills import LONGEST
from benchmarks.faults.trials import LOCKED, Row, finish, start, write_race, wrong_end, wrong_with
from semeai.printable import printable
from semeai.store import schema

WORDS = ["race", "race.toml"]
NO_LEDGER = LOCKED
"""Exit code if a ledger cannot be written or reached: the same as for one that somebody else writes."""


class Unavailable(Exception):
    """A fault that cannot be made here. The message says why."""


def reference() -> str:
    """Return what the ledger of the race has if nothing disturbs it."""
    return kills.reference("callable")[1]


def full_disks(n: int, seed: int, expected: str) -> Row:
    """Race on disks that are too small; then with room."""
    row = Row("disk full during a race")
    draws = random.Random(f"{seed} disk")
    while row.tried < n:
        with tempfile.TemporaryDirectory() as name, _small_disk(Path(name), draws.randrange(160, 700)) as small:
            write_race(small, "callable")
            code, _, err = finish(start(small, WORDS))
            if code == 0:
                continue  # it had room enough
            wrong = wrong_end(code, err, (NO_LEDGER,))
            roomy = Path(name) / "roomy"
            roomy.mkdir()
            for file in small.iterdir():
                shutil.copy(file, roomy)
            row.count(wrong or wrong_with(roomy, WORDS, expected))
    return row


@contextlib.contextmanager
def _small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    place = folder / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise Unavailable("there is no program mount") from None
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"small disks cannot be mounted: {printable(error.stderr.strip())}") from None
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def second_writers(n: int, seed: int, expected: str) -> Row:
    """Start the same race three times at once: one writes, the others are refused; then kill and start again."""
    row = Row("three drivers of one run at once")
    draws = random.Random(f"{seed} writers")
    for _ in range(n):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_race(folder, "callable")
            processes = [start(folder, WORDS) for _ in range(3)]
            time.sleep(draws.random() * LONGEST)
            if draws.random() < 0.5:
                processes[0].send(signal.SIGKILL)
                allowed = [(0, LOCKED, -signal.SIGKILL), (0, LOCKED), (0, LOCKED)]
            else:
                allowed = [(0, LOCKED)] * 3
            ends = [finish(process) for process in processes]
            wrong = [wrong_end(code, err, right) for (code, _, err), right in zip(ends, allowed, strict=True)]
            row.count(next(filter(None, wrong), "") or wrong_with(folder, WORDS, expected))
    return row


def lost_leases(n: int, seed: int, expected: str) -> Row:
    """Take the right to write from a driver at work, and start a second driver: the first must write nothing more."""
    row = Row("lock lost during a race, and a second driver")
    draws = random.Random(f"{seed} leases")
    while row.tried < n:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_race(folder, "callable")
            first = start(folder, WORDS)
            time.sleep(draws.random() * LONGEST)
            while not (taken := _free_lease(folder / "semeai.sqlite")) and first.poll() is None:
                time.sleep(0.01)
            second = start(folder, WORDS)
            ends = [finish(process) for process in (first, second)]
            wrong = [wrong_end(code, err, (0, LOCKED)) for code, _, err in ends]
            if taken:
                row.count(next(filter(None, wrong), "") or wrong_with(folder, WORDS, expected))
    return row


def _free_lease(path: Path) -> bool:
    """Remove the token of a lease. Returns whether there was one."""
    if not path.exists():
        return False
    connection = sqlite3.connect(path, timeout=60, isolation_level=None)
    try:
        return connection.execute("UPDATE leases SET token = '' WHERE token <> ''").rowcount == 1
    except sqlite3.OperationalError:  # there are no tables yet
        return False
    finally:
        connection.close()


class Server:
    """A PostgreSQL server of our own, on a socket in a temporary folder."""

    def __init__(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            raise Unavailable("no PostgreSQL server is installed")
        self._binaries = found[-1].parent
        self._folder = Path(tempfile.mkdtemp(prefix="semeai-postgres-"))
        self._as_user = ["runuser", "-u", "nobody", "--"] if os.getuid() == 0 else []
        if self._as_user:
            shutil.chown(self._folder, "nobody")
        self._run("initdb", "-U", "semeai", "-A", "trust")
        self.url = f"postgresql+psycopg://semeai@/postgres?host={self._folder}"
        self.start()

    def _run(self, program: str, *words: str) -> None:
        command = [*self._as_user, self._binaries / program, "-D", self._folder / "data", *words]
        subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd=self._folder, timeout=120)

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self, how: str) -> None:
        self._run("pg_ctl", "-m", how, "stop")

    def drop_connections(self) -> None:
        engine = create_engine(self.url)
        with engine.connect() as connection:
            query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            connection.execute(text(query + " AND backend_type = 'client backend'"))
        engine.dispose()

    def suffer(self, fault: str, draws: random.Random) -> None:
        if "crashed" in fault:
            self.stop("immediate")
            time.sleep(draws.random())
            self.start()
        else:
            self.drop_connections()

    def has_results(self) -> bool:
        """Return whether a run has begun to record."""
        engine = create_engine(self.url)
        try:
            with engine.connect() as connection:
                return bool(connection.execute(text("SELECT count(*) FROM heads WHERE n_rows > 0")).scalar())
        except DBAPIError:  # there are no tables yet
            return False
        finally:
            engine.dispose()

    def clear(self) -> None:
        engine = create_engine(self.url)
        schema.metadata.drop_all(engine)
        engine.dispose()

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)


SERVER_FAULTS = ("connections to PostgreSQL cut", "PostgreSQL crashed and started again")


def lost_servers(fault: str, n: int, seed: int, expected: str) -> Row:
    """Cut the connections to a database, or crash its server and start it again, up to three times during a race."""
    row = Row(f"{fault} during a race")
    draws = random.Random(f"{seed} {fault}")
    server = Server()
    try:
        while row.tried < n:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write_race(folder, "callable")
                process = start(folder, WORDS, server.url)
                while not server.has_results() and process.poll() is None:  # before, a lost server is refused at once
                    time.sleep(0.05)
                n_faults = 0
                while n_faults < 3 and process.poll() is None:
                    server.suffer(fault, draws)
                    n_faults += 1
                    time.sleep(draws.random() * LONGEST)
                code, _, err = finish(process)
                if n_faults:
                    row.count(wrong_end(code, err, (0,)) or wrong_with(folder, WORDS, expected, server.url))
                server.clear()
    finally:
        server.close()
    return row

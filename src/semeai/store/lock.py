"""Locks that allow one writer per run. A lock is freed when its process ends, even by ``kill -9``."""

import contextlib
import fcntl
import os
import socket
from pathlib import Path
from typing import IO, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from semeai.errors import LedgerError, RunLocked


class Lock(Protocol):
    """A lock that its constructor takes. Constructors raise RunLocked if another writer has it."""

    def release(self) -> None: ...


_held: set[Path] = set()  # fcntl does not stop a process from taking its own lock twice


class FileLock:
    """A POSIX record lock on a file beside the ledger. Workers do not inherit it; the operating system frees it."""

    def __init__(self, path: Path, run: str) -> None:
        self._path = path.resolve()
        if self._path in _held:
            raise RunLocked(f"run {run!r} is being written by this process already")
        while True:
            self._file = self._open_and_lock(run)
            if _is_same_file(self._file, self._path):
                break
            self._file.close()  # its last owner removed the file before we locked it: lock the new file
        _held.add(self._path)
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()} on {socket.gethostname()}")
        self._file.flush()

    def _open_and_lock(self, run: str) -> IO[str]:
        try:
            file = open(self._path, "a+")  # noqa: SIM115 - held until release
        except OSError as error:
            raise LedgerError(f"cannot write {self._path}: {error.strerror}") from None
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            owner = file.read().strip() or "another process"
            file.close()
            raise RunLocked(f"run {run!r} is being written by {owner}") from None
        return file

    def release(self) -> None:
        _held.discard(self._path)
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()


def file_lock_is_held(path: Path) -> bool:
    """Return whether a writer holds the lock. Readers only look at the text that the writer put into the file."""
    try:
        words = path.read_text().split()
    except OSError:
        return False
    if len(words) != 4 or words[3] != socket.gethostname():
        return bool(words)  # a process on another machine, which cannot be checked from here
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _is_same_file(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


class AdvisoryLock:
    """A session lock of PostgreSQL. The server frees it when the connection ends."""

    SPACE = 0x5E3EA1  # semeai's own range of lock numbers

    def __init__(self, engine: Engine, run_id: int, run: str) -> None:
        self._key = {"space": self.SPACE, "run": run_id}
        self._connection: Connection = engine.connect()
        locked = self._connection.execute(text("SELECT pg_try_advisory_lock(:space, :run)"), self._key).scalar()
        self._connection.commit()
        if not locked:
            self._connection.close()
            raise RunLocked(f"run {run!r} is being written by another connection to this database")

    def release(self) -> None:
        with contextlib.suppress(SQLAlchemyError):  # a lost connection has freed it already
            self._connection.execute(text("SELECT pg_advisory_unlock(:space, :run)"), self._key)
        self._connection.close()

    @classmethod
    def is_held(cls, engine: Engine, run_id: int) -> bool:
        """Return whether a writer holds the lock."""
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :space AND objid = :run"
        with engine.connect() as connection:
            return bool(connection.execute(text(query), {"space": cls.SPACE, "run": run_id}).scalar())

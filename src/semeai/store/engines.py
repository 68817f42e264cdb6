"""Connections to the database of a ledger: SQLite for writing, SQLite for reading only, or PostgreSQL."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, Pool, QueuePool

from semeai.errors import LedgerError
from semeai.store.places import without_password

BUSY_SECONDS = 60.0
"""How long a connection waits for another writer of the same SQLite file."""

_NO_LOCKS = ("SQLITE_IOERR_LOCK", "SQLITE_IOERR_UNLOCK", "SQLITE_IOERR_CHECKRESERVEDLOCK", "SQLITE_IOERR_RDLOCK",
             "SQLITE_IOERR_SHMLOCK", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMMAP", "SQLITE_PROTOCOL")  # fmt: skip
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CORRUPT_INDEX", "SQLITE_CORRUPT_VTAB", "SQLITE_FORMAT")


def postgres_engine(location: str) -> Engine:
    """Return an engine for the URL of a PostgreSQL database."""
    try:
        return create_engine(location, pool_pre_ping=True)
    except (SQLAlchemyError, ImportError) as error:
        raise LedgerError(f"cannot use {without_password(location)} as a ledger: {reason_of(error)}") from None


def writing_engine(path: Path) -> Engine:
    """Return an engine for a SQLite file, which is created if it does not exist."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    return _sqlite_engine(connect)


def use_log(engine: Engine) -> None:
    """Switch a new SQLite file to a write-ahead log. It stays so for all later connections.

    Raises LedgerError if SQLite refuses, as it does silently where processes cannot share memory.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        while True:
            try:
                (mode,) = raw.execute("PRAGMA journal_mode = WAL").fetchone()
                break
            except sqlite3.OperationalError as error:
                # If two processes switch at once, SQLite refuses one of them without waiting.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise DBAPIError.instance(None, None, error, sqlite3.Error) from error
                time.sleep(0.01)
    if mode != "wal":
        raise LedgerError(
            "its file system allows no write-ahead log, as some network disks: use a local disk or PostgreSQL"
        )


def reading_engine(path: Path) -> tuple[Engine, Path | None]:
    """Return an engine that cannot write to a SQLite file, and the folder of a temporary copy if one was needed.

    SQLite makes an index beside a file with a write-ahead log when it reads it, and a reader cannot remove it. So a
    connection reads the file as it is while nobody writes it. After a writer was killed and its index lost, a copy of
    file and log is read. The engine makes a new connection each time, because a writer may have come or gone.
    """
    _check_regular(path)
    if _beside(path, "-wal") and not path.with_name(path.name + "-shm").exists():
        folder = Path(tempfile.mkdtemp(prefix="semeai-ledger-"))
        try:
            for file in (path, path.with_name(path.name + "-wal")):
                shutil.copy(file, folder)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise LedgerError(f"cannot read {path}: {error.strerror}") from None
        return _reader(folder / path.name, lambda: "mode=rw"), folder
    return _reader(path, lambda: "mode=ro" if is_open(path) else "immutable=1"), None


def is_open(path: Path) -> bool:
    """Return whether a writer has the SQLite file open, or was killed: there is a log with its index, or a journal."""
    return path.with_name(path.name + "-shm").exists() or _beside(path, "-journal") or _beside(path, "-wal")


def _beside(path: Path, ending: str) -> bool:
    """Return whether there is such a file with contents beside a SQLite file."""
    try:
        return path.with_name(path.name + ending).stat().st_size > 0
    except OSError:
        return False


def _check_regular(path: Path) -> None:
    try:
        with open(path, "rb") as file:
            regular = os.path.isfile(path)
            head = file.read(16) if regular else b""
    except OSError as error:
        raise LedgerError(f"cannot read {path}: {error.strerror}") from None
    if not regular or (head and head != b"SQLite format 3\0"):
        raise LedgerError(f"cannot read {path}: it is not a ledger of semeai (file is not a database)")


def _reader(path: Path, mode: Callable[[], str]) -> Engine:
    place = f"file:{quote(str(path.resolve()))}"

    def connect() -> sqlite3.Connection:
        where = f"{place}?{mode()}"
        return sqlite3.connect(where, BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)

    return _sqlite_engine(connect, NullPool)


def _sqlite_engine(connect: Callable[[], sqlite3.Connection], pool: type[Pool] = QueuePool) -> Engine:
    more = {"max_overflow": -1} if pool is QueuePool else {}
    engine = create_engine("sqlite://", creator=connect, poolclass=pool, **more)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get("semeai_write", False):
            connection.exec_driver_sql("BEGIN")
            return
        # With FULL the log is on the disk at the commit; with NORMAL a power cut may lose the last commits.
        connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if options.get('semeai_durable') else 'NORMAL'}")
        # If a writing transaction began as a reading one, SQLite could refuse the lock in the middle of it.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def reason_of(error: BaseException) -> str:
    """Return the first line of the reason that a database gives, in plainer words if it is a known one."""
    cause = getattr(error, "orig", None) or error
    name = getattr(cause, "sqlite_errorname", "")
    text = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
    if name in _NO_LOCKS:
        return f"its file system has no working locks ({text}), as some network disks: use a local disk or PostgreSQL"
    if name in _DAMAGED:
        return f"it is damaged or no database ({text}); `semeai check` tells what is lost"
    return text

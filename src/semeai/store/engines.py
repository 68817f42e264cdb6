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
from sqlalchemy.pool import QueuePool

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

    Reading a file with a write-ahead log may need to write an index of the log beside it. In a folder that cannot be
    written, the file is read as it is if its log is empty, and otherwise a copy of both is read.
    """
    _check_regular(path)
    engine = _read_only(path, "mode=ro")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
        return engine, None
    except SQLAlchemyError as error:
        engine.dispose()
        cause = getattr(error, "orig", None)
        if not isinstance(cause, sqlite3.OperationalError) or cause.sqlite_errorname in _DAMAGED:
            raise
    log = path.with_name(path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        return _read_only(path, "immutable=1"), None
    folder = Path(tempfile.mkdtemp(prefix="semeai-ledger-"))
    try:
        for file in (path, log):
            shutil.copy(file, folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise LedgerError(f"cannot read {path}: {error.strerror}") from None
    return _read_only(folder / path.name, "mode=rw"), folder


def _check_regular(path: Path) -> None:
    try:
        with open(path, "rb") as file:
            regular = os.path.isfile(path)
            head = file.read(16) if regular else b""
    except OSError as error:
        raise LedgerError(f"cannot read {path}: {error.strerror}") from None
    if not regular or (head and head != b"SQLite format 3\0"):
        raise LedgerError(f"cannot read {path}: it is not a ledger of semeai (file is not a database)")


def _read_only(path: Path, mode: str) -> Engine:
    place = f"file:{quote(str(path.resolve()))}?{mode}"
    return _sqlite_engine(
        lambda: sqlite3.connect(place, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    )


def _sqlite_engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, max_overflow=-1)

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

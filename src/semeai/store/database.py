"""The file or database of a ledger, without its runs: opening it, its format, and its transactions."""

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import sqlalchemy
from sqlalchemy import Connection, Engine, insert, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from semeai.errors import LedgerError
from semeai.store import schema
from semeai.store.engines import (
    is_open,
    last_change,
    postgres_engine,
    reading_engine,
    reason_of,
    use_log,
    writing_engine,
)
from semeai.store.places import DEFAULT_LEDGER, check_location, without_password

T = TypeVar("T")

_CREATION = 0x5E3EA1  # number of the lock in PostgreSQL under which the tables are created
_LOST = ("OperationalError", "AdminShutdown", "CrashShutdown", "CannotConnectNow", "ConnectionTimeout")
_PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)  # seconds between attempts to reach a database again; the last one repeats


class Database:
    """The file or database of a ledger: its format, its transactions, and what is said if they fail."""

    RECONNECT_SECONDS = 300.0
    """How long a writer tries to reach a lost database again."""

    def __init__(self, location: str | Path = DEFAULT_LEDGER, *, read_only: bool = False) -> None:
        place = check_location(str(location))
        self.location = without_password(place)
        self.read_only = read_only
        self.path: Path | None = None if "://" in place else Path(place)
        """The SQLite file; None if the ledger is a database of a server."""
        self.say: Callable[[str], object] = lambda text: None
        """Called before a wait for a lost database."""
        self.gives_up: Callable[[], bool] = lambda: False
        """Whether to end such a wait at once."""
        self._copy: Path | None = None
        self._shared: Connection | None = None  # connection of ``one_state``
        self._engine = self._open(place)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _open(self, place: str) -> Engine:
        if self.path is None:
            return postgres_engine(place)
        if not self.read_only:
            if not self.path.parent.is_dir():
                raise LedgerError(f"cannot make a ledger at {self.location}: there is no such folder")
            return writing_engine(self.path)
        if not self.path.exists():
            raise LedgerError(f"there is no ledger at {self.location}; name one with --ledger")
        with self._explaining("read"):
            engine, self._copy = reading_engine(self.path)
        return engine

    def _prepare(self) -> None:
        # Opening an existing ledger writes nothing, not even an empty transaction.
        version = self.format()
        if version is None:
            if self.read_only:
                raise LedgerError(f"{self.location} is not a ledger of semeai")
            self._create()
            version = self.format()
        if version != str(schema.SCHEMA_VERSION):
            older = version is not None and version.isdecimal() and int(version) < schema.SCHEMA_VERSION
            hint = f"; convert it with `semeai migrate --ledger {self.location}`, which keeps a copy" if older else ""
            raise LedgerError(
                f"{self.location} has ledger format {version}, this version of semeai reads "
                f"{schema.SCHEMA_VERSION}{hint}"
            )

    def format(self) -> str | None:
        """Return the version of the format; None if the database is empty. Raises LedgerError if it is another's."""
        with self.reading() as connection:
            tables = set(sqlalchemy.inspect(connection).get_table_names())
            if not tables & {"about", "runs"} and (not tables or self.path is None):
                return None
            if not {"about", "runs"} <= tables:
                raise LedgerError(f"{self.location} is not a ledger of semeai: it has the tables {_some(tables)}")
            query = select(schema.about.c.value).where(schema.about.c.key == "schema")
            version = connection.execute(query).scalar()
        if version is None:
            raise LedgerError(f"{self.location} is not a ledger of semeai: it has no format")
        return str(version)

    def _create(self) -> None:
        def create(connection: Connection) -> None:
            if connection.dialect.name == "postgresql":  # several runs may be the first to use it
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CREATION})
            schema.metadata.create_all(connection, schema.CORE_TABLES)
            if connection.execute(select(schema.about.c.value)).first() is None:
                connection.execute(insert(schema.about), {"key": "schema", "value": str(schema.SCHEMA_VERSION)})

        if self.path is not None:
            with self._explaining("write to"):
                try:
                    use_log(self._engine)
                except LedgerError as error:
                    raise LedgerError(f"cannot make a ledger at {self.location}: {error}") from None
        self.write(create)

    # -- transactions ------------------------------------------------------------------------------------------

    def write(self, action: Callable[[Connection], T], *, durable: bool = False, patient: bool = True) -> T:
        """Call ``action`` in a transaction and commit it. If ``durable``, it survives a power cut once this returns.

        If the connection to a server is lost, it is tried again for RECONNECT_SECONDS unless ``patient`` is False. The
        transaction may then have been committed already, so ``action`` must find out what is left to do.
        """
        began, attempt = time.monotonic(), 0
        engine = self._engine.execution_options(semeai_write=True, semeai_durable=durable)
        while True:
            try:
                with self._explaining("write to"), engine.begin() as connection:
                    return action(connection)
            except LedgerError as error:
                again = patient and self.path is None and _is_lost(error.__cause__) and not self.gives_up()
                if not again or time.monotonic() - began > self.RECONNECT_SECONDS:
                    raise
                if attempt == 0:
                    self.say(f"{error}; trying again for {self.RECONNECT_SECONDS:.0f} s")
                self._pause(_PAUSES[min(attempt, len(_PAUSES) - 1)])
                attempt += 1

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.gives_up():
            time.sleep(0.05)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection for reading; everything that is read in the block is from one moment."""
        if self._shared is not None:
            with self._explaining("read"):
                yield self._shared
            return
        with self._undisturbed(), self._explaining("read"), self._engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Tell damage from a writer that came while a file was read as one that nobody writes."""
        if self.path is None or not self.read_only or is_open(self.path):
            yield
            return
        before = last_change(self.path)
        try:
            yield
        except LedgerError as error:
            if before == last_change(self.path):
                raise
            raise LedgerError(f"{self.location} was changed while it was read: look again") from error

    @contextlib.contextmanager
    def one_state(self) -> Iterator[None]:
        """Let everything that is read by calls in the block be from one moment, also while a run is written."""
        before = self._shared
        with self.reading() as connection:
            self._shared = connection
            try:
                yield
            finally:
                self._shared = before

    @contextlib.contextmanager
    def _explaining(self, doing: str) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise LedgerError(f"cannot {doing} {self.location}: {reason_of(error)}") from error
        except (ValueError, TypeError, OverflowError) as error:  # a value that its column cannot have
            raise LedgerError(f"cannot {doing} {self.location}: a row is damaged ({error})") from error

    def close(self) -> None:
        self._engine.dispose()
        if self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)


def _is_lost(error: BaseException | None) -> bool:
    """Return whether the connection to a database server was lost or could not be made."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or type(error.orig).__name__ in _LOST


def _some(names: set[str]) -> str:
    shown = sorted(names)[:3]
    return ", ".join(shown) + (", ..." if len(names) > 3 else "")

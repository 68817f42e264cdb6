"""The ledger: an append-only record in SQLite (write-ahead log) or, if given as a URL, in PostgreSQL.

Both backends guarantee:

- a batch and the verdicts that follow from it are recorded in one transaction, or not at all;
- recording the same batch again changes nothing; recording different content under its number is an error;
- a run has one writer; readers see every committed batch at once, never block the writer and never write;
- acknowledged results survive ``kill -9`` of any process, and announced verdicts survive a power cut;
- a damaged row is found when it is read, and never used.
"""

import contextlib
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import Connection, Engine, Row, Table, insert, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from semeai.errors import LedgerError, RunChanged, RunNotFound, did_you_mean
from semeai.race.race import Batch
from semeai.store import schema
from semeai.store.checks import Head, digest_of, head_rows, heads_of, recorded_checksum, row_checksum
from semeai.store.engines import is_open, postgres_engine, reading_engine, reason_of, use_log, writing_engine
from semeai.store.identity import describe_changes, hash_config
from semeai.store.kinds import table_named
from semeai.store.lease import Lease, is_held, lease_query
from semeai.store.places import DEFAULT_LEDGER, check_location, without_password
from semeai.store.race_rows import counts_from_json, now
from semeai.store.writer import RecordedBatch, RunWriter

T = TypeVar("T")

DIGEST_TABLES = (schema.candidates, schema.batches, schema.decisions)
_CREATION = 0x5E3EA1  # number of the lock in PostgreSQL under which the tables are created
_LOST = ("OperationalError", "AdminShutdown", "CrashShutdown", "CannotConnectNow", "ConnectionTimeout")
_PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)  # seconds between attempts to reach a database again; the last one repeats


@dataclass(frozen=True)
class RunInfo:
    """The row of a run in the ledger."""

    id: int
    name: str
    kind: str
    config: Mapping[str, Any]
    config_hash: str
    seed: int
    versions: Mapping[str, str]
    created_at: str
    state: str
    """The state that was recorded last; ``Ledger.state`` also checks if a process is writing the run."""
    updated_at: str
    """Time of the last change of the state."""


_RUN_FIELDS = tuple(field.name for field in fields(RunInfo))


class Ledger:
    """A store of runs by name, in a file or a database."""

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
        before = self.path.stat()
        try:
            yield
        except LedgerError as error:
            after = self.path.stat()
            if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
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

    # -- reading -----------------------------------------------------------------------------------------------

    def runs(self) -> list[RunInfo]:
        """Return all runs in the order of their creation."""
        with self.reading() as connection:
            for run_id in self.lost_runs():
                raise self.damage(run_id, "its row in runs is missing")
            return [self._info(row) for row in connection.execute(select(schema.runs).order_by(schema.runs.c.id))]

    def run(self, name: str) -> RunInfo:
        """Return the run of that name. Raises RunNotFound with the nearest name if there is none."""
        with self.reading() as connection:
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                known = connection.scalars(select(schema.runs.c.name)).all()
                hint = did_you_mean(name, known) if known else "it holds no runs"
                raise RunNotFound(f"no run {name!r} in {self.location}; {hint}")
            return self._info(row)

    def _info(self, row: Row[Any]) -> RunInfo:
        found = row._asdict()
        if row_checksum(schema.runs, found) != found["checksum"] or hash_config(found["config"]) != row.config_hash:
            raise LedgerError(f"{self.location}: the row of run {row.name!r} in runs is damaged")
        return RunInfo(**{name: found[name] for name in _RUN_FIELDS})

    def run_ids(self) -> dict[str, int]:
        """Return the id of each run by name, also of runs whose rows are damaged."""
        with self.reading() as connection:
            query = select(schema.runs.c.name, schema.runs.c.id).order_by(schema.runs.c.id)
            return {str(row.name): row.id for row in connection.execute(query)}

    def lost_runs(self) -> list[int]:
        """Return the ids of runs that have rows in the ledger, but not their own."""
        query = select(schema.heads.c.run_id).where(schema.heads.c.run_id.not_in(select(schema.runs.c.id)))
        with self.reading() as connection:
            return list(connection.scalars(query.distinct()))

    def state(self, run: RunInfo) -> str:
        """Return the state of a run: as recorded, but "killed" if it should be running and no process writes it."""
        if run.state not in ("new", "running"):
            return str(run.state)
        with self.reading() as connection:
            row = connection.execute(lease_query(connection).where(schema.leases.c.run_id == run.id)).first()
            return "running" if row is not None and is_held(row._asdict()) else "killed"

    def last_results(self) -> dict[str, str]:
        """Return the time of the last result of each run by name; results of ``run/part`` also count for ``run``."""
        found: dict[str, str] = {}
        for name, heads in self.all_heads().items():
            when = max((head.updated_at for head in heads.values()), default="")
            for above in parts_of(name) if when else ():
                found[above] = max(when, found.get(above, ""))
        return found

    def rows(self, table: str | Table, run_id: int, start: int = 0) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of one run in a table, in order, without the run's id and the checksum.

        They are read in portions, from number ``start`` on. Raises LedgerError at a damaged row.
        """
        table = table_named(table) if isinstance(table, str) else table
        for row in self.checked_rows(table, run_id, start):
            del row["run_id"], row["checksum"]
            yield row

    def checked_rows(self, table: Table, run_id: int, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield whole rows of one run, in order. Raises LedgerError at the first one that is damaged.

        At the end, it also raises LedgerError if they are not as many as recorded, or others; not with a ``start``.
        """
        query = select(table).where(table.c.run_id == run_id).order_by(*table.primary_key.columns)
        if start:
            query = query.where(list(table.primary_key.columns)[1] >= start)
        names = [column.name for column in table.columns]
        found = Head()
        with self.reading() as connection:
            recorded = self._heads_in(connection, run_id).get(table.name, Head())
            if self.has(connection, table):
                with connection.execution_options(yield_per=1000).execute(query) as rows:
                    for values in rows:
                        row = dict(zip(names, values, strict=True))
                        if recorded_checksum(table, values) != values[-1]:
                            raise self.damage(run_id, f"{place_of(table, row)} is damaged")
                        found.count(values[-1])
                        yield row
            if start or table is schema.checkpoints:
                return
            n = found.n_rows
            if n != recorded.n_rows:
                raise self.damage(run_id, f"{table.name} has {n} rows where {recorded.n_rows} were recorded")
            if found.checksums != recorded.checksums:
                raise self.damage(run_id, f"the rows in {table.name} are not those that were recorded")

    def damage(self, run_id: int, what: str) -> LedgerError:
        """Return the error for a run whose rows are damaged."""
        with self.reading() as connection:
            name = connection.execute(select(schema.runs.c.name).where(schema.runs.c.id == run_id)).scalar()
        return LedgerError(f"{self.location}: run {run_id if name is None else repr(name)}: {what}")

    def heads(self, run_id: int) -> dict[str, Head]:
        """Return the recorded number of rows and sums of checksums of a run, by table name.

        Raises LedgerError if they are damaged.
        """
        with self.reading() as connection:
            return self._heads_in(connection, run_id)

    def _heads_in(self, connection: Connection, run_id: int) -> dict[str, Head]:
        return self._heads_of(run_id, connection.execute(select(schema.heads).where(schema.heads.c.run_id == run_id)))

    def all_heads(self) -> dict[str, dict[str, Head]]:
        """Return the heads of all runs, by the name of the run. Raises LedgerError if they are damaged."""
        with self.reading() as connection:
            rows: dict[int, list[Row[Any]]] = {}
            for row in connection.execute(select(schema.heads)):
                rows.setdefault(row.run_id, []).append(row)
            names = connection.execute(select(schema.runs.c.id, schema.runs.c.name)).all()
            return {name: self._heads_of(run_id, rows.get(run_id, ())) for run_id, name in names}

    def _heads_of(self, run_id: int, rows: Iterable[Row[Any]]) -> dict[str, Head]:
        found = heads_of(row._asdict() for row in rows)
        if found is None:
            raise self.damage(run_id, "its rows in heads are damaged")
        return found

    def batches(self, run_id: int, start: int = 0) -> Generator[RecordedBatch]:
        """Yield the batches of a race with their rewards, in dispatch order, from number ``start`` on."""
        for row in self.rows(schema.batches, run_id, start):
            yield RecordedBatch(
                Batch(row["number"], row["candidate"], row["start"], row["size"]),
                None if row["counts"] is None else counts_from_json(row["counts"]),
            )

    @staticmethod
    def has(connection: Connection, table: Table) -> bool:
        """Return whether the ledger has the table. A table of a kind of run is created with the first such run."""
        return table in schema.CORE_TABLES or sqlalchemy.inspect(connection).has_table(table.name)

    def digest(self, run_id: int) -> str:
        """Return a hash of a run's candidates, rewards and decisions: equal for equal runs on any machine."""
        return digest_of(self.heads(run_id), DIGEST_TABLES)

    # -- writing -----------------------------------------------------------------------------------------------

    def open_run(
        self,
        name: str,
        kind: str,
        config: Mapping[str, Any],
        seed: int,
        versions: Mapping[str, str],
        tables: Sequence[Table] = (),
    ) -> RunWriter:
        """Create the run or resume it; ``tables`` are the additional tables of its kind. Returns its writer.

        Raises RunChanged if it exists with another configuration, RunLocked if it has a writer already.
        """
        config_hash = hash_config(config)

        def find_or_create(connection: Connection) -> int:
            if tables:
                schema.metadata.create_all(connection, tables)  # the first run of its kind
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                return self._insert_run(connection, name, kind, config, config_hash, seed, versions)
            if row.config_hash != config_hash:
                changes = "; ".join(describe_changes(row.config, config))
                raise RunChanged(
                    f"run {name!r} exists in {self.location} with another configuration ({changes}): "
                    "change it back to resume, or give this one another name"
                )
            return self._info(row).id

        run_id = self.write(find_or_create)
        lease = Lease(self, run_id, name)
        try:
            return RunWriter(self, run_id, name, lease, tables)
        except BaseException:
            lease.release()
            raise

    @staticmethod
    def _insert_run(
        connection: Connection,
        name: str,
        kind: str,
        config: Mapping[str, Any],
        config_hash: str,
        seed: int,
        versions: Mapping[str, str],
    ) -> int:
        values = {
            "name": name, "kind": kind, "config": dict(config), "config_hash": config_hash, "seed": seed,
            "versions": dict(versions), "created_at": now(), "state": "new", "updated_at": now(), "checksum": "",
        }  # fmt: skip
        key = connection.execute(insert(schema.runs), values).inserted_primary_key
        assert key is not None
        run_id = int(key[0])
        set_run_values(connection, run_id, {})
        connection.execute(insert(schema.heads), head_rows(run_id, {}))
        return run_id

    def close(self) -> None:
        self._engine.dispose()
        if self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)


def set_run_values(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a run's row, and its checksum with them."""
    where = schema.runs.c.id == run_id
    row = connection.execute(select(schema.runs).where(where)).one()
    changed = {**row._asdict(), **values}
    checksum = row_checksum(schema.runs, changed)
    connection.execute(schema.runs.update().where(where).values(**values, checksum=checksum))


def place_of(table: Table, row: Mapping[str, Any]) -> str:
    """Return which row of a run it is, for messages."""
    keys = [column.name for column in table.primary_key.columns if column.name != "run_id"]
    return " ".join(
        ["the row", *(["with"] if keys else []), *(f"{key} {row[key]}" for key in keys), f"in {table.name}"]
    )


def parts_of(name: str) -> list[str]:
    """Return the names of a run and of those above it: ``a/b`` is a part of ``a``."""
    parts = name.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


def _is_lost(error: BaseException | None) -> bool:
    """Return whether the connection to a database server was lost or could not be made."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or type(error.orig).__name__ in _LOST


def _some(names: set[str]) -> str:
    shown = sorted(names)[:3]
    return ", ".join(shown) + (", ..." if len(names) > 3 else "")

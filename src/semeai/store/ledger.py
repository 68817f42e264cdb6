"""The ledger: an append-only record in SQLite (write-ahead log) or, if given as a URL, in PostgreSQL.

Both backends guarantee:

- a batch and the verdicts that follow from it are recorded in one transaction, or not at all;
- recording the same batch again changes nothing; recording different content under its number is an error;
- a run has one writer; readers see every committed batch at once and never block the writer;
- acknowledged results survive ``kill -9`` of any process.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from semeai.errors import LedgerError, RunChanged, RunNotFound, did_you_mean
from semeai.race.race import Batch
from semeai.store import schema
from semeai.store.identity import describe_changes, hash_config
from semeai.store.kinds import result_tables, table_named
from semeai.store.lock import AdvisoryLock, FileLock, Lock, file_lock_is_held
from semeai.store.places import DEFAULT_LEDGER, without_password
from semeai.store.writer import RecordedBatch, RunWriter, counts_from_json, now

# The columns that make the digest of a run: its contents, without times and durations.
_IDENTITY: dict[Table, tuple[str, ...]] = {
    schema.candidates: ("number", "name", "params"),
    schema.batches: ("number", "candidate", "start", "size", "counts"),
    # The evidence is not included: its last digits may depend on the mathematical library of the machine.
    schema.decisions: ("candidate", "verdict", "after_batch", "n_evaluations", "total_reward", "n_tests"),
}


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


class Ledger:
    """A store of runs by name, in a file or a database."""

    def __init__(self, location: str | Path = DEFAULT_LEDGER, *, must_exist: bool = False) -> None:
        place = str(location).removeprefix("sqlite:///")
        self.location = without_password(place)
        self._path: Path | None = None
        if "://" not in place:
            self._path = Path(place)
            if must_exist and not self._path.exists():
                raise LedgerError(f"there is no ledger at {self.location}; name one with --ledger")
            if not self._path.parent.is_dir():
                raise LedgerError(f"cannot make a ledger at {self.location}: there is no such folder")
        self._engine = _make_engine(self._path, place)
        try:
            self._prepare()
        except LedgerError:
            self._engine.dispose()
            raise

    def _prepare(self) -> None:
        # Opening an existing ledger writes nothing, not even an empty transaction.
        with self._reading() as connection:
            is_new = not sqlalchemy.inspect(connection).has_table("about")
        if is_new:
            with self.writing() as connection:
                schema.metadata.create_all(connection, schema.CORE_TABLES)
                if connection.execute(select(schema.about.c.value)).first() is None:
                    row = {"key": "schema", "value": str(schema.SCHEMA_VERSION)}
                    connection.execute(insert(schema.about), row)
        with self._reading() as connection:
            version = connection.execute(select(schema.about.c.value)).scalar()
        if version != str(schema.SCHEMA_VERSION):
            raise LedgerError(
                f"{self.location} has ledger format {version}, this version of semeai reads {schema.SCHEMA_VERSION}"
            )

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection in a transaction that is committed at the end of the block."""
        try:
            with self._engine.execution_options(semeai_write=True).begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise LedgerError(f"cannot write to {self.location}: {_reason(error)}") from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise LedgerError(f"cannot read {self.location}: {_reason(error)}") from error

    # -- reading -----------------------------------------------------------------------------------------------

    def runs(self) -> list[RunInfo]:
        """Return all runs in the order of their creation."""
        with self._reading() as connection:
            rows = connection.execute(select(schema.runs).order_by(schema.runs.c.id))
            return [RunInfo(**row._mapping) for row in rows]

    def run(self, name: str) -> RunInfo:
        """Return the run of that name. Raises RunNotFound with the nearest name if there is none."""
        with self._reading() as connection:
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                known = connection.scalars(select(schema.runs.c.name)).all()
                hint = did_you_mean(name, known) if known else "it holds no runs"
                raise RunNotFound(f"no run {name!r} in {self.location}; {hint}")
            return RunInfo(**row._mapping)

    def state(self, run: RunInfo) -> str:
        """Return the state of a run: as recorded, but "killed" if it should be running and no process writes it."""
        if run.state not in ("new", "running"):
            return str(run.state)
        held = (
            AdvisoryLock.is_held(self._engine, run.id)
            if self._path is None
            else file_lock_is_held(self._lock_path(run.id))
        )
        return "running" if held else "killed"

    def last_results(self) -> dict[str, str]:
        """Return the time of the last result of each run by name; results of ``run/part`` also count for ``run``."""
        with self._reading() as connection:
            names = {row.id: row.name for row in connection.execute(select(schema.runs.c.id, schema.runs.c.name))}
            found: dict[str, str] = {}
            for table in result_tables():
                if not self._has(connection, table):
                    continue
                query = select(table.c.run_id, func.max(table.c.recorded_at)).group_by(table.c.run_id)
                for run_id, time in connection.execute(query):
                    parts = names[run_id].split("/")
                    for n in range(1, len(parts) + 1):
                        above = "/".join(parts[:n])
                        found[above] = max(time, found.get(above, ""))
        return found

    def rows(self, table: str | Table, run_id: int) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of one run in a table, in order, without the run's id. They are read in portions."""
        table = table_named(table) if isinstance(table, str) else table
        columns = [column for column in table.columns if column.name not in ("run_id", "id")]
        order = list(table.primary_key.columns)
        with self._reading() as connection:
            if not self._has(connection, table):
                return
            query = select(*columns).where(table.c.run_id == run_id).order_by(*order)
            for row in connection.execution_options(yield_per=1000).execute(query):
                yield dict(row._mapping)

    def batches(self, run_id: int) -> Iterator[RecordedBatch]:
        """Yield the batches of a race with their rewards, in dispatch order."""
        for row in self.rows(schema.batches, run_id):
            yield RecordedBatch(
                Batch(row["number"], row["candidate"], row["start"], row["size"]),
                None if row["counts"] is None else counts_from_json(row["counts"]),
            )

    @staticmethod
    def _has(connection: Connection, table: Table) -> bool:
        """Return whether the ledger has the table. A table of a kind of run is created with the first such run."""
        return table in schema.CORE_TABLES or sqlalchemy.inspect(connection).has_table(table.name)

    def digest(self, run_id: int) -> str:
        """Return a hash of a run's candidates, rewards and decisions: equal for equal runs on any machine."""
        digest = hashlib.sha256()
        for table, names in _IDENTITY.items():
            for row in self.rows(table, run_id):
                digest.update(json.dumps([row[name] for name in names]).encode())
        return digest.hexdigest()[:16]

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
        with self.writing() as connection:
            if tables:
                schema.metadata.create_all(connection, tables)  # the first run of its kind
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                values = {
                    "name": name, "kind": kind, "config": dict(config), "config_hash": config_hash, "seed": seed,
                    "versions": dict(versions), "created_at": now(), "state": "new", "updated_at": now(),
                }  # fmt: skip
                key = connection.execute(insert(schema.runs), values).inserted_primary_key
                assert key is not None
                run_id = int(key[0])
            else:
                if row.config_hash != config_hash:
                    changes = "; ".join(describe_changes(row.config, config))
                    raise RunChanged(
                        f"run {name!r} exists in {self.location} with another configuration ({changes}): "
                        "change it back to resume, or give this one another name"
                    )
                run_id = row.id
        return RunWriter(self, run_id, name, self._lock(run_id, name), tables)

    def _lock(self, run_id: int, name: str) -> Lock:
        if self._path is None:
            return AdvisoryLock(self._engine, run_id, name)
        return FileLock(self._lock_path(run_id), name)

    def _lock_path(self, run_id: int) -> Path:
        assert self._path is not None
        return self._path.with_name(f"{self._path.name}.{run_id}.lock")

    def close(self) -> None:
        self._engine.dispose()


def _make_engine(path: Path | None, location: str) -> Engine:
    if path is None:
        kind = location.partition("://")[0].partition("+")[0]
        if kind != "postgresql":
            raise LedgerError(f"a ledger is a SQLite file or a PostgreSQL database (postgresql://...), not {kind}://")
        try:
            return create_engine(location, pool_pre_ping=True)
        except (SQLAlchemyError, ImportError) as error:
            raise LedgerError(f"cannot use {without_password(location)} as a ledger: {_reason(error)}") from None
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": 60})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the database driver
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # If a writing transaction began as a reading one, SQLite could refuse the lock in the middle of it.
        write = connection.get_execution_options().get("semeai_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _reason(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().splitlines()[0]

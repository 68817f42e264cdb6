"""The ledger: an append-only record in SQLite (write-ahead log) or, by URL, in PostgreSQL.

Contract, whatever the backend:

- a batch is recorded together with the verdicts that follow from it, in one transaction, or not at all;
- batch numbers are idempotent: recording the same batch again changes nothing, another content is refused;
- a run has one writer; readers see every committed batch, live, and never block it;
- what was acknowledged survives kill -9 of any process.
"""

import contextlib
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, Row, Table, create_engine, event, insert, make_url, select, update
from sqlalchemy.exc import SQLAlchemyError

from semeai.errors import LedgerError, RunChanged, RunNotFound, did_you_mean
from semeai.race.candidate import Candidate
from semeai.race.race import Batch, Decision
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.lock import AdvisoryLock, FileLock, Lock, file_lock_is_held
from semeai.work.jobs import Failure

DEFAULT_LEDGER = "semeai.sqlite"
LONGEST_NAME = 200
"""Of a run."""

# What a run is, as opposed to when and how fast it was made: these columns make its digest.
_IDENTITY: dict[Table, tuple[str, ...]] = {
    schema.candidates: ("number", "name", "params"),
    schema.batches: ("number", "candidate", "start", "size", "counts"),
    # Not the evidence: its last digits may depend on the machine's mathematical library.
    schema.decisions: ("candidate", "verdict", "after_batch", "n_evaluations", "total_reward", "n_tests"),
}


@dataclass(frozen=True)
class RecordedBatch:
    batch: Batch
    counts: RewardCounts | None  # None: the candidate's program failed


class Ledger:
    """Runs by name, in a file or a database."""

    def __init__(self, location: str | Path = DEFAULT_LEDGER, *, must_exist: bool = False) -> None:
        place = str(location).removeprefix("sqlite:///")
        self.location = without_password(place)
        self._path: Path | None = None
        if "://" not in place:
            self._path = Path(place)
            if must_exist and not self._path.exists():
                raise LedgerError(f"there is no ledger at {self.location}")
            if not self._path.parent.is_dir():
                raise LedgerError(f"cannot make a ledger at {self.location}: there is no such folder")
        self._engine = _make_engine(self._path, place)
        try:
            self._prepare()
        except LedgerError:
            self._engine.dispose()
            raise

    def _prepare(self) -> None:
        # A reader of an existing ledger writes nothing, not even an empty transaction.
        with self._read() as connection:
            is_new = not sqlalchemy.inspect(connection).has_table("about")
        if is_new:
            with self._write() as connection:
                schema.metadata.create_all(connection)
                if connection.execute(select(schema.about.c.value)).first() is None:
                    row = {"key": "schema", "value": str(schema.SCHEMA_VERSION)}
                    connection.execute(insert(schema.about), row)
        with self._read() as connection:
            version = connection.execute(select(schema.about.c.value)).scalar()
        if version != str(schema.SCHEMA_VERSION):
            raise LedgerError(
                f"{self.location} has ledger format {version}, this version of semeai reads {schema.SCHEMA_VERSION}"
            )

    @contextlib.contextmanager
    def _write(self) -> Iterator[Connection]:
        try:
            with self._engine.execution_options(semeai_write=True).begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise LedgerError(f"cannot write to {self.location}: {_reason(error)}") from error

    @contextlib.contextmanager
    def _read(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise LedgerError(f"cannot read {self.location}: {_reason(error)}") from error

    # -- reading -----------------------------------------------------------------------------------------------

    def runs(self) -> list[Row[Any]]:
        with self._read() as connection:
            return list(connection.execute(select(schema.runs).order_by(schema.runs.c.id)))

    def run(self, name: str) -> Row[Any]:
        with self._read() as connection:
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                known = connection.scalars(select(schema.runs.c.name)).all()
                hint = did_you_mean(name, known) if known else "it holds no runs"
                raise RunNotFound(f"no run {name!r} in {self.location}; {hint}")
            return row

    def state(self, run: Row[Any]) -> str:
        """What a run is doing: as recorded, but a run without a writer is not running, whatever it wrote last."""
        if run.state not in ("new", "running"):
            return str(run.state)
        held = (
            AdvisoryLock.is_held(self._engine, run.id)
            if self._path is None
            else file_lock_is_held(self._lock_path(run.id))
        )
        return "running" if held else "killed"

    def rows(self, table: Table, run_id: int) -> Iterator[Mapping[str, Any]]:
        """A table's rows of one run, in order, without the run's number; read in portions."""
        columns = [column for column in table.columns if column.name not in ("run_id", "id")]
        order = list(table.primary_key.columns)
        with self._read() as connection:
            query = select(*columns).where(table.c.run_id == run_id).order_by(*order)
            for row in connection.execution_options(yield_per=1000).execute(query):
                yield dict(row._mapping)

    def digest(self, run_id: int) -> str:
        """A hash of what was decided and on which data: equal for equal runs, whatever the machine or the delays."""
        digest = hashlib.sha256()
        for table, names in _IDENTITY.items():
            for row in self.rows(table, run_id):
                digest.update(json.dumps([row[name] for name in names]).encode())
        return digest.hexdigest()[:16]

    # -- writing -----------------------------------------------------------------------------------------------

    def open_run(self, name: str, kind: str, config: Mapping[str, Any], seed: int, versions: Any) -> "RunWriter":
        """Create the run, or resume it; refuses a run with another configuration, or one being written."""
        config_hash = hash_config(config)
        with self._write() as connection:
            schema.metadata.create_all(connection, [schema.games])  # a ledger may be older than matches
            row = connection.execute(select(schema.runs).where(schema.runs.c.name == name)).first()
            if row is None:
                values = {
                    "name": name, "kind": kind, "config": dict(config), "config_hash": config_hash, "seed": seed,
                    "versions": versions, "created_at": _now(), "state": "new", "updated_at": _now(),
                }  # fmt: skip
                key = connection.execute(insert(schema.runs), values).inserted_primary_key
                assert key is not None
                run_id = int(key[0])
            else:
                if row.config_hash != config_hash:
                    changes = "; ".join(describe_changes(row.config, config))
                    raise RunChanged(
                        f"run {name!r} exists in {self.location} with another configuration ({changes}): "
                        "change it back to resume, or give this one another --name"
                    )
                run_id = row.id
        return RunWriter(self, run_id, name, self._lock(run_id, name))

    def _lock(self, run_id: int, name: str) -> Lock:
        if self._path is None:
            return AdvisoryLock(self._engine, run_id, name)
        return FileLock(self._lock_path(run_id), name)

    def _lock_path(self, run_id: int) -> Path:
        assert self._path is not None
        return self._path.with_name(f"{self._path.name}.{run_id}.lock")

    def close(self) -> None:
        self._engine.dispose()


class RunWriter:
    """The one writer of a run. What it is told is kept once ``flush`` returns."""

    def __init__(self, ledger: Ledger, run_id: int, name: str, lock: Lock) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self.name = name
        self._lock = lock
        self._waiting = _no_rows()
        self._candidates = [(row["name"], row["params"]) for row in ledger.rows(schema.candidates, run_id)]
        self._n_compared = 0  # candidates of this race that were compared with the ledger's, or added to it
        self.recorded: dict[int, RecordedBatch] = {
            row["number"]: RecordedBatch(
                Batch(row["number"], row["candidate"], row["start"], row["size"]),
                None if row["counts"] is None else counts_from_json(row["counts"]),
            )
            for row in ledger.rows(schema.batches, run_id)
        }

    def decided(self) -> dict[int, tuple[str, int, int]]:
        """Verdict, batch and evaluations of each decision recorded so far, by candidate number."""
        return {
            row["candidate"]: (row["verdict"], row["after_batch"], row["n_evaluations"])
            for row in self.ledger.rows(schema.decisions, self.run_id)
        }

    def record(
        self,
        batch: Batch,
        counts: RewardCounts | None,
        seconds: float,
        candidates: Sequence[Candidate],
        decisions: Sequence[Decision],
        failure: Failure | None = None,
    ) -> None:
        """Note a batch and all that follows from it. ``candidates`` are all that have entered so far."""
        content = RecordedBatch(batch, counts)
        if (old := self.recorded.setdefault(batch.number, content)) is not content:
            if old != content:
                raise LedgerError(f"batch {batch.number} of run {self.name!r} is recorded with other content")
            return
        row = {
            "run_id": self.run_id,
            "number": batch.number,
            "candidate": batch.candidate,
            "start": batch.start,
            "size": batch.size,
            "counts": None if counts is None else counts_to_json(counts),
            "seconds": seconds,
            "recorded_at": _now(),
        }
        self.enter(candidates)
        self._waiting[schema.batches].append(row)
        self._waiting[schema.decisions] += [self._decision_row(decision) for decision in decisions]
        if failure is not None:
            self._waiting[schema.failures].append(self._failure_row(batch, failure))

    def flush(self) -> None:
        """Write all that is noted, in one transaction: many small batches a second cost one commit."""
        if any(self._waiting.values()):
            with self.ledger._write() as connection:
                for table, rows in self._waiting.items():
                    if rows:
                        connection.execute(insert(table), rows)
            self._waiting = _no_rows()

    def note(self, table: Table, row: Mapping[str, Any]) -> None:
        """A row of a kind of run that has tables of its own."""
        self._waiting[table].append({**row, "run_id": self.run_id, "recorded_at": _now()})

    def record_failure(self, batch: Batch, candidates: Sequence[Candidate], failure: Failure) -> None:
        """A failure that stops the run: the batch is not counted, but what happened is kept."""
        self.enter(candidates)
        self._waiting[schema.failures].append(self._failure_row(batch, failure))

    def set_state(self, state: str) -> None:
        with self.ledger._write() as connection:
            values = {"state": state, "updated_at": _now()}
            connection.execute(update(schema.runs).where(schema.runs.c.id == self.run_id).values(values))

    def close(self) -> None:
        try:
            self.flush()
        finally:
            self._lock.release()

    def enter(self, candidates: Sequence[Candidate]) -> None:
        """All candidates that have entered so far: new ones are noted, known ones must be those of the ledger."""
        for number in range(self._n_compared + 1, len(candidates) + 1):
            c = candidates[number - 1]
            params = json.dumps(dict(c.params), sort_keys=True)
            if number <= len(self._candidates):
                if (c.name, params) != self._candidates[number - 1]:
                    was, params_were = self._candidates[number - 1]
                    raise RunChanged(
                        f"candidate {number} of run {self.name!r} was {was!r} {params_were}, is {c.name!r} {params}: "
                        "its rewards belong to another; give this race another --name"
                    )
            else:
                row = {"run_id": self.run_id, "number": number, "name": c.name, "params": params, "digest": c.digest}
                self._waiting[schema.candidates].append(row)
                self._candidates.append((c.name, params))
        self._n_compared = max(self._n_compared, len(candidates))

    def _decision_row(self, d: Decision) -> dict[str, Any]:
        def finite(x: float) -> float | None:
            return x if math.isfinite(x) else None

        return {
            "run_id": self.run_id,
            "candidate": d.candidate,
            "verdict": d.verdict.value,
            "after_batch": d.after_batch,
            "n_evaluations": d.n_evaluations,
            "total_reward": d.total_reward,
            "n_tests": d.n_tests,
            "merit": finite(d.merit),
            "doubt": finite(d.doubt),
            "lower": finite(d.bounds.lower),
            "upper": finite(d.bounds.upper),
        }

    def _failure_row(self, batch: Batch, failure: Failure) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "batch": batch.number,
            "candidate": batch.candidate,
            "evaluation": failure.evaluation,
            "seed": failure.seed,
            "kind": failure.kind,
            "message": failure.message,
            "stderr": failure.stderr,
            "recorded_at": _now(),
        }


def _no_rows() -> dict[Table, list[dict[str, Any]]]:
    tables = (schema.candidates, schema.batches, schema.decisions, schema.failures, schema.games)
    return {table: [] for table in tables}


def without_password(location: str) -> str:
    """A ledger's place as it may be shown."""
    if "://" not in location:
        return location
    try:
        return make_url(location).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return location.split("@")[-1]


def counts_to_json(counts: RewardCounts) -> str:
    return json.dumps({str(level): n for level, n in counts.items()})


def counts_from_json(text: str) -> RewardCounts:
    return RewardCounts({int(level): n for level, n in json.loads(text).items()})


def hash_config(config: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(config, sort_keys=True, allow_nan=False).encode()).hexdigest()


def describe_changes(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """What differs between two configurations, one phrase a place."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from describe_changes(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
    elif isinstance(old, list) and isinstance(new, list):
        for i in range(max(len(old), len(new))):
            before, after = (side[i] if i < len(side) else None for side in (old, new))
            yield from describe_changes(before, after, f"{place}[{i}]")
    elif old != new:
        yield f"{place} was {old!r}, is {new!r}"


def _make_engine(path: Path | None, location: str) -> Engine:
    if path is None:
        try:
            return create_engine(location, pool_pre_ping=True)
        except (SQLAlchemyError, ImportError) as error:
            raise LedgerError(f"cannot use {without_password(location)} as a ledger: {_reason(error)}") from None
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": 60})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer that begins as a reader can be refused the lock in the middle of its transaction.
        write = connection.get_execution_options().get("semeai_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _reason(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().splitlines()[0]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")

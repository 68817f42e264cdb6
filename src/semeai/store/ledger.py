"""The ledger: an append-only record in SQLite (write-ahead log) or, if given as a URL, in PostgreSQL.

Both backends guarantee:

- a batch and the verdicts that follow from it are recorded in one transaction, or not at all;
- recording the same batch again changes nothing; recording different content under its number is an error;
- a run has one writer; readers see every committed batch at once, never block the writer and never write;
- acknowledged results survive ``kill -9`` of any process, and announced verdicts survive a power cut;
- a damaged row is found when it is read, and never used.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Row, Table, insert, select

from semeai.errors import LedgerError, RunChanged, RunNotFound, did_you_mean
from semeai.race.race import Batch
from semeai.store import schema
from semeai.store.checks import Head, damaged_row, digest_of, head_rows, heads_of, row_checksum
from semeai.store.database import Database
from semeai.store.identity import describe_changes, hash_config
from semeai.store.kinds import table_named
from semeai.store.lease import Lease, is_held, lease_query
from semeai.store.race_rows import counts_from_json, now
from semeai.store.writer import RecordedBatch, RunWriter

DIGEST_TABLES = (schema.candidates, schema.batches, schema.decisions)


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


class Ledger(Database):
    """A store of runs by name, in a file or a database."""

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
        if row_checksum(schema.runs, found) != found["checksum"]:
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

    def columns(self, table: Table, run_id: int, *names: str) -> Iterator[tuple[Any, ...]]:
        """Yield two or more values of each row of one run, in order. Whole rows are checked, as by ``rows``."""
        return map(itemgetter(*map(table.columns.keys().index, names)), self._checked(table, run_id))

    def checked_rows(self, table: Table, run_id: int, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield whole rows of one run, in order. Raises LedgerError at the first one that is damaged.

        At the end, it also raises LedgerError if they are not as many as recorded, or others; not with a ``start``.
        """
        names = table.columns.keys()
        for values in self._checked(table, run_id, start):
            yield dict(zip(names, values, strict=True))

    def _checked(self, table: Table, run_id: int, start: int = 0) -> Iterator[Sequence[Any]]:
        query = select(table).where(table.c.run_id == run_id).order_by(*table.primary_key.columns)
        if start:
            query = query.where(list(table.primary_key.columns)[1] >= start)
        found = Head()
        with self.reading() as connection:
            recorded = self._heads_in(connection, run_id).get(table.name, Head())
            if self.has(connection, table):
                with connection.execution_options(yield_per=1000).execute(query) as result:
                    for rows in result.partitions():
                        if damaged := damaged_row(table, rows):
                            raise self.damage(run_id, f"{place_of(table, damaged)} is damaged")
                        found.count(*[row[-1] for row in rows])
                        yield from rows
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

"""The single writer of a run in a ledger."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, delete, insert, select

from semeai.errors import LedgerError, RunChanged
from semeai.race.candidate import Candidate
from semeai.race.race import Batch, Decision
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.checks import Head, head_rows, row_checksum
from semeai.store.lease import Lease
from semeai.store.race_rows import counts_to_json, decision_values, measurement_values, now, total_values

if TYPE_CHECKING:
    from semeai.race.race import Race
    from semeai.store.ledger import Ledger
    from semeai.work.jobs import Failure, Numbers


@dataclass(frozen=True)
class RecordedBatch:
    """A batch with its rewards; ``counts`` is None if the candidate's program failed."""

    batch: Batch
    counts: RewardCounts | None


class RunWriter:
    """The single writer of a run. Results are stored once ``flush`` returns."""

    def __init__(self, ledger: "Ledger", run_id: int, name: str, lease: Lease, tables: Sequence[Table] = ()) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self.name = name
        self._lease = lease
        self._tables = (*schema.RACE_TABLES, *tables)
        self._waiting = self._no_rows()
        self._heads = {table.name: Head() for table in self._tables} | ledger.heads(run_id)
        self._candidates = [(row["name"], row["params"]) for row in ledger.rows("candidates", run_id)]
        self._n_compared = 0  # candidates of this race that were compared with those of the ledger, or added to it
        self._race: Race | None = None
        self._touched: set[int] = set()  # candidates whose totals have changed since the last flush

    @property
    def n_batches(self) -> int:
        """Number of batches that are recorded or wait for ``flush``."""
        return self._heads["batches"].n_rows + len(self._waiting[schema.batches])

    def follow(self, race: "Race", *, everything: bool) -> None:
        """Record the state of ``race`` at each flush; ``everything`` if the ledger has no valid state of it yet."""
        self._race = race
        if everything:
            self._touched = {standing.index for standing in race.standings if standing.n_dispatched}

    def record(
        self,
        batch: Batch,
        counts: RewardCounts | None,
        seconds: float,
        candidates: Sequence[Candidate],
        decisions: Sequence[Decision],
        failure: "Failure | None" = None,
        numbers: "Sequence[Numbers]" = (),
    ) -> None:
        """Add a batch with the decisions that follow from it. ``candidates`` are all that have entered so far.

        ``numbers`` are what the rewards were made from, if candidate and baseline were compared.
        Raises LedgerError if the batch is recorded with other content, or if one before it is missing.
        """
        if batch.number != self.n_batches:
            self._compare(RecordedBatch(batch, counts))
            return
        self.enter(candidates)
        self._add(
            schema.batches,
            number=batch.number,
            candidate=batch.candidate,
            start=batch.start,
            size=batch.size,
            counts=None if counts is None else counts_to_json(counts),
            seconds=seconds,
        )
        self._touched.add(batch.candidate)
        when = self._waiting[schema.batches][-1]["recorded_at"]
        for decision in decisions:
            self.decide(decision, when)
        if numbers:
            self._add(schema.measurements, **measurement_values(batch, numbers))
        if failure is not None:
            self._add_failure(batch, failure)

    def _compare(self, content: RecordedBatch) -> None:
        number = content.batch.number
        self.flush()
        with contextlib.closing(self.ledger.batches(self.run_id, number)) as recorded:
            old = next(recorded, None)
        if old is None:
            raise LedgerError(f"batch {number} of run {self.name!r} was recorded before batch {self.n_batches}")
        if old != content:
            raise LedgerError(f"batch {number} of run {self.name!r} is recorded with other content")

    def decide(self, decision: Decision, when: str | None = None) -> None:
        """Add a decision; ``when`` is the time of the batch that it follows from."""
        self._touched.add(decision.candidate)
        number = self._next(schema.decisions)
        self._add(schema.decisions, **decision_values(decision), number=number, recorded_at=when or now())

    def flush(self) -> None:
        """Write all added rows in one transaction, so that many small batches cost one commit.

        Decisions are on the disk when this returns, also if the power fails then.
        """
        if not any(self._waiting.values()) and not self._touched:
            return
        heads = {name: replace(head) for name, head in self._heads.items()}
        for table, rows in self._waiting.items():
            for row in rows:
                row["checksum"] = row_checksum(table, row)
                heads[table.name].add(table, row)

        def write(connection: Connection) -> None:
            self._lease.keep(connection)
            found = self._recorded_heads(connection)
            if not self._is_written(found, heads):
                self._write_rows(connection)
                if self._race is not None and self._touched:
                    heads["totals"] = self._write_state(connection, self._race, replace(found.get("totals", Head())))
                self._write_heads(connection, found, heads)

        self.ledger.write(write, durable=bool(self._waiting[schema.decisions]))
        self._heads = heads
        self._waiting = self._no_rows()
        self._touched = set()

    def _recorded_heads(self, connection: Connection) -> dict[str, Head]:
        rows = connection.execute(select(schema.heads).where(schema.heads.c.run_id == self.run_id))
        return {row.table_name: Head.from_row(row._asdict()) for row in rows}

    def _is_written(self, found: Mapping[str, Head], heads: Mapping[str, Head]) -> bool:
        """Return whether an earlier attempt was committed before its connection was lost."""
        grown = [table.name for table, rows in self._waiting.items() if rows]
        if any(found.get(name, Head()) not in (heads[name], self._heads[name]) for name in grown):
            raise LedgerError(f"run {self.name!r} was changed by somebody else: nothing more is written here")
        return bool(grown) and all(found.get(name) == heads[name] for name in grown)

    def _write_rows(self, connection: Connection) -> None:
        for table, rows in self._waiting.items():
            if rows:
                connection.execute(insert(table), rows)

    def _write_heads(self, connection: Connection, found: Mapping[str, Head], heads: Mapping[str, Head]) -> None:
        """Write the heads that have changed, and the one that counts them."""
        rows = head_rows(self.run_id, heads)
        changed = [row for row in rows if Head.from_row(row) != found.get(row["table_name"])]
        if not changed:
            return
        where = schema.heads.c.table_name.in_([row["table_name"] for row in changed])
        connection.execute(delete(schema.heads).where(where & (schema.heads.c.run_id == self.run_id)))
        connection.execute(insert(schema.heads), changed)

    def _write_state(self, connection: Connection, race: "Race", head: Head) -> Head:
        """Write the totals of the candidates that have changed, and the batches under way.

        Returns the head of the totals, which is changed from the recorded one.
        """
        connection.execute(delete(schema.checkpoints).where(schema.checkpoints.c.run_id == self.run_id))
        if race.n_told != self.n_batches:
            return head  # an interrupt came between a result and its row: the next resume replays all batches
        known = range(1, len(self._candidates) + 1)
        touched = [race.standings[index - 1] for index in sorted(self._touched) if index in known]
        rows = [self._checked(schema.totals, total_values(standing)) for standing in touched]
        for i in range(0, len(rows), 500):
            part = [row["candidate"] for row in rows[i : i + 500]]
            mine = (schema.totals.c.run_id == self.run_id) & schema.totals.c.candidate.in_(part)
            for checksum in connection.scalars(select(schema.totals.c.checksum).where(mine)):
                head.remove(checksum)
            connection.execute(delete(schema.totals).where(mine))
        if rows:
            connection.execute(insert(schema.totals), rows)
            for row in rows:
                head.add(schema.totals, row)
        values = {
            "n_batches": race.n_told,
            "pending": json.dumps([list(batch) for batch in race.pending]),
            "semeai": version("semeai"),
        }
        connection.execute(insert(schema.checkpoints), self._checked(schema.checkpoints, values))
        return head

    def forget_state(self) -> None:
        """Remove the recorded state, so that the next resume replays all batches."""

        def forget(connection: Connection) -> None:
            self._lease.keep(connection)
            connection.execute(delete(schema.checkpoints).where(schema.checkpoints.c.run_id == self.run_id))

        self.ledger.write(forget)

    def note(self, table: Table, row: Mapping[str, Any]) -> None:
        """Add a row to one of the additional tables of the kind of run."""
        self._add(table, **row)

    def _add(self, table: Table, **values: Any) -> None:
        row = {**values, "run_id": self.run_id}
        if "recorded_at" in table.c:
            row.setdefault("recorded_at", now())
        self._waiting[table].append(row)

    def _next(self, table: Table) -> int:
        """Return the number of the next row."""
        return self._heads[table.name].n_rows + len(self._waiting[table])

    def _checked(self, table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
        row = {**values, "run_id": self.run_id}
        return {**row, "checksum": row_checksum(table, row)}

    def _no_rows(self) -> dict[Table, list[dict[str, Any]]]:
        return {table: [] for table in self._tables}

    def record_failure(self, batch: Batch, candidates: Sequence[Candidate], failure: "Failure") -> None:
        """Add a failure that stops the run. The batch is not counted, but its failure is recorded."""
        self.enter(candidates)
        self._add_failure(batch, failure)

    def set_state(self, state: str) -> None:
        """Record the state of the run at once."""
        from semeai.store.ledger import set_run_values

        def write(connection: Connection) -> None:
            self._lease.keep(connection)
            set_run_values(connection, self.run_id, {"state": state, "updated_at": now()})

        self.ledger.write(write, durable=state == "finished")

    def close(self) -> None:
        """Write all added rows and free the lease."""
        try:
            self.flush()
        finally:
            self._lease.release()

    def enter(self, candidates: Sequence[Candidate]) -> None:
        """Add the new candidates. Raises RunChanged if a recorded candidate differs from the given one."""
        for number in range(self._n_compared + 1, len(candidates) + 1):
            c = candidates[number - 1]
            params = json.dumps(dict(c.params), sort_keys=True)
            if number <= len(self._candidates):
                if (c.name, params) != self._candidates[number - 1]:
                    was, params_were = self._candidates[number - 1]
                    raise RunChanged(
                        f"candidate {number} of run {self.name!r} was {was!r} {params_were}, is {c.name!r} {params}: "
                        "its rewards belong to another candidate; give this race another name"
                    )
            else:
                self._add(schema.candidates, number=number, name=c.name, params=params, digest=c.digest)
                self._candidates.append((c.name, params))
        self._n_compared = max(self._n_compared, len(candidates))

    @property
    def n_candidates(self) -> int:
        """Number of candidates that are recorded or wait for ``flush``."""
        return len(self._candidates)

    def _add_failure(self, batch: Batch, failure: "Failure") -> None:
        self._add(
            schema.failures,
            number=self._next(schema.failures),
            batch=batch.number,
            candidate=batch.candidate,
            evaluation=failure.evaluation,
            seed=failure.seed,
            kind=failure.kind,
            message=failure.message,
            stderr=failure.stderr,
        )

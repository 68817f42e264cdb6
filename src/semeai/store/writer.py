"""The single writer of a run in a ledger."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, insert, update

from semeai.errors import LedgerError, RunChanged
from semeai.race.candidate import Candidate
from semeai.race.race import Batch, Decision
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.lock import Lock
from semeai.work.jobs import Failure

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger


@dataclass(frozen=True)
class RecordedBatch:
    """A batch with its rewards; ``counts`` is None if the candidate's program failed."""

    batch: Batch
    counts: RewardCounts | None


class RunWriter:
    """The single writer of a run. Results are stored once ``flush`` returns."""

    def __init__(self, ledger: "Ledger", run_id: int, name: str, lock: Lock, tables: Sequence[Table] = ()) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self.name = name
        self._lock = lock
        self._tables = (*schema.RACE_TABLES, *tables)
        self._waiting = self._no_rows()
        self._candidates = [(row["name"], row["params"]) for row in ledger.rows("candidates", run_id)]
        self._n_compared = 0  # candidates of this race that were compared with those of the ledger, or added to it
        self.recorded = {recorded.batch.number: recorded for recorded in ledger.batches(run_id)}

    def decided(self) -> dict[int, tuple[str, int, int]]:
        """Return verdict, batch and evaluations of each recorded decision, by candidate number."""
        return {
            row["candidate"]: (row["verdict"], row["after_batch"], row["n_evaluations"])
            for row in self.ledger.rows("decisions", self.run_id)
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
        """Add a batch with the decisions that follow from it. ``candidates`` are all that have entered so far.

        Raises LedgerError if the batch is recorded with other content.
        """
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
            "recorded_at": now(),
        }
        self.enter(candidates)
        self._waiting[schema.batches].append(row)
        self._waiting[schema.decisions] += [self._decision_row(decision) for decision in decisions]
        if failure is not None:
            self._waiting[schema.failures].append(self._failure_row(batch, failure))

    def flush(self) -> None:
        """Write all added rows in one transaction, so that many small batches cost one commit."""
        if any(self._waiting.values()):
            with self.ledger.writing() as connection:
                for table, rows in self._waiting.items():
                    if rows:
                        connection.execute(insert(table), rows)
            self._waiting = self._no_rows()

    def note(self, table: Table, row: Mapping[str, Any]) -> None:
        """Add a row to one of the additional tables of the kind of run."""
        self._waiting[table].append({**row, "run_id": self.run_id, "recorded_at": now()})

    def _no_rows(self) -> dict[Table, list[dict[str, Any]]]:
        return {table: [] for table in self._tables}

    def record_failure(self, batch: Batch, candidates: Sequence[Candidate], failure: Failure) -> None:
        """Add a failure that stops the run. The batch is not counted, but its failure is recorded."""
        self.enter(candidates)
        self._waiting[schema.failures].append(self._failure_row(batch, failure))

    def set_state(self, state: str) -> None:
        """Record the state of the run at once."""
        with self.ledger.writing() as connection:
            values = {"state": state, "updated_at": now()}
            connection.execute(update(schema.runs).where(schema.runs.c.id == self.run_id).values(values))

    def close(self) -> None:
        """Write all added rows and free the lock."""
        try:
            self.flush()
        finally:
            self._lock.release()

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
            "recorded_at": now(),
        }


def counts_to_json(counts: RewardCounts) -> str:
    return json.dumps({str(level): n for level, n in counts.items()})


def counts_from_json(text: str) -> RewardCounts:
    return RewardCounts({int(level): n for level, n in json.loads(text).items()})


def now() -> str:
    """Return the current time in the format of the ledger."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

"""Rows of a race as objects, and back: decisions, and the state of each candidate."""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from semeai.race.candidate import Verdict
from semeai.race.checkpoint import Checkpoint, StandingState
from semeai.race.race import Batch, Decision
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts
from semeai.store import schema
from semeai.store.checks import Head

if TYPE_CHECKING:
    from semeai.race.selection import Standing
    from semeai.store.ledger import Ledger
    from semeai.work.jobs import Numbers


def decision_values(d: Decision) -> dict[str, Any]:
    return {
        "candidate": d.candidate,
        "verdict": d.verdict.value,
        "after_batch": d.after_batch,
        "n_evaluations": d.n_evaluations,
        "total_reward": d.total_reward,
        "n_tests": d.n_tests,
        "merit": _finite(d.merit),
        "doubt": _finite(d.doubt),
        "lower": _finite(d.bounds.lower),
        "upper": _finite(d.bounds.upper),
    }


_DECISION = ("candidate", "verdict", *Decision._fields[2:8], "lower", "upper")


def _decision_of(values: Sequence[Any]) -> Decision:
    candidate, verdict, after_batch, n_evaluations, total_reward, n_tests, merit, doubt, lower, upper = values
    return Decision(
        candidate,
        Verdict(verdict),
        after_batch,
        n_evaluations,
        total_reward,
        n_tests,
        _or(merit, -math.inf),
        _or(doubt, -math.inf),
        Bounds(_or(lower, -math.inf), _or(upper, math.inf)),
    )


def measurement_values(batch: Batch, numbers: Sequence["Numbers"]) -> dict[str, Any]:
    return {
        "number": batch.number,
        "candidate": batch.candidate,
        "start": batch.start,
        "ours": _numbers_to_json([pair.ours for pair in numbers]),
        "theirs": _numbers_to_json([pair.theirs for pair in numbers]),
    }


def recorded_numbers(ledger: "Ledger", run_id: int, start: int = 0) -> Iterator[tuple[Batch, list["Numbers"]]]:
    """Yield each batch, from number ``start`` on, with the numbers of candidate and baseline if they were compared."""
    from semeai.work.jobs import Numbers

    for row in ledger.rows(schema.measurements, run_id, start):
        ours, theirs = _numbers_from_json(row["ours"]), _numbers_from_json(row["theirs"])
        numbers = [Numbers(a, b) for a, b in zip(ours, theirs, strict=True)]
        yield Batch(row["number"], row["candidate"], row["start"], len(numbers)), numbers


def _numbers_to_json(numbers: Sequence[Sequence[float]]) -> str:
    """Return numbers as JSON, which has no infinite numbers: they become texts."""
    return json.dumps([[x if math.isfinite(x) else str(x) for x in each] for each in numbers])


def _numbers_from_json(text: str) -> list[tuple[float, ...]]:
    return [tuple(float(x) for x in each) for each in json.loads(text)]


def total_values(standing: "Standing") -> dict[str, Any]:
    return {
        "candidate": standing.index,
        "counts": counts_to_json(standing.counts),
        "n_evaluations": standing.n_evaluations,
        "total_reward": standing.total_reward,
        "n_dispatched": standing.n_dispatched,
        "n_tests": standing.n_tests,
        "merit": _finite(standing.merit),
        "doubt": _finite(standing.doubt),
        "progress": _finite(standing.progress),
        "upper": _finite(standing.upper),
    }


def _standing_state(values: Sequence[Any]) -> StandingState:
    counts, n_evaluations, total_reward, n_dispatched, n_tests, merit, doubt, progress, upper = values
    return StandingState(
        counts_from_json(counts),
        n_evaluations,
        total_reward,
        n_dispatched,
        n_tests,
        _or(merit, -math.inf),
        _or(doubt, -math.inf),
        _or(progress, -math.inf),
        _or(upper, math.inf),
    )


def recorded_decisions(ledger: "Ledger", run_id: int) -> list[Decision]:
    """Return the decisions of a race, in order."""
    return [*map(_decision_of, ledger.columns(schema.decisions, run_id, *_DECISION))]


def recorded_checkpoint(ledger: "Ledger", run_id: int) -> Checkpoint | None:
    """Return the recorded state of a race; None if there is none or if another version of semeai recorded it."""
    for row in list(ledger.rows(schema.checkpoints, run_id)):
        if row["semeai"] == version("semeai"):
            break
    else:
        return None
    n_batches = ledger.heads(run_id).get("batches", Head()).n_rows
    if row["n_batches"] != n_batches:
        raise ledger.damage(
            run_id, f"its recorded state is that after {row['n_batches']} batches, and {n_batches} are recorded"
        )
    totals = ledger.columns(schema.totals, run_id, "candidate", *StandingState._fields)
    return Checkpoint(
        row["n_batches"],
        tuple(Batch(*values) for values in json.loads(row["pending"])),
        {candidate: _standing_state(state) for candidate, *state in totals},
        tuple(recorded_decisions(ledger, run_id)),
    )


def counts_to_json(counts: RewardCounts) -> str:
    return json.dumps({str(level): n for level, n in counts.items()})


def counts_from_json(text: str) -> RewardCounts:
    return _short_counts(text) if len(text) < 100 else _counts(text)


def _counts(text: str) -> RewardCounts:
    return RewardCounts({int(level): n for level, n in json.loads(text).items()})


_short_counts = lru_cache(maxsize=4096)(_counts)
"""Counts of few values, which many rows have in common; so each is made once."""


def now() -> str:
    """Return the current time in the format of the ledger."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value

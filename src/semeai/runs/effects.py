"""Effect sizes of a race that compares numbers: by how much a candidate's number is above or below the baseline's.

If the range of the numbers is known, the effect is the mean difference, and its interval that of betting on bounded
rewards (``stats.intervals``). Otherwise it is the median difference, and its interval that of bets on signs
(``stats.medians``), which needs no range and no mean. Both intervals hold at all looks, and for all candidates together
with probability 1 - risk: each candidate has its share of the risk.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from semeai.race.race import Race
from semeai.race.selection import Standing
from semeai.race.settings import RaceSettings
from semeai.rng import derive, evaluation_seeds
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts
from semeai.stats.spending import countable_share

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger, RunInfo
    from semeai.work.jobs import Numbers

VALUES = ("candidate", "evaluation", "seed", "value", "baseline")
"""Columns of ``value_rows``."""


@dataclass(frozen=True)
class Effect:
    """The candidate's number minus the baseline's, on equal seeds."""

    kind: Literal["mean", "median"]
    estimate: float
    bounds: Bounds
    """Always-valid interval."""
    n: int
    """Evaluations that it rests on."""

    @property
    def words(self) -> str:
        lower, upper = (f"{bound:+.4g}" if math.isfinite(bound) else f"{bound}" for bound in self.bounds)
        return f"{self.kind} difference {self.estimate:+.4g} [{lower}, {upper}]"

    def to_json(self) -> dict[str, Any]:
        bounds = [bound if math.isfinite(bound) else None for bound in self.bounds]
        estimate = self.estimate if math.isfinite(self.estimate) else None
        return {"kind": self.kind, "difference": estimate, "always_valid": bounds, "evaluations": self.n}


def difference(numbers: "Numbers") -> float:
    """Return by how much the candidate's mean number is above the baseline's."""
    a, b = (sum(each) / len(each) for each in numbers)
    return 0.0 if a == b else a - b  # infinite numbers may be equal


def race_effects(
    race: Race, evaluator: Mapping[str, Any], differences: Mapping[int, Sequence[float]]
) -> dict[str, Effect]:
    """Return the effect of each candidate with results, by name; ``evaluator`` is the recorded table of that name."""
    found = {}
    for standing in race.standings:
        if effect := candidate_effect(race, evaluator, standing, differences.get(standing.index, ())):
            found[standing.candidate.name] = effect
    return found


def candidate_effect(
    race: Race, evaluator: Mapping[str, Any], standing: Standing, differences: Sequence[float]
) -> Effect | None:
    """Return the effect of a candidate; None if it has no results, or if the race compares no numbers."""
    if evaluator.get("better") is None:
        return None
    from semeai.stats.medians import always_valid_median

    confidence = 1 - _share(race.settings, len(race.standings), standing.index)
    if ends := evaluator.get("range"):
        if not standing.n_evaluations:
            return None
        width = (ends[1] - ends[0]) * (1 if evaluator["better"] == "higher" else -1)
        return mean_difference(standing.counts, width, confidence)
    return Effect("median", *always_valid_median(differences, confidence), len(differences)) if differences else None


def mean_difference(counts: RewardCounts, width: float, confidence: float) -> Effect:
    """Return the mean difference that rewards stand for. ``width`` is the range's, negative if lower is better."""
    from semeai.stats.intervals import always_valid_interval

    lower, upper = sorted((2 * bound - 1) * width for bound in always_valid_interval(counts, confidence))
    return Effect("mean", (2 * counts.mean - 1) * width, Bounds(lower, upper), counts.n)


def _share(settings: RaceSettings, n_candidates: int, index: int) -> float:
    return countable_share(settings.risk, index) if settings.mode == "stream" else settings.risk / n_candidates


def recorded_effects(ledger: "Ledger", run: "RunInfo", race: Race) -> dict[str, Effect]:
    """Return the effects of a recorded race."""
    from semeai.store.race_rows import recorded_numbers

    if run.config["evaluator"].get("better") is None:
        return {}
    differences: dict[int, list[float]] = {}
    for batch, numbers in recorded_numbers(ledger, run.id):
        differences.setdefault(batch.candidate, []).extend(map(difference, numbers))
    return race_effects(race, run.config["evaluator"], differences)


def value_rows(ledger: "Ledger", name: str) -> Iterator[dict[str, Any]]:
    """Yield one row per number that a race has compared: candidate, seed, its number and the baseline's."""
    from semeai.store.race_rows import recorded_numbers

    run = ledger.run(name)
    names = {row["number"]: row["name"] for row in ledger.rows("candidates", run.id)}
    shared = bool(run.config.get("evaluator", {}).get("share_baseline"))
    for batch, numbers in recorded_numbers(ledger, run.id):
        key = evaluation_key(run.seed, batch.candidate, shared=shared)
        seeds = evaluation_seeds(key, batch.start, batch.size).tolist()
        for i, (seed, (ours, theirs)) in enumerate(zip(seeds, numbers, strict=True)):
            for value, baseline in zip(ours, theirs, strict=True):
                row = (names[batch.candidate], batch.start + i, seed, value, baseline)
                yield dict(zip(VALUES, row, strict=True))


def evaluation_key(seed: int, candidate: int, *, shared: bool) -> int:
    """Return the key of a candidate's stream of seeds; with a shared baseline all candidates have the same stream."""
    return derive(seed, "evaluation", 0 if shared else candidate)

"""Effect sizes of a race as JSON: by how much the numbers of candidates are above the baseline's (``runs.effects``).

A look reads only the numbers that were recorded since the last one, and a limited number of them; the next looks go on.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from semeai.race.race import Race
from semeai.runs.effects import Effect, candidate_effect, difference
from semeai.store.ledger import Ledger, RunInfo
from semeai.store.race_rows import recorded_numbers

MOST_EFFECTS = 100
"""Candidates whose effects are computed: the most promising ones."""
COLUMNS = ("candidate", "kind", "difference", "lower", "upper", "n")
"""Columns of an effect; an infinite end is None."""


@dataclass
class _Read:
    """What was read of the numbers of a race."""

    next_batch: int = 0
    differences: dict[int, list[float]] = field(default_factory=dict)
    known: dict[int, tuple[int, int, Effect]] = field(default_factory=dict)  # with evaluations and candidates


@dataclass
class EffectsCache:
    """Effects of races, by run."""

    most_batches: int | None = None
    """Batches that one look may read; None for all."""
    runs: dict[int, _Read] = field(default_factory=dict)

    def rows(self, ledger: Ledger, run: RunInfo, race: Race, numbers: Iterable[int]) -> tuple[list[list[Any]], bool]:
        """Return the effects of some candidates, see COLUMNS, and whether all recorded numbers are in them."""
        evaluator = run.config.get("evaluator") or {}
        if evaluator.get("better") is None:
            return [], True
        read = self.runs.setdefault(run.id, _Read())
        is_whole = bool(evaluator.get("range")) or self._read(ledger, run, read)
        found = []
        for n in numbers:
            standing = race.standings[n - 1]
            values = read.differences.get(n, ())
            state = (len(values) or standing.n_evaluations, len(race.standings))
            if n not in read.known or read.known[n][:2] != state:
                effect = candidate_effect(race, evaluator, standing, values)
                if effect is None:
                    continue
                read.known[n] = (*state, effect)
            effect = read.known[n][2]
            found.append([n, effect.kind, *map(_rounded, (effect.estimate, *effect.bounds)), effect.n])
        return found, is_whole

    def _read(self, ledger: Ledger, run: RunInfo, read: _Read) -> bool:
        n = 0
        for batch, numbers in islice(recorded_numbers(ledger, run.id, read.next_batch), self.most_batches):
            read.differences.setdefault(batch.candidate, []).extend(map(difference, numbers))
            read.next_batch = batch.number + 1
            n += 1
        return n != self.most_batches


def _rounded(value: float) -> float | None:
    """Return a number of any size with six digits; None if it is infinite."""
    return float(f"{value:.6g}") if math.isfinite(value) else None

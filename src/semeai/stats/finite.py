"""Betting on the mean of a finite list of rewards that are drawn without replacement, for example items of a test set.

If the mean of all N rewards is m, and the n rewards seen so far sum to s, those that are left have the mean
m' = (N m - s) / (N - n). A gambler who bets the part a of his wealth on each of the next rewards x multiplies it by
1 + a (x - m'). In random order the expected product over a batch is at most 1: it is an elementary symmetric mean of
non-negative numbers whose mean is 1 (Maclaurin's inequality). So the wealth is a supermartingale over batches, and
Ville's inequality holds as in ``betting``. Within a batch, the order does not matter.

Sampling without replacement: Waudby-Smith & Ramdas, "Confidence sequences for sampling without replacement" (2020) and
"Estimating means of bounded random variables by betting" (2024), section 5. As items run out, what is left to be seen
shrinks, and after the last one the mean is known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from semeai.errors import BadReward, ConfigError
from semeai.stats.betting import Floats, Predicate, log_sum_exp
from semeai.stats.bounds import Bounds

STAKES: Floats = np.array([0.1, 0.2, 0.4, 0.8, 1.8])
LARGEST_STAKE = 0.9  # largest part of the wealth that one reward may cost
ROUNDING = 1e-12  # of a mean; equal sums in another order must not differ by it


@dataclass
class FiniteSample:
    """Rewards in [0, 1] from a list of ``n_items``, drawn in random order without replacement, batch by batch."""

    n_items: int
    batches: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.n_items < 1:
            raise ConfigError(f"a list of items has at least one, not {self.n_items}")

    def add(self, rewards: Sequence[float]) -> None:
        """Add the rewards of the next batch. Raises BadReward if one is not in [0, 1], or if there are too many."""
        values = np.asarray(rewards, np.float64)
        if not ((values >= 0) & (values <= 1)).all():
            raise BadReward(f"reward {next(float(x) for x in values if not 0 <= x <= 1)!r} is not a number in [0, 1]")
        if self.n + len(values) > self.n_items:
            raise BadReward(f"{self.n + len(values)} rewards for {self.n_items} items")
        if len(values):
            self.batches.append(values)

    @property
    def n(self) -> int:
        """Number of rewards so far."""
        return sum(len(batch) for batch in self.batches)

    @property
    def total(self) -> float:
        return float(sum(batch.sum() for batch in self.batches))

    @property
    def is_complete(self) -> bool:
        return self.n == self.n_items

    @property
    def mean(self) -> float:
        return self.total / self.n if self.n else math.nan

    def log_wealth_above(self, m: float) -> float:
        """Return the evidence against "the mean of all items is at most m": infinite if that is impossible."""
        return _log_wealth(self.batches, self.n_items, m)

    def log_wealth_below(self, m: float) -> float:
        """Return the evidence against "the mean of all items is at least m"."""
        return _log_wealth([1 - batch for batch in self.batches], self.n_items, 1 - m)

    def interval(self, confidence: float = 0.95) -> Bounds:
        """Return an always-valid interval of the mean of all items; a point after the last one."""
        if not self.n:
            return Bounds(0.0, 1.0)
        if self.is_complete:
            return Bounds(self.mean, self.mean)
        bound = -math.log((1 - confidence) / 2)
        lower = _last_excluded(lambda m: self.log_wealth_above(m) >= bound, self.mean)
        upper = 1 - _last_excluded(lambda m: self.log_wealth_below(1 - m) >= bound, 1 - self.mean)
        return Bounds(lower, upper)


def is_better(sample: FiniteSample, margin: float, risk: float) -> bool | None:
    """Return whether the mean of all items is above 1/2; None if that is not known yet. Ask after each batch.

    True is wrong with probability at most ``risk`` at any time, and False is wrong with this probability about "it is
    not above 1/2 by half the margin". After the last item both are exact, and the margin plays no part.
    """
    if sample.is_complete:
        return sample.mean > 0.5 + ROUNDING
    if sample.log_wealth_above(0.5) >= -math.log(risk):
        return True
    return False if sample.log_wealth_below((1 + margin) / 2) >= -math.log(risk) else None


def _log_wealth(batches: Sequence[Floats], n_items: int, m: float) -> float:
    logs = np.full(len(STAKES), -math.log(len(STAKES)))
    n, total = 0, 0.0
    for batch in batches:
        left = (n_items * m - total) / (n_items - n)
        if left < 0:
            return math.inf
        stakes = np.minimum(STAKES, LARGEST_STAKE / left) if left > 0 else STAKES
        logs = logs + np.log1p(np.multiply.outer(batch - left, stakes)).sum(axis=0)
        n, total = n + len(batch), total + float(batch.sum())
    if n_items * m < total - 1e-9 * n_items:  # even if all that is left were 0
        return math.inf
    return log_sum_exp(logs)


def _last_excluded(is_excluded: Predicate, high: float) -> float:
    """Return the largest excluded value below ``high``. The excluded ones are searched from 0 on."""
    low = 0.0
    if not is_excluded(low):
        return low
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if is_excluded(middle) else (low, middle)
    return low

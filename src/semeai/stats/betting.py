"""Mixture betting: the default test of a race.

A gambler starts with a wealth of 1. Before each reward x he bets a fixed fraction a on "the efficiency exceeds m", so
the reward multiplies his wealth by 1 + a (x - m). If the efficiency is at most m, the wealth is a non-negative
supermartingale. By Ville's inequality it then ever reaches 1 / risk with probability at most ``risk``. So wealth is
evidence, and it may be looked at after every game. The best fraction depends on the unknown efficiency. Therefore the
starting wealth is split over a few gamblers. Their fractions suit gaps that grow geometrically from the distance
between the two thresholds; see Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting" (2024).

Wealth is a product over rewards, so it depends on the counts only: it can be merged, resumed and computed in any order.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semeai.stats.bounds import Bounds
from semeai.stats.counts import SCALE, RewardCounts

Floats = NDArray[np.float64]
Predicate = Callable[[float], bool]

# The first gap must be less than the distance between the thresholds. If the efficiency is half way between them, a
# gambler with gap g wins in the long run only if g / 2 is less than half the distance; else the race would never end.
FIRST_GAP = 0.95  # in units of the distance between the thresholds
GAP_STEP = 2.5
LARGEST_GAP = 0.25
WEIGHT_POWER = 0.75  # weight of the k-th gambler: k ** -WEIGHT_POWER, normalised
LARGEST_STAKE = 0.9  # largest part of the wealth that one reward may cost
FORECAST_LIMIT = 1e9

# The wide mixture. Its numbers make the quotient of expected games and information bound even over all efficiencies;
# what the best weights would give is measured by `python benchmarks/run.py mixtures`.
WIDE_FIRST_GAP = 0.8  # in units of the distance between the thresholds
WIDE_STEP = 3.0
WIDEST_GAP = 0.45  # about the largest stake, for thresholds near 1/2
WIDE_FIRST_PART = 0.42  # part of the wealth for the smallest gap; the others share the rest by weight
WIDE_HALF = 0.12  # the gap with weight 1/2; larger ones have less, because few candidates are so good
WIDE_LEAST_WEIGHT = 0.15  # for rewards that vary little
SMALLEST_DISTANCE = 1e-4  # used if the thresholds are closer than this, or equal


class Evidence(NamedTuple):
    """Logarithm of the wealth of the accepting and of the discarding gamblers."""

    accept: float  # against "the efficiency is at most accept_above"
    discard: float  # against "the efficiency is at least discard_below"
    progress: float  # the accepting wealth, each gambler weighted by how fast his wealth grows if he is right


class MixtureBetting:
    """The two e-processes of a race with thresholds ``accept_above`` <= ``discard_below``.

    With ``wide`` some gamblers bet more than would be wise for rewards 0 and 1, up to the largest stake. They win soon
    if rewards vary little: a reward that is nearly always 0.55 proves an efficiency above 0.5 as well as many coins.
    The others have gaps and weights whose cost is more even over all efficiencies than that of the default.
    """

    def __init__(
        self,
        accept_above: float,
        discard_below: float,
        *,
        wide: bool = False,
        gamblers: tuple[Floats, Floats] | None = None,  # gaps and weights
    ) -> None:
        self.accept_above = accept_above
        self.discard_below = discard_below
        gaps, weights = gamblers or (wide_mixture if wide else mixture)(discard_below - accept_above)
        self.log_weights: Floats = np.log(weights)
        self.accept_bets: Floats = gaps / (accept_above * (1 - accept_above))
        # If the gap is g, the log wealth grows by about g^2 per game, so a weight of g^2 means success per game.
        self.pace_weights: Floats = self.log_weights + 2 * np.log(gaps)
        self.discard_bets: Floats = gaps / (discard_below * (1 - discard_below))

    @cached_property
    def _tables(self) -> tuple[Floats, Floats]:
        levels = np.arange(SCALE + 1) / SCALE
        accept = accept_log_factors(levels, self.accept_bets, self.accept_above)
        discard = discard_log_factors(levels, self.discard_bets, self.discard_below)
        return accept, discard

    def evidence(self, counts: RewardCounts) -> Evidence:
        """Return the log wealth after these rewards."""
        levels = np.fromiter(counts.keys(), np.int64, len(counts))
        n = np.fromiter(counts.values(), np.float64, len(counts))
        accept, discard = (weighted_sum(n, table[levels]) for table in self._tables)
        return Evidence(
            log_sum_exp(self.log_weights + accept),
            log_sum_exp(self.log_weights + discard),
            log_sum_exp(self.pace_weights + accept),
        )

    def forecast(self, counts: RewardCounts, lower_risk: float, upper_risk: float) -> float:
        """Return by which factor the sample must grow for a decision, assuming the current reward frequencies.

        1 means that it decides now, inf that it never does.
        """
        levels = np.fromiter(counts.keys(), np.int64, len(counts))
        n = np.fromiter(counts.values(), np.float64, len(counts))
        accept, discard = (weighted_sum(n, table[levels]) for table in self._tables)

        def undecided(times: float) -> bool:
            return log_sum_exp(self.log_weights + times * accept) < -math.log(lower_risk) and log_sum_exp(
                self.log_weights + times * discard
            ) < -math.log(upper_risk)

        high = 1.0
        while undecided(high):
            high *= 2
            if high > FORECAST_LIMIT:
                return math.inf
        return max(1.0, bisect(undecided, 0.0, high))

    def bounds(self, counts: RewardCounts, lower_risk: float, upper_risk: float) -> Bounds:
        """Return always-valid bounds on the efficiency: the same bets exclude every threshold outside them.

        ``lower`` exceeds accept_above exactly when the accepting wealth reaches 1 / lower_risk. The same holds for
        ``upper``, discard_below and upper_risk.
        """
        return mixture_bounds(counts, self.log_weights, self.accept_bets, self.discard_bets, lower_risk, upper_risk)


def mixture(distance: float) -> tuple[Floats, Floats]:
    """Return gaps and weights of the gamblers."""
    gaps = mixture_gaps(distance)
    weights = np.arange(1, len(gaps) + 1) ** -WEIGHT_POWER
    return gaps, weights / weights.sum()


def wide_mixture(distance: float) -> tuple[Floats, Floats]:
    """Return gaps and weights of the wide mixture, whose largest gap is about the largest stake."""
    first = min(WIDE_FIRST_GAP * max(distance, SMALLEST_DISTANCE), WIDEST_GAP)
    n_steps = max(0, math.ceil(math.log(WIDEST_GAP / first) / math.log(WIDE_STEP) - 0.3))
    gaps: Floats = first * WIDE_STEP ** np.arange(n_steps + 1, dtype=np.float64)
    if n_steps:
        gaps[-1] = WIDEST_GAP
    others = np.maximum(WIDE_LEAST_WEIGHT, 1 / (1 + (gaps[1:] / WIDE_HALF) ** 2))
    if not n_steps:
        return gaps, np.ones(1)
    return gaps, np.append(WIDE_FIRST_PART, (1 - WIDE_FIRST_PART) * others / others.sum())


def mixture_gaps(distance: float) -> Floats:
    """Return the gaps of the gamblers: the distances from a threshold to the efficiencies that they bet on."""
    first = FIRST_GAP * max(distance, SMALLEST_DISTANCE)
    steps = max(0, math.floor(math.log(LARGEST_GAP / first) / math.log(GAP_STEP)))
    return first * GAP_STEP ** np.arange(steps + 1, dtype=np.float64)


def mixture_bounds(
    counts: RewardCounts,
    log_weights: Floats,
    accept_bets: Floats,
    discard_bets: Floats,
    lower_risk: float,
    upper_risk: float,
) -> Bounds:
    """Return always-valid bounds: the range of thresholds that gamblers with these bets cannot exclude."""
    if not counts:
        return Bounds(0.0, 1.0)
    levels = np.fromiter(counts.keys(), np.float64, len(counts)) / SCALE
    n = np.fromiter(counts.values(), np.float64, len(counts))

    def excess(m: float) -> float:  # falls with m
        factors = accept_log_factors(levels, accept_bets, m)
        return log_sum_exp(log_weights + weighted_sum(n, factors)) + math.log(lower_risk)

    def shortfall(m: float) -> float:  # rises with m
        factors = discard_log_factors(levels, discard_bets, m)
        return log_sum_exp(log_weights + weighted_sum(n, factors)) + math.log(upper_risk)

    mean = float(n @ levels / n.sum())
    lower = bisect(lambda m: excess(m) >= 0, 0.0, mean)
    upper = 1 - bisect(lambda m: shortfall(1 - m) >= 0, 0.0, 1 - mean)
    return Bounds(lower, upper)


def accept_log_factors(rewards: Floats, bets: Floats, m: float) -> Floats:
    """Return log(1 + a_k (x - m)) for each reward (rows) and gambler (columns)."""
    stakes = np.minimum(bets, LARGEST_STAKE / m) if m > 0 else bets
    return np.log1p(np.multiply.outer(rewards - m, stakes))


def discard_log_factors(rewards: Floats, bets: Floats, m: float) -> Floats:
    """Return log(1 - b_k (x - m)) for each reward (rows) and gambler (columns)."""
    stakes = np.minimum(bets, LARGEST_STAKE / (1 - m)) if m < 1 else bets
    return np.log1p(np.multiply.outer(m - rewards, stakes))


def weighted_sum(n: Floats, factors: Floats) -> Floats:
    """Return the sum over rewards, row by row. Unlike a matrix product it adds in the same order on every machine."""
    total: Floats = (n[:, None] * factors).sum(axis=0)
    return total


def log_sum_exp(values: Floats) -> float:
    largest = float(values.max())
    return largest + math.log(float(np.exp(values - largest).sum()))


def bisect(holds: Predicate, low: float, high: float) -> float:
    """Return the largest m in [low, high] where ``holds(m)``; it must be true up to some point and false after it."""
    if not holds(low):
        return low
    for _ in range(40):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low

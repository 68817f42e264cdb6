"""Elo differences with always-valid intervals, and the log likelihood ratio of chess testers.

The unit is a pair of games with the same opening and swapped colours; its mean reward is 0, 1/4, 1/2, 3/4 or 1. The
pentanomial counts say how often each was seen. All intervals come from ``always_valid_interval``, so they hold at all
times at once, whenever one looks and stops.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from semeai.errors import ConfigError
from semeai.stats.betting import Floats
from semeai.stats.bounds import Bounds
from semeai.stats.counts import SCALE, RewardCounts
from semeai.stats.intervals import always_valid_interval

LEVELS = (0, SCALE // 4, SCALE // 2, 3 * SCALE // 4, SCALE)
ELO_PER_NAT = 400 / math.log(10)
NORMALISED_PER_UNIT = 2 * ELO_PER_NAT
"""A normalised Elo is the mean over the standard deviation of a game, in units that agree with Elo without draws."""
UNSEEN = 1e-3  # added to the count of an outcome that was not seen, as fishtest does


def elo(rate: float) -> float:
    """Return the Elo difference that a win rate means: 0 for 1/2, infinite for 0 and 1."""
    if rate <= 0 or rate >= 1:
        return math.inf if rate >= 1 else -math.inf
    return ELO_PER_NAT * math.log(rate / (1 - rate))


def elo_rate(difference: float) -> float:
    """Return the win rate that an Elo difference means."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_interval(interval: Bounds) -> Bounds:
    """Return an interval of win rates as Elo differences. It has the same confidence, because the scale rises."""
    return Bounds(elo(interval.lower), elo(interval.upper))


class Rated(NamedTuple):
    """An estimate and its always-valid interval."""

    value: float
    lower: float
    upper: float


def elo_estimate(counts: RewardCounts, confidence: float = 0.95) -> Rated:
    """Return the Elo difference. It rises with the win rate, so the interval is that of the win rate, transformed."""
    lower, upper = always_valid_interval(counts, confidence)
    return Rated(elo(counts.mean) if counts else math.nan, elo(lower), elo(upper))


def normalised_elo(counts: RewardCounts, confidence: float = 0.95) -> Rated:
    """Return the normalised Elo of pairs, (mean - 1/2) / (standard deviation of a game) in units of Elo.

    With x the reward of a pair, t = E[x] - 1/2 and d = E[(x - 1/2)^2], the variance of x is d - t^2, and that of a game
    twice as much. t / sqrt(d - t^2) rises with t; it falls with d where t > 0 and rises where t < 0. So an interval for
    t and one for d, each with half of the risk, give one for the quotient (union bound). Both are means of numbers in
    bounded ranges.
    """
    if not counts:
        return Rated(math.nan, -math.inf, math.inf)
    each = (1 + confidence) / 2
    mean = always_valid_interval(counts, each)
    spreads: dict[int, int] = {}
    for level, n in counts.items():
        spread = round((2 * level / SCALE - 1) ** 2 * SCALE)  # exact for pairs: 0, 1/4 or 1
        spreads[spread] = spreads.get(spread, 0) + n
    whole = RewardCounts(spreads)
    small, large = always_valid_interval(whole, each)
    return Rated(
        _quotient(counts.mean - 0.5, whole.mean / 4),
        _quotient(mean.lower - 0.5, (large if mean.lower > 0.5 else small) / 4),
        _quotient(mean.upper - 0.5, (small if mean.upper > 0.5 else large) / 4),
    )


def _quotient(t: float, d: float) -> float:
    if t == 0:
        return 0.0
    variance = d - t * t
    return math.copysign(math.inf, t) if variance <= 0 else NORMALISED_PER_UNIT * t / math.sqrt(2 * variance)


def pentanomial(counts: Mapping[int, int]) -> tuple[int, ...]:
    """Return the number of pairs with 0, 1/2, 1, 3/2 and 2 points."""
    return tuple(counts.get(level, 0) for level in LEVELS)


def log_likelihood_ratio(counts: Mapping[int, int], elo0: float, elo1: float) -> float:
    """Return the generalised log likelihood ratio of "Elo is elo1" to "Elo is elo0", as fishtest computes it.

    Each hypothesis gets the distribution of pairs that fits the counts best among those with its mean: with q the
    observed frequencies, p = q / (1 + x (a - s)), where x makes the mean s (Owen's empirical likelihood).
    """
    n = np.array([counts.get(level, 0) or UNSEEN for level in LEVELS])
    rewards = np.array(LEVELS) / SCALE
    q = n / n.sum()
    p0, p1 = (_tilted(q, rewards, elo_rate(e)) for e in (elo0, elo1))
    return float(n @ np.log(p1 / p0))


def _tilted(q: Floats, rewards: Floats, mean: float) -> Floats:
    gaps = rewards - mean
    low, high = -1 / gaps.max(), -1 / gaps.min()  # where all probabilities are positive
    for _ in range(100):
        middle = (low + high) / 2
        if float((q * gaps / (1 + middle * gaps)).sum()) > 0:  # falls with x
            low = middle
        else:
            high = middle
    tilted: Floats = q / (1 + (low + high) / 2 * gaps)
    return tilted


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> Bounds:
    """Return Wald's bounds of the log likelihood ratio: below the first elo0 is taken, above the second elo1."""
    return Bounds(math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))


def parse_hypotheses(text: str, place: str) -> tuple[float, float]:
    """Return the two Elo differences of ``ELO0,ELO1``. Raises ConfigError if there are not two that rise."""
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise ConfigError(f"{place} {text[:40]!r}: write ELO0,ELO1, for example 0,5") from None
    if not -1000 <= elo0 < elo1 <= 1000:
        raise ConfigError(f"{place} {text[:40]!r}: ELO0 must be less than ELO1, both between -1000 and 1000")
    return elo0, elo1

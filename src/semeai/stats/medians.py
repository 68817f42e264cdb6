"""Always-valid intervals for a median, by bets on signs. They hold for any distribution, with ties and heavy tails.

Let m be a number, and call a value above m a win. If the median of each value, given the values before it, is at most
m, then a win has probability at most 1/2. A gambler who stakes the fraction s on a win multiplies his wealth by 1 + s
or by 1 - s, so his wealth is a non-negative supermartingale. By Ville's inequality it ever reaches 1 / risk with
probability at most ``risk``. The lower bound is the largest m that is excluded in this way; the upper bound is the same
for values below m. A value equal to m is a win on neither side, so ties exclude nothing. The starting wealth is split
over a few stakes, as in ``betting``. The idea is that of the confidence sequences for quantiles of Darling & Robbins
(1967) and Howard & Ramdas (2022).

What is assumed: each value has the same median, given the values before it. Values need not be independent, equally
distributed, symmetric, or have a mean.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from semeai.stats.betting import Floats, log_sum_exp
from semeai.stats.bounds import Bounds

# A stake s suits a win probability of (1 + s) / 2. The stake 1 wins soonest if every value is a win.
_STAKES: Floats = np.array([0.02, 0.05, 0.125, 0.3125, 0.78125, 1.0])
_WEIGHTS: Floats = np.arange(1.0, len(_STAKES) + 1)
_LOG_WEIGHTS: Floats = np.log(_WEIGHTS / _WEIGHTS.sum())
_LOG_WIN: Floats = np.log1p(_STAKES)
_LOG_LOSS: Floats = np.append(np.log1p(-_STAKES[:-1]), -math.inf)
_FORECAST_LIMIT = 10**9


class Median(NamedTuple):
    """A sample median with its always-valid interval."""

    estimate: float
    bounds: Bounds


def sign_evidence(wins: float, n: float) -> float:
    """Return the log wealth of the gamblers after ``wins`` wins in ``n`` values."""
    losses = n - wins
    lost = losses * _LOG_LOSS if losses > 0 else np.zeros(len(_STAKES))
    return log_sum_exp(_LOG_WEIGHTS + wins * _LOG_WIN + lost)


@lru_cache(maxsize=4096)
def wins_needed(n: int, risk: float) -> int:
    """Return the smallest number of wins in ``n`` values that excludes m at this risk; n + 1 if none does."""
    low, high = n // 2, n + 1
    while low < high:
        middle = (low + high) // 2
        if sign_evidence(middle, n) >= -math.log(risk):
            high = middle
        else:
            low = middle + 1
    return low


def median_bounds(values: Sequence[float] | Floats, lower_risk: float, upper_risk: float) -> Bounds:
    """Return always-valid bounds on the median of the values; each holds at all sample sizes at once."""
    found = np.sort(np.asarray(values, np.float64))
    n = len(found)
    above, below = wins_needed(n, lower_risk), wins_needed(n, upper_risk)
    lower = float(found[n - above]) if above <= n else -math.inf
    upper = float(found[below - 1]) if below <= n else math.inf
    return Bounds(lower, upper)


def always_valid_median(values: Sequence[float] | Floats, confidence: float = 0.95) -> Median:
    """Return the sample median, and an interval that contains the median at all sample sizes with this probability."""
    risk = (1 - confidence) / 2
    estimate = float(np.median(np.asarray(values, np.float64))) if len(values) else math.nan
    return Median(estimate, median_bounds(values, risk, risk))


def values_needed(win_rate: float, risk: float) -> float:
    """Return a forecast: how many values exclude m if so large a part of them are wins. Returns inf if none do."""
    if win_rate <= 0.5:
        return math.inf
    high = 1
    while sign_evidence(win_rate * high, high) < -math.log(risk):
        high *= 2
        if high > _FORECAST_LIMIT:
            return math.inf
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        if sign_evidence(win_rate * middle, middle) < -math.log(risk):
            low = middle
        else:
            high = middle
    return float(high)

"""Confidence intervals for the efficiency: one for a finished sample, one that is valid while the sample grows."""

import math
from statistics import NormalDist

import numpy as np

from semeai.errors import ConfigError
from semeai.stats.betting import Floats, mixture_bounds
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts

# From bets that suit tens of thousands of rewards to bets that suit ten; each gets the same part of the wealth.
_BETS: Floats = 0.03 * np.power(10.0, 0.4 * np.arange(6))
_LOG_WEIGHTS: Floats = np.full(len(_BETS), -math.log(len(_BETS)))


def wilson_interval(total_reward: float, n_games: int, confidence: float = 0.95) -> Bounds:
    """Return Wilson's score interval. It is valid only for a finished sample of independent rewards."""
    if n_games <= 0 or not 0 <= total_reward <= n_games:
        raise ConfigError(f"no interval for a total reward of {total_reward} in {n_games} games")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    mean = total_reward / n_games
    spread = z * math.sqrt(mean * (1 - mean) / n_games + (z / (2 * n_games)) ** 2)
    centre = mean + z * z / (2 * n_games)
    scale = 1 + z * z / n_games
    # The ends 0 and 1 are set exactly; rounding would give 1e-17 instead of 0.
    lower = 0.0 if total_reward == 0 else (centre - spread) / scale
    upper = 1.0 if total_reward == n_games else (centre + spread) / scale
    return Bounds(lower, upper)


def always_valid_interval(counts: RewardCounts, confidence: float = 0.95) -> Bounds:
    """Return a confidence sequence: with probability ``confidence`` it contains the mean at all sample sizes at once.

    It is the hedged betting interval of Waudby-Smith & Ramdas (2024), section 4, with fixed instead of adaptive bets:
    the values that six gamblers on each side cannot exclude. ``betting`` explains why one may stop at any time.
    """
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence must lie between 0 and 1, not {confidence}")
    risk = (1 - confidence) / 2
    return mixture_bounds(counts, _LOG_WEIGHTS, _BETS, _BETS, risk, risk)

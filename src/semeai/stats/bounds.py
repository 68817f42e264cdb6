"""Bounds on the efficiency: ``computeBounds`` of the BGP paper, section 4."""

import math
from typing import NamedTuple

from semeai.errors import ConfigError
from semeai.stats.deviations import bernstein_deviation, hoeffding_deviation
from semeai.stats.spending import spending_named


class Bounds(NamedTuple):
    """Bounds on the efficiency, which hold except with a probability of at most the risk."""

    lower: float
    upper: float


def compute_bounds(
    total_reward: float,
    n_games: int,
    n_tests: int,
    *,
    risk: float,
    n_candidates: int = 1,
    index: int = 1,
    spending: str = "quadratic",
    sigma: float | None = None,
) -> Bounds:
    """Return lb(s) and ub(s) at test number ``n_tests`` of candidate ``index``; both count from 1.

    ``spending`` selects the variant. If the empirical standard deviation ``sigma`` is given, Bernstein's deviation is
    used, otherwise Hoeffding's. The pseudo-code of variants 2 and 3 calls r the average and then divides it by n; here
    r is the total reward, as in variant 1.
    """
    if n_games < 0 or not 0 <= total_reward <= n_games:
        raise ConfigError(f"a total reward of {total_reward} in {n_games} games is impossible")
    if n_tests < 1 or n_candidates < 1 or index < 1:
        raise ConfigError(f"n_tests, n_candidates and index count from 1, not {n_tests}, {n_candidates} and {index}")
    if not 0 < risk < 1:
        raise ConfigError(f"risk must lie between 0 and 1, not {risk}")
    if n_games == 0:
        return Bounds(-math.inf, math.inf)
    test_risk = spending_named(spending)(risk, n_tests, n_candidates, index)
    if sigma is None:
        deviation = hoeffding_deviation(test_risk, n_games)
    else:
        deviation = bernstein_deviation(test_risk, n_games, sigma)
    mean = total_reward / n_games
    return Bounds(mean - deviation, mean + deviation)

"""Plain intervals, for a finished and independent sample only: watched live they mislead."""

import math
from statistics import NormalDist

from semeai.errors import ConfigError
from semeai.stats.bounds import Bounds


def wilson_interval(total_reward: float, n_games: int, confidence: float = 0.95) -> Bounds:
    """Wilson's score interval for the efficiency behind ``total_reward`` in ``n_games``."""
    if n_games <= 0 or not 0 <= total_reward <= n_games:
        raise ConfigError(f"no interval for a total reward of {total_reward} in {n_games} games")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    mean = total_reward / n_games
    spread = z * math.sqrt(mean * (1 - mean) / n_games + (z / (2 * n_games)) ** 2)
    centre = mean + z * z / (2 * n_games)
    scale = 1 + z * z / n_games
    # Exact at the ends, where rounding would leave 1e-17.
    lower = 0.0 if total_reward == 0 else (centre - spread) / scale
    upper = 1.0 if total_reward == n_games else (centre + spread) / scale
    return Bounds(lower, upper)

"""Elo differences of a match as data, for games that are rated in Elo."""

import math
from typing import Any

from semeai.games.catalog import game_named
from semeai.match.match import Match
from semeai.match.tally import Tally
from semeai.stats.counts import RewardCounts
from semeai.stats.elo import elo_estimate, log_likelihood_ratio, normalised_elo, pentanomial, sprt_bounds

Hypotheses = tuple[float, float]
HYPOTHESES: Hypotheses = (0.0, 5.0)
"""Elo differences of the two hypotheses of a log likelihood ratio."""


def elo_dict(match: Match, tally: Tally, hypotheses: Hypotheses = HYPOTHESES) -> dict[str, Any]:
    """Return Elo, normalised Elo, pentanomial counts and log likelihood ratio; empty for other games.

    JSON can hold it: infinite ends are None.
    """
    if not game_named(match.settings.game).rated_in_elo:
        return {}
    counts = RewardCounts(tally.levels)
    estimates = {"elo": elo_estimate(counts), "normalised_elo": normalised_elo(counts)}
    return {
        **{name: _finite(rated.value) for name, rated in estimates.items()},
        **{f"{name}_always_valid_95": [_finite(end) for end in rated[1:]] for name, rated in estimates.items()},
        "pentanomial": list(pentanomial(counts)),
        "llr": log_likelihood_ratio(counts, *hypotheses) if counts else 0.0,
        "llr_bounds": list(sprt_bounds()),
        "llr_elo": list(hypotheses),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

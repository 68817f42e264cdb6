"""Elo differences of a match as lines of text and as JSON, for games that are rated in Elo."""

import math
from typing import Any

from semeai.games.catalog import game_named
from semeai.match.match import Match
from semeai.match.tally import Tally
from semeai.stats.counts import RewardCounts
from semeai.stats.elo import Rated, elo_estimate, log_likelihood_ratio, normalised_elo, pentanomial, sprt_bounds

Hypotheses = tuple[float, float]
HYPOTHESES: Hypotheses = (0.0, 5.0)


def elo_lines(match: Match, tally: Tally, hypotheses: Hypotheses = HYPOTHESES) -> list[str]:
    """Return the lines on Elo; none for other games, and none without games."""
    if not tally.n_pairs or not game_named(match.settings.game).rated_in_elo:
        return []
    counts = RewardCounts(tally.levels)
    low, high = sprt_bounds()
    llr = log_likelihood_ratio(counts, *hypotheses)
    return [
        f"Elo of A over B {shown(elo_estimate(counts))}, normalised {shown(normalised_elo(counts))}, 95% always valid",
        f"pairs with 0, 1/2, 1, 3/2, 2 points: {list(pentanomial(counts))}",
        f"LLR {llr:+.2f} [{low:.2f}, {high:.2f}] of {hypotheses[1]:g} against {hypotheses[0]:g} Elo, for comparison: "
        "the interval decides",
    ]


def elo_dict(match: Match, tally: Tally, hypotheses: Hypotheses = HYPOTHESES) -> dict[str, Any]:
    """Return the same as JSON can hold it; infinite ends are null."""
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


def shown(rated: Rated) -> str:
    return f"{rated.value:+.1f} [{rated.lower:+.1f}, {rated.upper:+.1f}]"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

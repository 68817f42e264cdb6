"""Elo differences of a match as lines of text, for games that are rated in Elo."""

from semeai.games.catalog import game_named
from semeai.match.match import Match
from semeai.match.rating import HYPOTHESES, Hypotheses
from semeai.match.tally import Tally
from semeai.stats.counts import RewardCounts
from semeai.stats.elo import Rated, elo_estimate, log_likelihood_ratio, normalised_elo, pentanomial, sprt_bounds


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


def shown(rated: Rated) -> str:
    return f"{rated.value:+.1f} [{rated.lower:+.1f}, {rated.upper:+.1f}]"

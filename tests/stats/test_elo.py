"""Elo and normalised Elo with always-valid intervals, pentanomial counts, the log likelihood ratio."""

import math

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.stats.counts import RewardCounts
from semeai.stats.elo import (
    LEVELS,
    elo,
    elo_estimate,
    elo_rate,
    log_likelihood_ratio,
    normalised_elo,
    parse_hypotheses,
    pentanomial,
    sprt_bounds,
)

PENTANOMIAL = dict(zip(LEVELS, (10, 150, 300, 220, 30), strict=True))


def test_elo_and_win_rate():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo_rate(elo(0.37)) == pytest.approx(0.37)
    assert (elo(0), elo(1)) == (-math.inf, math.inf)


def test_estimates_of_known_counts():
    counts = RewardCounts(PENTANOMIAL)
    found = elo_estimate(counts)
    assert found.value == pytest.approx(elo(counts.mean))
    assert found.lower < found.value < found.upper
    normalised = normalised_elo(counts)
    game = math.sqrt(2) * counts.deviation  # standard deviation of a game
    assert normalised.value == pytest.approx((counts.mean - 0.5) / game * 800 / math.log(10))
    assert normalised.lower < normalised.value < normalised.upper
    swapped = normalised_elo(RewardCounts({1000 - level: n for level, n in PENTANOMIAL.items()}))
    assert swapped.lower == pytest.approx(-normalised.upper, rel=1e-6)
    assert pentanomial(counts) == (10, 150, 300, 220, 30)


def test_no_games_and_one_sided_games_have_no_finite_estimate():
    assert math.isnan(elo_estimate(RewardCounts()).value)
    assert normalised_elo(RewardCounts()).lower == -math.inf
    assert normalised_elo(RewardCounts({1000: 50})).value == math.inf
    assert elo_estimate(RewardCounts({1000: 500})).lower > 100


def test_the_log_likelihood_ratio_is_that_of_the_normal_approximation_for_many_pairs():
    """GSPRT: n (s1 - s0) (2 mean - s0 - s1) / (2 variance), Van den Bergh's approximation."""
    counts = {level: 100 * n for level, n in PENTANOMIAL.items()}
    whole = RewardCounts(counts)
    s0, s1 = elo_rate(0), elo_rate(5)
    normal = whole.n * (s1 - s0) * (2 * whole.mean - s0 - s1) / (2 * whole.deviation**2)
    assert log_likelihood_ratio(counts, 0, 5) == pytest.approx(normal, rel=0.02)
    assert log_likelihood_ratio(counts, -5, 0) == pytest.approx(-log_likelihood_ratio(counts, 0, -5), rel=1e-6)
    assert sprt_bounds() == pytest.approx((-2.944, 2.944), abs=1e-3)


@pytest.mark.parametrize("text", ["", "0", "5,0", "a,b", "0,nan", "0,5,6", "0,1e9"])
def test_wrong_hypotheses(text):
    with pytest.raises(ConfigError, match="--sprt"):
        parse_hypotheses(text, "--sprt")


@pytest.mark.statistical
def test_the_intervals_hold_at_all_looks_at_once():
    """At most 5% of 40 matches, each looked at 5 times, may ever miss; 8 or more would be chance in 0.15%."""
    draw = np.random.default_rng(5)
    p = np.array([0.05, 0.2, 0.4, 0.25, 0.1])
    mean = float(p @ np.array(LEVELS)) / 1000
    deviation = math.sqrt(float(p @ (np.array(LEVELS) / 1000 - mean) ** 2))
    true = elo(mean), (mean - 0.5) / (math.sqrt(2) * deviation) * 800 / math.log(10)
    missed = [0, 0]
    for _ in range(40):
        rewards = draw.choice(LEVELS, 600, p=p)
        wrong = [False, False]
        for n in (10, 40, 100, 250, 600):
            levels, counts = np.unique(rewards[:n], return_counts=True)
            seen = RewardCounts(dict(zip(levels.tolist(), counts.tolist(), strict=True)))
            for i, rated in enumerate((elo_estimate(seen), normalised_elo(seen))):
                wrong[i] |= not rated.lower <= true[i] <= rated.upper
        missed = [a + b for a, b in zip(missed, wrong, strict=True)]
    assert max(missed) <= 7

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.errors import ConfigError
from semeai.stats import intervals
from semeai.stats.betting import accept_log_factors, discard_log_factors, log_sum_exp, weighted_sum
from semeai.stats.counts import SCALE, RewardCounts
from semeai.stats.intervals import always_valid_interval, wilson_interval

pair_counts = st.dictionaries(st.sampled_from([0, 250, 500, 750, 1000]), st.integers(1, 2000), min_size=1)


def log_wealth(counts, m, factors):
    levels = np.array(list(counts)) / SCALE
    n = np.array(list(counts.values()), float)
    return log_sum_exp(intervals._LOG_WEIGHTS + weighted_sum(n, factors(levels, intervals._BETS, m)))


@given(pair_counts, st.floats(0.01, 0.99), st.sampled_from([0.9, 0.95, 0.99]))
def test_a_value_is_outside_just_when_somebody_got_rich_by_betting_against_it(levels, m, confidence):
    counts = RewardCounts(levels)
    lower, upper = always_valid_interval(counts, confidence)
    assert 0 <= lower <= counts.mean <= upper <= 1
    threshold = math.log(2 / (1 - confidence))
    below, above = log_wealth(counts, m, accept_log_factors), log_wealth(counts, m, discard_log_factors)
    if m < counts.mean and abs(below - threshold) > 1e-6:
        assert (m < lower) == (below > threshold)
    if m > counts.mean and abs(above - threshold) > 1e-6:
        assert (m > upper) == (above > threshold)


@pytest.mark.statistical
@pytest.mark.parametrize(("p", "pairs_alike"), [(0.5, 0.0), (0.5, 0.5), (0.7, 0.0), (0.95, 0.0)])
def test_it_holds_the_mean_at_every_moment_with_its_confidence(p, pairs_alike):
    """4000 matches of 300 pairs, looked at after each: at most 5% may ever lose it; false alarm of this test < 0.1%."""
    draw = np.random.default_rng(20260101)
    n_matches, n_pairs = 4000, 300
    games = draw.random((2, n_matches, n_pairs)) < p
    games[1] = np.where(draw.random((n_matches, n_pairs)) < pairs_alike, games[0], games[1])
    means = games.mean(axis=0)
    lost = np.zeros(n_matches, bool)
    for factors in (accept_log_factors, discard_log_factors):
        wealth = factors(means, intervals._BETS, p).cumsum(axis=1) + intervals._LOG_WEIGHTS
        lost |= (np.logaddexp.reduce(wealth, axis=2) >= math.log(40)).any(axis=1)
    assert lost.mean() <= 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / n_matches)
    assert lost.mean() >= 0.005, "an interval that never misses is wider than it need be"


def test_it_is_not_much_wider_than_the_plain_one():
    """And excludes a half after some ten won pairs."""
    for n in (50, 500, 5000):
        counts = RewardCounts({0: n // 4, 500: n // 2, 1000: n // 4})
        lower, upper = always_valid_interval(counts)
        plain = wilson_interval(counts.total * 2, counts.n * 2)
        assert upper - lower < 2 * (plain.upper - plain.lower)
    assert always_valid_interval(RewardCounts({1000: 10})).lower > 0.5
    assert always_valid_interval(RewardCounts()) == (0, 1)


def test_confidence_is_checked():
    with pytest.raises(ConfigError, match="not 1"):
        always_valid_interval(RewardCounts({1000: 10}), 1)

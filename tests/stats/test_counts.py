import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import RewardCounts
from semeai.errors import BadReward
from semeai.stats.counts import SCALE, reward_level

counts = st.dictionaries(st.integers(0, SCALE), st.integers(1, 50), max_size=8).map(RewardCounts)


@given(counts, counts, counts)
def test_merging_is_order_free(a, b, c):
    assert (a + b) + c == a + (c + b)
    assert RewardCounts.merge([c, a, b]) == RewardCounts.merge([a, b, c])


@given(counts.filter(bool))
def test_moments_agree_with_numpy(sample):
    values = np.repeat([level / SCALE for level in sample], list(sample.values()))
    assert sample.n == len(values)
    assert sample.total == pytest.approx(values.sum())
    assert sample.mean == pytest.approx(values.mean())
    assert sample.deviation == pytest.approx(values.std(), abs=1e-12)


@pytest.mark.parametrize("reward", [0, 0.25, 0.5, 0.731, 1, True, 1.0])
def test_whole_thousandths_are_kept_as_they_are(reward):
    assert {reward_level(reward, seed) for seed in range(200)} == {round(reward * SCALE)}


def test_rounding_has_no_bias():
    n = 40_000
    levels = [reward_level(0.12345, seed) for seed in range(n)]
    assert set(levels) == {123, 124}
    # Standard error of the mean level: 0.5 / sqrt(n) = 0.0025; five of them: a false alarm of 6e-7.
    assert np.mean(levels) == pytest.approx(123.45, abs=5 * 0.5 / math.sqrt(n))


def test_rounding_is_independent_of_what_a_program_draws_from_the_seed():
    draws = [random.Random(seed).random() for seed in range(5000)]
    ups = [reward_level(0.0005, seed) for seed in range(5000)]
    assert abs(np.corrcoef(draws, ups)[0, 1]) < 5 / math.sqrt(5000)


@pytest.mark.parametrize("reward", [-0.001, 1.001, math.nan, math.inf])
def test_what_is_no_reward_is_refused(reward):
    with pytest.raises(BadReward, match=r"not a number in \[0, 1\]"):
        reward_level(reward, 1)


def test_impossible_counts_are_refused():
    with pytest.raises(BadReward):
        RewardCounts({1001: 1})
    with pytest.raises(BadReward):
        RewardCounts({0.5: 1})  # levels are thousandths
    with pytest.raises(BadReward):
        RewardCounts({5: -1})

"""Sampling without replacement: evidence is valid to exhaustion, and the interval ends in a point."""

import itertools
import math

import numpy as np
import pytest

from semeai.errors import BadReward
from semeai.stats.finite import FiniteSample


def sampled(rewards, *sizes):
    sample, at = FiniteSample(len(rewards)), 0
    for size in sizes:
        sample.add(rewards[at : at + size])
        at += size
    return sample


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (2, 3), (3, 1, 1)])
@pytest.mark.parametrize("rewards", [(0, 0, 0.5, 1, 1), (0.2, 0.4, 0.5, 0.9, 0.1), (0.5,) * 5])
def test_the_expected_wealth_over_all_orders_is_at_most_one(rewards, sizes):
    """Exact: all 120 orders of the items, at the true mean, after each batch."""
    mean = sum(rewards) / len(rewards)
    for n in range(1, len(sizes)):
        logs = [sampled(order, *sizes[:n]).log_wealth_above(mean) for order in itertools.permutations(rewards)]
        assert np.mean(np.exp(logs)) <= 1 + 1e-9
        logs = [sampled(order, *sizes[:n]).log_wealth_below(mean) for order in itertools.permutations(rewards)]
        assert np.mean(np.exp(logs)) <= 1 + 1e-9


def test_what_is_impossible_is_excluded_and_all_items_give_the_mean():
    sample = sampled([1.0] * 6 + [0.0] * 4, 6)
    assert sample.log_wealth_above(0.59) == math.inf
    assert sample.log_wealth_below(1.0) < math.inf
    assert sample.interval().lower >= 0.599
    sample.add([0.0] * 4)
    assert sample.interval() == (0.6, 0.6)
    with pytest.raises(BadReward, match="11 rewards for 10 items"):
        sample.add([1.0])
    with pytest.raises(BadReward, match="not a number in"):
        FiniteSample(3).add([math.nan])


@pytest.mark.statistical
def test_the_mean_is_rarely_excluded_at_any_look_to_exhaustion():
    """At most 30 of 300 sets may ever err, at a risk of 5% on each side; 48 or more would be chance in 0.1%."""
    draw, wrong, bound = np.random.default_rng(3), 0, -math.log(0.05)
    for i in range(300):
        rewards = (draw.beta(2, 1, 100), (draw.random(100) < 0.6).astype(float), draw.choice([0.25, 0.5, 1], 100))[
            i % 3
        ]
        sample, mean, erred = FiniteSample(100), float(rewards.mean()), False
        for at in range(0, 90, 10):
            sample.add(rewards[at : at + 10])
            erred |= max(sample.log_wealth_above(mean), sample.log_wealth_below(mean)) >= bound
        wrong += erred
    assert wrong <= 47

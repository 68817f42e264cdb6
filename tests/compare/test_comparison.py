"""The pure state of a comparison: verdicts, limits and error rates, without any process."""

import math

import numpy as np
import pytest

from semeai.compare.comparison import Comparison, Outcome
from semeai.compare.goal import Goal
from semeai.errors import BadReward, ConfigError
from semeai.models import checked


def told(goal, *rounds):
    """Return a comparison after rounds of (baseline, command) numbers, whether it is decided or not."""
    comparison = Comparison(goal, 2)
    for baseline, number in rounds:
        comparison.tell({0: baseline, 1: number})
    return comparison


def test_a_ratio_that_never_changes_decides_after_min_rounds():
    comparison = told(Goal(), *[(2.0, 3.0)] * 9)
    assert comparison.wanted == [0, 1]
    comparison.tell({0: 2.0, 1: 3.0})
    assert comparison.wanted == []
    assert comparison.effect(1).bounds == pytest.approx((1.5, 1.5))
    assert comparison.outcome(1) == Outcome.WORSE


@pytest.mark.parametrize(
    ("better", "ratio", "outcome"),
    [
        ("lower", 0.9, Outcome.BETTER),
        ("lower", 1.1, Outcome.WORSE),
        ("higher", 0.9, Outcome.WORSE),
        ("higher", 1.1, Outcome.BETTER),
        ("lower", 1.0, Outcome.SAME),
    ],
)
def test_outcomes(better, ratio, outcome):
    assert told(Goal(better=better), *[(1.0, ratio)] * 10).outcome(1) == outcome


def test_few_rounds_decide_nothing():
    assert told(Goal(), *[(1.0, 5.0)] * 6).outcome(1) == Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("better", "ratio", "fails"),
    [("lower", 1.03, True), ("lower", 1.01, False), ("higher", 0.97, True), ("higher", 0.99, False)],
)
def test_the_limit_decides(better, ratio, fails):
    comparison = told(Goal(better=better, fail_above=0.02), *[(10.0, 10 * ratio)] * 10)
    assert comparison.fails(1) is fails
    assert comparison.wanted == []


def test_the_limit_is_open_if_the_interval_contains_it():
    comparison = told(Goal(fail_above=0.02), *[(1.0, 1.0), (1.0, 1.05)] * 20)
    assert comparison.fails(1) is None
    assert comparison.wanted == [0, 1]


def test_a_precision_goes_on_after_the_verdict():
    goal = Goal(precision=0.01)
    comparison = told(goal, *[(1.0, ratio) for ratio in (1.5, 1.6, 1.7, 1.8) * 5])
    assert comparison.outcome(1) == Outcome.WORSE
    assert comparison.wanted == [0, 1]


def test_decided_commands_leave_and_the_others_share_the_risk():
    comparison = Comparison(Goal(), 4)
    assert comparison.confidence == pytest.approx(1 - 0.05 / 3)
    rng = np.random.default_rng(1)
    for _ in range(12):
        numbers = {0: 1.0, 1: 2.0, 2: float(np.exp(rng.normal())), 3: 0.5}
        comparison.tell({i: numbers[i] for i in comparison.wanted})
    assert comparison.wanted == [0, 2]
    assert [comparison.rounds_of(i) for i in range(4)] == [12, 10, 12, 10]


def test_numbers_that_cannot_be_divided_are_refused():
    with pytest.raises(BadReward, match="-1 cannot be compared by ratio; compare differences"):
        told(Goal(), (1.0, -1.0))
    with pytest.raises(BadReward, match="nan cannot be compared by difference"):
        told(Goal(effect="difference"), (math.nan, 1.0))
    assert told(Goal(effect="difference"), *[(math.inf, math.inf)] * 10).effect(1).estimate == 0


def test_a_forecast_comes_true_for_steady_effects():
    comparison = told(Goal(min_rounds=1), *[(1.0, 2.0)] * 3)
    assert comparison.rounds_left() == 4
    for _ in range(4):
        comparison.tell({0: 1.0, 1: 2.0})
    assert comparison.rounds_left() == 0


def test_wrong_goals_are_refused():
    with pytest.raises(ConfigError, match=r"max_rounds .3. must not be less than min_rounds .10."):
        checked(Goal, {"max_rounds": 3})


@pytest.mark.slow
@pytest.mark.statistical
def test_equal_commands_are_rarely_called_different_whatever_the_noise():
    """100 comparisons of three equal commands with a shared, drifting baseline; 5% would be 5 on average.

    False alarm: less than 1 in 1,000 if the rate were 5%.
    """
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(100):
        comparison = Comparison(Goal(max_rounds=None), 3)
        machine = 1.0
        for _ in range(80):
            if not comparison.wanted:
                break
            machine *= math.exp(0.02 * rng.normal())
            spikes = 1 + (rng.random(3) < 0.1) * rng.pareto(1.1, 3)
            times = machine * np.exp(0.1 * rng.normal(size=3)) * spikes
            comparison.tell({i: float(times[i]) for i in comparison.wanted})
        wrong += any(comparison.outcome(i) in (Outcome.BETTER, Outcome.WORSE) for i in (1, 2))
    assert wrong <= 13

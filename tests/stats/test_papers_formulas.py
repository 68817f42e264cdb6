"""Equations 1 and 2 and computeBounds variants 1 to 3 agree with the papers."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import bernstein_deviation, compute_bounds, hoeffding_deviation, information_bound, wilson_interval
from semeai.errors import ConfigError
from semeai.stats.spending import SPENDINGS

risks = st.floats(1e-6, 0.5)


def test_equation_1():
    assert hoeffding_deviation(0.05, 1000) == pytest.approx(math.sqrt(math.log(40) / 2000))


def test_equation_2():
    log = math.log(60)
    assert bernstein_deviation(0.05, 1000, 0.3) == pytest.approx(0.3 * math.sqrt(2 * log / 1000) + 3 * log / 1000)


@pytest.mark.parametrize(
    ("spending", "test_risk"),
    [
        ("geometric", 0.05 / (10 * 2**3)),
        ("quadratic", 0.05 / (10 * math.pi**2 * 3**2 / 6)),
        ("countable", (6 * 0.05 / (math.pi**2 * 4**2)) / (math.pi**2 * 3**2 / 6)),
    ],
)
def test_variants(spending, test_risk):
    bounds = compute_bounds(520, 1000, 3, risk=0.05, n_candidates=10, index=4, spending=spending)
    deviation = math.sqrt(math.log(2 / test_risk) / 2000)
    assert bounds == pytest.approx((0.52 - deviation, 0.52 + deviation))


@given(risks, st.integers(1, 50), st.sampled_from(sorted(SPENDINGS)))
def test_all_tests_together_spend_at_most_the_risk(risk, n_candidates, spending):
    spent = SPENDINGS[spending]
    candidates = range(1, n_candidates + 1)
    total = sum(spent(risk, t, n_candidates, i) for i, t in itertools.product(candidates, range(1, 400)))
    assert total <= risk * (1 + 1e-12)
    if spending != "countable":  # the whole of it, in the limit
        assert total >= 0.99 * risk


@pytest.mark.slow
@given(risks)
def test_countable_spending_sums_over_endless_candidates(risk):
    first = sum(SPENDINGS["countable"](risk, 1, 1, i) for i in range(1, 20_000))
    assert first * math.pi**2 / 6 <= risk  # sum over tests multiplies by pi^2 / 6


def test_a_vanishing_risk_bounds_nothing():
    assert compute_bounds(5, 10, 5000, risk=0.05, spending="geometric") == (-math.inf, math.inf)
    assert compute_bounds(0, 0, 1, risk=0.05) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(total_reward=11, n_games=10, n_tests=1, risk=0.05), "total reward of 11 in 10 games"),
        (dict(total_reward=1, n_games=10, n_tests=0, risk=0.05), "count from 1"),
        (dict(total_reward=1, n_games=10, n_tests=1, risk=1.5), "not 1.5"),
        (dict(total_reward=1, n_games=10, n_tests=1, risk=0.05, spending="quadratc"), "did you mean 'quadratic'"),
    ],
)
def test_bad_arguments_are_named(arguments, words):
    total, n, tests = (arguments.pop(k) for k in ("total_reward", "n_games", "n_tests"))
    with pytest.raises(ConfigError, match=words):
        compute_bounds(total, n, tests, **arguments)


@pytest.mark.parametrize(
    ("efficiency", "games"),
    [(0.45, 454), (0.48, 2300), (0.49, 6760), (0.50, 82_800), (0.5025, 208_000), (0.51, 16_400), (0.52, 3669),
     (0.55, 551), (0.567, 303)],
)  # fmt: skip
def test_information_bound(efficiency, games):
    assert information_bound(efficiency, 0.05, 0.501, 0.504) == pytest.approx(games, rel=0.005)


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_wilson_agrees_with_scipy(n, share):
    from scipy.stats import binomtest

    wins = round(share * n)
    expected = binomtest(wins, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(wins, n) == pytest.approx((expected.low, expected.high), abs=1e-9)

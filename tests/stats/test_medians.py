"""Always-valid intervals for a median: formulas, and error rates on distributions that break other intervals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.stats.medians import (
    always_valid_median,
    median_bounds,
    sign_evidence,
    values_needed,
    wins_needed,
)


def test_the_wealth_is_a_martingale_for_a_fair_coin():
    for n in range(6):
        mean = sum(math.exp(sign_evidence(sum(path), n)) for path in itertools.product((0, 1), repeat=n)) / 2**n
        assert mean == pytest.approx(1)


@given(st.integers(0, 300), st.sampled_from([0.5, 0.1, 0.025, 1e-6]))
def test_wins_needed_is_the_smallest_number_that_excludes(n, risk):
    needed = wins_needed(n, risk)
    assert needed > n or sign_evidence(needed, n) >= -math.log(risk)
    assert needed == 0 or sign_evidence(needed - 1, n) < -math.log(risk)


@given(st.lists(st.integers(-5, 5), max_size=80), st.integers(-6, 6))
def test_bounds_exclude_what_the_gamblers_exclude(values, m):
    """Also with ties, which are wins for neither side."""
    lower, upper = median_bounds(values, 0.025, 0.025)
    assert (m < lower) == (sign_evidence(sum(v > m for v in values), len(values)) >= math.log(40))
    assert (m > upper) == (sign_evidence(sum(v < m for v in values), len(values)) >= math.log(40))


def test_values_that_all_agree_decide_after_seven():
    assert always_valid_median([3.0] * 6).bounds == (-math.inf, math.inf)
    assert always_valid_median([3.0] * 7) == (3.0, (3.0, 3.0))
    assert math.isnan(always_valid_median([]).estimate)


def test_forecast_is_what_the_wealth_needs():
    assert values_needed(1.0, 0.025) == 7
    assert values_needed(0.5, 0.025) == math.inf
    n = values_needed(0.6, 0.025)
    assert sign_evidence(0.6 * n, n) >= math.log(40) > sign_evidence(0.6 * (n - 1), n - 1)


@pytest.mark.statistical
@pytest.mark.parametrize("draw", ["cauchy", "ties", "skewed", "drift"])
def test_the_interval_ever_misses_the_median_in_at_most_5_percent(draw):
    """400 samples, a look after each of 300 values. False alarm: less than 1 in 1,000 if the rate were 5%."""
    rng = np.random.default_rng(3)
    values = {
        "cauchy": lambda: rng.standard_cauchy(300),
        "ties": lambda: rng.choice([-1.0, 0.0, 0.0, 2.0], 300),
        "skewed": lambda: rng.exponential(1, 300) - math.log(2),
        "drift": lambda: rng.normal(0, 1, 300) * np.linspace(0.1, 50, 300),
    }
    missed = 0
    for _ in range(400):
        sample = values[draw]()
        above, below = np.cumsum(sample > 0), np.cumsum(sample < 0)
        needed = np.array([wins_needed(n, 0.025) for n in range(1, 301)])
        missed += bool((above >= needed).any() or (below >= needed).any())
    assert missed <= 34  # 5% of 400 are 20; 34 is more than three standard deviations above

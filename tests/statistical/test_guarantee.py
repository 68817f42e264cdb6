"""The statistical guarantee, tested by simulations with fixed seeds.

A test fails if a true error rate equal to the allowed one, such as 5%, would give so many errors with a probability
below 1e-4. So the false-alarm rate of each test is at most 1e-4.
"""

import numpy as np
import pytest
from scipy.stats import binom

from semeai import RaceSettings, information_bound
from semeai.experiments.guarantee import DEFAULT, EFFICIENCIES, METHODS, PAPER
from semeai.experiments.simulated_race import ACCEPTED, DISCARDED, simulate

pytestmark = pytest.mark.statistical

CONSERVATIVE = [name for name in METHODS if name != "betting, throughput"]


def n_races(name):
    """Number of simulated races of a method: raised stakes are looked for game by game, which takes long."""
    return 1500 if name == "bold_betting" else 5000


def assert_rate_at_most(errors, rate):
    n, count = errors.size, int(errors.sum())
    assert count <= binom.ppf(1 - 1e-4, n, rate), f"{count} errors in {n} races"


@pytest.mark.parametrize("name", METHODS)
def test_false_accepts_of_one_candidate(name):
    assert_rate_at_most(simulate(METHODS[name], [0.501], n_races(name), seed=11).verdicts == ACCEPTED, 0.05)


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_false_discards_of_one_candidate(name):
    assert_rate_at_most(simulate(METHODS[name], [0.504], n_races(name), seed=12).verdicts == DISCARDED, 0.05)


def test_throughput_mode_keeps_its_word():
    result = simulate(METHODS["betting, throughput"], [0.504], 5000, seed=13)
    assert_rate_at_most(result.verdicts == DISCARDED, 0.47)


@pytest.mark.parametrize("name", CONSERVATIVE)
@pytest.mark.parametrize("mode", ["bgp", "plain"])
def test_any_error_among_ten(name, mode):
    settings = METHODS[name].model_copy(update={"mode": mode})
    verdicts = simulate(settings, [0.501] * 9 + [0.504], 400, seed=14).verdicts
    wrong = (verdicts[:, :9] == ACCEPTED).any(1) | (verdicts[:, 9] == DISCARDED)
    assert_rate_at_most(wrong, 0.05)


def test_family_wise_error_of_a_stream():
    stream = RaceSettings(mode="stream")
    verdicts = simulate(stream, [0.501] * 100, 200, seed=15).verdicts
    assert_rate_at_most((verdicts == ACCEPTED).any(1), 0.05)


def test_a_fresh_risk_for_every_candidate_would_fail():
    """What the tests above can see: the same stream with the whole risk for each candidate errs most of the time."""
    alone = simulate(RaceSettings(), [0.501], 20_000, seed=16).verdicts[:, 0] == ACCEPTED
    streams = alone.reshape(200, 100).any(1)
    with pytest.raises(AssertionError):
        assert_rate_at_most(streams, 0.05)


@pytest.mark.parametrize("efficiency", EFFICIENCIES)
def test_cost_of_the_default_method(efficiency):
    """Expected games against variant 2 and the information bound, within four standard errors."""
    ours, paper = (simulate(s, [efficiency], 3000, seed=17).games for s in (DEFAULT, PAPER))
    limit = {0.50: 0.24, 0.52: 0.30}.get(efficiency, 0.38)
    slack = 1 + 4 * np.hypot(*(g.std() / g.mean() / np.sqrt(g.size) for g in (ours, paper)))
    assert ours.mean() <= limit * paper.mean() * slack
    if efficiency != 0.5025:
        bound = information_bound(efficiency, 0.05, 0.501, 0.504)
        assert ours.mean() <= 1.9 * bound * slack


def test_a_race_between_the_thresholds_ends():
    games = simulate(DEFAULT, [0.5025], 2000, seed=18).games
    assert games.max() < 5_000_000


def test_ten_candidates_with_one_good_one():
    for good in (0.51, 0.52):
        truth = [0.5] * 9 + [good]
        ours, paper = (simulate(s, truth, 600, seed=19).games for s in (DEFAULT, PAPER))
        slack = 1 + 4 * np.hypot(*(g.std() / g.mean() / np.sqrt(g.size) for g in (ours, paper)))
        assert ours.mean() <= 0.35 * paper.mean() * slack


@pytest.mark.parametrize("method", ["betting", "hoeffding"])
def test_the_intervals_cover_at_all_looks_at_once(method):
    """Always-valid bounds (Eq. 2): the efficiency leaves [lower, upper] at some look with probability <= risk."""
    from semeai import RewardCounts

    settings = RaceSettings(method=method, coverage=method == "betting").resolved()
    rule = settings.rule(1)
    rng = np.random.default_rng(20)
    missed = np.zeros(300, bool)
    for r in range(len(missed)):
        counts = RewardCounts()
        for look in range(1, 13):
            more = max(1, counts.n)  # doubling: few looks, far apart
            wins = int(rng.binomial(more, 0.53))
            counts = counts + RewardCounts.of(wins=wins, losses=more - wins)
            lower, upper = rule.bounds(counts, look, 1)
            missed[r] |= not lower <= 0.53 <= upper
    assert_rate_at_most(missed, 0.05)

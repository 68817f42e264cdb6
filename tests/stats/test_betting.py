import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.betting import log_wealths

from semeai import MixtureBetting, RewardCounts
from semeai.stats.betting import mixture_gaps
from semeai.stats.counts import SCALE

rewards = st.lists(st.sampled_from([0, 250, 500, 1000]) | st.integers(0, SCALE), min_size=1, max_size=60)
thresholds = st.tuples(st.floats(0.05, 0.95), st.floats(0.0, 0.2)).map(lambda t: (t[0], min(0.96, t[0] + t[1])))


def counts_of(levels):
    return RewardCounts({level: levels.count(level) for level in levels})


@given(rewards, thresholds)
def test_evidence_agrees_with_the_reference(levels, pair):
    evidence = MixtureBetting(*pair).evidence(counts_of(levels))
    accept, discard = log_wealths([level / SCALE for level in levels], *pair)
    assert evidence.accept == pytest.approx(accept, rel=1e-9, abs=1e-9)
    assert evidence.discard == pytest.approx(discard, rel=1e-9, abs=1e-9)


@given(rewards, rewards)
def test_evidence_of_merged_counts_does_not_depend_on_the_order(a, b):
    test = MixtureBetting(0.501, 0.504)
    assert test.evidence(counts_of(a) + counts_of(b)) == test.evidence(counts_of(b) + counts_of(a))


@given(thresholds, st.integers(0, SCALE))
def test_no_gambler_can_lose_all_or_win_on_average_under_the_null(pair, level):
    test = MixtureBetting(*pair)
    one = test.evidence(RewardCounts({level: 1}))
    assert math.isfinite(one.accept)
    assert math.isfinite(one.discard)
    # At the threshold itself, a win with probability m and a loss otherwise: a fair game.
    m0, m1 = pair
    win, loss = test.evidence(RewardCounts.of(wins=1)), test.evidence(RewardCounts.of(losses=1))
    assert m0 * math.exp(win.accept) + (1 - m0) * math.exp(loss.accept) == pytest.approx(1)
    assert m1 * math.exp(win.discard) + (1 - m1) * math.exp(loss.discard) == pytest.approx(1)


@given(st.integers(0, 3000), st.integers(0, 3000), st.sampled_from([0.05, 0.005, 1e-6]))
def test_bounds_and_evidence_say_the_same(wins, losses, risk):
    counts = RewardCounts.of(wins=wins, losses=losses)
    if not counts:
        return
    test = MixtureBetting(0.501, 0.504)
    lower, upper = test.bounds(counts, risk, risk)
    accept, discard, _ = test.evidence(counts)
    assert 0 <= lower <= counts.mean <= upper <= 1
    if abs(accept + math.log(risk)) > 1e-6:
        assert (lower > 0.501) == (accept > -math.log(risk))
    if abs(discard + math.log(risk)) > 1e-6:
        assert (upper < 0.504) == (discard > -math.log(risk))


@given(st.floats(0, 0.24))
def test_the_first_gap_lets_every_race_end(distance):
    """Half way between the thresholds, a gambler who prepares for less than the whole distance still gains."""
    gaps = mixture_gaps(distance)
    assert gaps[0] < max(distance, 1e-4) or len(gaps) == 1
    assert list(gaps) == sorted(gaps)


def test_forecast_is_where_the_same_frequencies_decide():
    test = MixtureBetting(0.501, 0.504)
    times = test.forecast(RewardCounts.of(wins=530, losses=470), 0.05, 0.05)
    n = round(1000 * times)
    before, after = (
        test.evidence(RewardCounts.of(wins=round(0.53 * k), losses=round(0.47 * k))).accept for k in (n - 100, n + 100)
    )
    assert before < math.log(20) < after


def test_forecast_of_a_decided_sample_is_now():
    assert MixtureBetting(0.501, 0.504).forecast(RewardCounts.of(wins=90, losses=10), 0.05, 0.05) == 1

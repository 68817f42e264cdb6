import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import RaceSettings
from semeai.errors import ConfigError
from semeai.models import checked
from semeai.race.rules import betting_levels
from semeai.stats.counts import RewardCounts


@given(st.integers(1, 200), st.floats(0.001, 0.5))
def test_the_levels_of_bgp_add_up_to_the_risk(k, risk):
    accept, discard = betting_levels(RaceSettings(risk=risk), k, 1)
    assert (k - 1) * accept + discard <= risk * (1 + 1e-12)  # a good one exists: K - 1 false accepts, its own discard
    assert k * accept <= risk * (1 + 1e-12)  # none exists


@given(st.integers(1, 200), st.floats(0.001, 0.5))
def test_the_levels_of_a_plain_race_add_up_to_the_risk(k, risk):
    accept, discard = betting_levels(RaceSettings(mode="plain", risk=risk), k, 1)
    assert k * max(accept, discard) <= risk * (1 + 1e-12)  # each candidate can err in one way only


def test_the_levels_of_a_stream_add_up_to_the_risk():
    settings = RaceSettings(mode="stream", risk=0.05)
    assert sum(betting_levels(settings, 1, i).accept for i in range(1, 10_000)) <= 0.05
    assert betting_levels(settings, 1, 77).discard == 0.05


@pytest.mark.parametrize("mode", ["bgp", "plain", "stream"])
def test_coverage_shares_both_sides(mode):
    settings = RaceSettings(mode=mode, coverage=True)
    total = sum(sum(betting_levels(settings, 10, i)) for i in range(1, 11))
    assert total <= 0.05 * (1 + 1e-12)


def test_throughput_changes_only_the_discards():
    usual, quick = (betting_levels(RaceSettings(throughput=t), 10, 1) for t in (False, True))
    assert quick.accept == usual.accept
    assert quick.discard == 0.47


@pytest.mark.parametrize("method", ["betting", "hoeffding", "bernstein"])
def test_the_unit_is_the_evaluation_whatever_the_method(method):
    """Ten games of one seed may all be the same game: they are not ten independent ones."""
    counts = RewardCounts({0: 30, 500: 40, 1000: 30})
    one, ten = (RaceSettings(method=method, games_per_seed=g).resolved().rule(1).bounds(counts, 1, 1) for g in (1, 10))
    assert one == ten


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (dict(risk=1e-320), "risk: must be at least 1e-100"),
        (dict(accept_above=1e-320), "accept_above: must be at least 1e-06"),
        (dict(batch=10**20), r"batch: must be at most 1e\+15"),
        (dict(risk=1.5), "risk: must be below 1, not 1.5"),
        (dict(accept_above=0.6), r"discard_below \(0.504\) must not be less than accept_above \(0.6\)"),
        (dict(spending="quadratic"), "method 'betting' has no spending"),
        (dict(method="hoeffding", throughput=True), "method 'hoeffding' has no throughput"),
        (dict(throughput=True, discard_risk=0.2), "not both"),
        (dict(mode="stream", selection="hdoc"), "first_alive"),
        (dict(method="hoeffding", spending="geometric", growth=0), "never ends"),
        (dict(coverage=True, throughput=True), "coverage fixes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values, words):
    with pytest.raises(ConfigError, match=words):
        checked(RaceSettings, values)


def test_shown_bounds_are_never_at_more_than_the_risk():
    """Throughput mode discards at a risk of 0.47; an interval at that risk would mislead."""
    counts = RewardCounts.of(wins=400, losses=600)
    quick, usual = (RaceSettings(throughput=t).resolved().rule(1).bounds(counts, 1, 1) for t in (True, False))
    assert quick == usual

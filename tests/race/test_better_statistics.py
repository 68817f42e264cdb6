"""The wide mixture, and false discovery rates of streams."""

import math

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.models import checked
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Race
from semeai.race.rules import betting_levels
from semeai.race.settings import RaceSettings
from semeai.stats.betting import MixtureBetting, wide_mixture
from semeai.stats.counts import RewardCounts
from semeai.stats.spending import online_fdr_share


@pytest.mark.parametrize("distance", [0, 1e-6, 0.003, 0.02, 0.1, 0.4, 0.45, 0.5, 0.9])
def test_the_wide_mixture_splits_the_wealth_and_reaches_the_largest_stake(distance):
    gaps, weights = wide_mixture(distance)
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert (np.diff(gaps) > 0).all()
    assert 0.32 < gaps[-1] <= 0.45
    assert gaps[0] < distance or distance < 2e-4  # between the thresholds one side must win in the long run


@pytest.mark.parametrize("rewards", [{1000: 3}, {0: 5, 1000: 2}, {499: 40}, {0: 1, 535: 7, 1000: 1}])
def test_no_reward_costs_a_wide_gambler_more_than_nine_tenths(rewards):
    test = MixtureBetting(0.501, 0.504, wide=True)
    assert np.exp(test.log_weights).sum() == pytest.approx(1)
    for m, bets, sign in ((0.501, test.accept_bets, 1), (0.504, test.discard_bets, -1)):
        stakes = np.minimum(bets, 0.9 / (m if sign > 0 else 1 - m))
        expected = sum(
            w * math.prod((1 + sign * a * (level / 1000 - m)) ** n for level, n in rewards.items())
            for w, a in zip(np.exp(test.log_weights), stakes, strict=True)
        )
        found = test.evidence(RewardCounts(rewards))
        assert (found.accept if sign > 0 else found.discard) == pytest.approx(math.log(expected))
        assert (1 + sign * stakes * ((0 if sign > 0 else 1) - m) >= 0.1 - 1e-9).all()


def test_rewards_of_small_variance_need_few_evaluations():
    """A reward that is always 0.535 is proven better than 0.505 in a third of the evaluations."""

    def needed(method):
        rule = RaceSettings(method=method, accept_above=0.505, discard_below=0.525).resolved().rule(1)
        looks = (n for n in range(1, 1000) if rule.look(RewardCounts({535: n}), 1, 1).verdict == Verdict.ACCEPTED)
        return next(looks)

    assert needed("wide_betting") < needed("betting") / 2


def test_recorded_races_are_not_changed_by_new_settings():
    """A setting that did not exist when a race was recorded is part of its identity only if it is used."""
    assert "fdr" not in RaceSettings(mode="stream").identity()
    assert RaceSettings(mode="stream", fdr=True).identity()["fdr"] is True
    assert RaceSettings().method == "betting"


def test_fdr_is_for_streams():
    for wrong in ({"fdr": True}, {"fdr": True, "mode": "stream", "coverage": True}):
        with pytest.raises(ConfigError, match="fdr is for streams"):
            checked(RaceSettings, wrong)
    with pytest.raises(ConfigError, match="method 'hoeffding' has no fdr"):
        checked(RaceSettings, {"fdr": True, "mode": "stream", "method": "hoeffding"})


def test_the_shares_of_e_lond_sum_to_at_most_the_risk():
    some = sum(online_fdr_share(0.05, i, 0) for i in range(1, 100_000))
    rest = 0.05 / 2.11 / math.log(100_000)  # the integral of the rest of the sum
    assert 0.049 < some + rest <= 0.05
    assert online_fdr_share(0.05, 7, 3) == pytest.approx(4 * online_fdr_share(0.05, 7, 0))


def test_an_acceptance_raises_the_level_of_the_next_candidates():
    settings = RaceSettings(mode="stream", fdr=True, accept_above=0.51, discard_below=0.6, batch=50, lookahead=1)
    race = Race(settings, [Candidate(str(i)) for i in range(4)])
    levels = []
    while (batch := race.ask()) is not None:
        levels.append(race._rule.levels(batch.candidate).accept)
        race.tell(
            batch.number,
            RewardCounts.of(
                wins=batch.size if batch.candidate % 2 else 0, losses=0 if batch.candidate % 2 else batch.size
            ),
        )
    assert [s.verdict for s in race.standings] == [Verdict.ACCEPTED, Verdict.DISCARDED] * 2
    expected = [betting_levels(settings, 1, i, n).accept for i, n in ((1, 0), (2, 1), (3, 1), (4, 2))]
    assert levels == pytest.approx(expected)

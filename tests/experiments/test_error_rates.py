"""The simulations of worst cases: rewards have the promised expectations, and errors are seen where they exist."""

import numpy as np
import pytest

from semeai.experiments.error_rates import POPULATIONS, REWARDS, _ever_wrong
from semeai.rng import generator
from semeai.stats.betting import MixtureBetting


@pytest.mark.statistical
@pytest.mark.parametrize("name", REWARDS)
def test_no_reward_has_a_larger_expectation_than_allowed(name):
    """False alarms: a mean of 100,000 rewards is off by more than five standard errors with probability 3e-7."""
    rng = generator(1, "expectations", name)
    for evidence in (-2.0, 1.2, 2.5):
        for step in (0, 3000):
            rewards = REWARDS[name](rng, np.full(100_000, evidence), step, 0.505)
            assert rewards.min() >= 0
            assert rewards.max() <= 1
            assert rewards.mean() <= 0.505 + 5 * rewards.std() / np.sqrt(len(rewards)) + 1e-12


@pytest.mark.parametrize("name", POPULATIONS)
def test_lists_of_items_are_rewards(name):
    values = POPULATIONS[name](generator(1, "lists"), 200)
    assert len(values) == 200
    assert ((values >= 0) & (values <= 1)).all()
    assert values.mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
@pytest.mark.statistical
def test_a_candidate_that_is_better_than_the_threshold_would_be_seen():
    """What the table can show: with an expectation above the threshold most candidates are accepted."""

    def too_good(rng, evidence, step, mean):
        return (rng.random(len(evidence)) < mean + 0.06).astype(float)

    test = MixtureBetting(0.505, 0.525)
    assert _ever_wrong(test, too_good, 50, 1, "too good", accepting=True).wrong.mean() > 0.8
    assert _ever_wrong(test, REWARDS["coins"], 50, 1, "coins", accepting=True).wrong.mean() < 0.2

"""Races for Optuna: the pruner's error rate, and a race of the best trials."""

import numpy as np
import pytest

pytest.importorskip("optuna")

import optuna

from semeai.errors import ConfigError
from semeai.optuna import RacingPruner, race_study
from semeai.stats.signs import is_proven_worse, log_evidence

STEPS = 100


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def pruned_at(pruner, gap, seed, direction="minimize"):
    """Return the step at which a trial is pruned whose values are ``gap`` worse on average; None if it never is."""
    draw = np.random.default_rng(seed)
    study = optuna.create_study(pruner=pruner, direction=direction, sampler=optuna.samplers.RandomSampler(seed))
    sign = 1 if direction == "minimize" else -1
    first = study.ask()
    for step in range(STEPS):
        first.report(float(draw.normal()), step)
    study.tell(first, 0.0)
    trial = study.ask()
    for step in range(STEPS):
        trial.report(float(draw.normal() + sign * gap), step)
        if trial.should_prune():
            return step + 1
    return None


def test_the_sign_test_ever_errs_at_most_at_its_risk():
    """Exact: the probability that a fair walk ever reaches the bound within 300 steps, by dynamic programming."""
    risk, alive, crossed = 0.1, {0: 1.0}, 0.0
    for n in range(1, 301):
        reached: dict[int, float] = {}
        for worse, p in alive.items():
            for more in (0, 1):
                reached[worse + more] = reached.get(worse + more, 0.0) + p / 2
        crossed += sum(p for worse, p in reached.items() if is_proven_worse(worse, n - worse, risk))
        alive = {w: p for w, p in reached.items() if p > 1e-12 and not is_proven_worse(w, n - w, risk)}
    assert 0.04 < crossed <= risk
    assert log_evidence(0, 0) == pytest.approx(0)


@pytest.mark.slow
def test_an_equally_good_trial_is_rarely_pruned_and_a_bad_one_often():
    pruned = [pruned_at(RacingPruner(risk=0.1), 0.0, seed) for seed in range(20)]
    assert sum(step is not None for step in pruned) <= 6  # risk 10%: 7 or more of 20 by chance 0.2%
    assert all(pruned_at(RacingPruner(), 2.0, seed) for seed in range(3))
    assert pruned_at(RacingPruner(), 2.0, 1, "maximize") is not None


@pytest.mark.parametrize("n_rivals", [1, 20])
def test_the_trials_among_which_the_opponent_was_the_best_share_the_risk(n_rivals):
    study = optuna.create_study(pruner=RacingPruner(risk=0.1), sampler=optuna.samplers.RandomSampler(1))
    for value in range(n_rivals):
        rival = study.ask()
        for step in range(STEPS):
            rival.report(0.0, step)
        study.tell(rival, float(value))
    trial = study.ask()
    for n in range(1, STEPS):
        trial.report(1.0, n)
        if n == 2:  # trials that are complete later change nothing
            study.add_trial(optuna.trial.create_trial(value=-1.0, intermediate_values=dict.fromkeys(range(STEPS), 2.0)))
        pruned = trial.should_prune()
        assert pruned == (n >= 2 and is_proven_worse(n, 0, 0.1 / n_rivals))
        if pruned:
            break
    assert pruned


def test_the_first_trial_and_a_silent_one_are_not_pruned():
    study = optuna.create_study(pruner=RacingPruner())
    trial = study.ask()
    trial.report(1.0, 0)
    assert not trial.should_prune()
    study.tell(trial, 1.0)
    silent = study.ask()
    assert not silent.should_prune()
    with pytest.raises(ConfigError, match="between 0 and 1"):
        RacingPruner(risk=2)


def noisy(params, seed):
    return (params["x"] - 3) ** 2 + np.random.default_rng(seed).normal() * 0.5


def test_the_best_trials_are_raced_against_the_incumbent():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(1))
    for x in (0.0, 2.9, 3.0, -0.1, 0.0):
        study.enqueue_trial({"x": x})
    study.optimize(lambda trial: noisy({"x": trial.suggest_float("x", -5, 5)}, trial.number), n_trials=5)
    result = race_study(study, noisy, top=3, settings={"mode": "plain", "accept_above": 0.5, "discard_below": 0.6})
    found = {s.candidate.name: s.verdict.value for s in result.standings}
    assert found == {"trial 1": "accepted", "trial 2": "accepted", "trial 3": "discarded"}
    with pytest.raises(ConfigError, match="no trial 99"):
        race_study(study, noisy, incumbent=99)
    with pytest.raises(ConfigError, match="has no complete trial"):
        race_study(optuna.create_study(), noisy)

"""Weights of patterns that are fitted together: the optimum of a slow reference, and planted weights that are found."""

import math

import numpy as np
import pytest

from semeai.evolve.fitting import Choices, Pool, choose


def drawn_choices(n_positions, n_patterns, planted, seed, chosen_per_position=30):
    """Return a pool of random patterns, and choices by the weights that are planted in some of them."""
    draw = np.random.default_rng(seed)
    owner = np.repeat(np.arange(n_positions), draw.integers(3, 12, n_positions))
    matched = draw.random((n_patterns, len(owner))) < 0.2
    known = draw.normal(size=len(owner))
    strength = known + sum((w * matched[i] for i, w in planted.items()), np.zeros(len(owner)))
    target = np.zeros(len(owner))
    for i in range(n_positions):
        here = np.flatnonzero(owner == i)
        odds = np.exp(strength[here])
        target[here] = draw.multinomial(chosen_per_position, odds / odds.sum()) / chosen_per_position
    return matched, Choices(owner, target, known)


def pool_of(matched):
    return Pool.of([np.flatnonzero(row) for row in matched])


def slow_value(matched, choices, weights, ridge):
    """The penalised logarithm of the likelihood, move by move."""
    value = -ridge / 2 * sum(w * w for w in weights)
    for i in range(choices.n_positions):
        here = [m for m in range(len(choices.owner)) if choices.owner[m] == i]
        strengths = [choices.known[m] + sum(w for w, row in zip(weights, matched, strict=True) if row[m]) for m in here]
        total = math.log(sum(math.exp(s) for s in strengths))
        value += sum(choices.target[m] * (s - total) for m, s in zip(here, strengths, strict=True))
    return value


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_the_slow_reference_at_its_maximum(seed):
    matched, choices = drawn_choices(30, 4, {0: 1.5, 2: -1.0}, seed)
    *_, found = choose(pool_of(matched), choices, most=4, ridge=2.0)
    rows, best = matched[found.chosen], list(found.weights)
    top = slow_value(rows, choices, best, 2.0)
    for i in range(4):
        for step in (-1e-3, 1e-3):
            other = [w + step * (i == j) for j, w in enumerate(best)]
            assert slow_value(rows, choices, other, 2.0) < top


def test_planted_patterns_are_chosen_first_with_about_their_weights():
    planted = {7: 2.0, 20: 1.0, 33: -1.5}
    matched, choices = drawn_choices(400, 60, planted, seed=3)
    found = list(choose(pool_of(matched), choices, most=5, ridge=1.0))
    assert [len(one.chosen) for one in found] == [1, 2, 3, 4, 5]
    assert set(found[2].chosen) == set(planted)
    for place, weight in zip(found[2].chosen, found[2].weights, strict=True):
        assert weight == pytest.approx(planted[place], abs=0.15)
    before = choices.log_likelihood(choices.known)
    for one in found[:3]:
        now = choices.log_likelihood(choices.known + one.weights @ matched[one.chosen])
        assert now > before
        before = now


def test_only_the_wanted_signs_are_chosen():
    matched, choices = drawn_choices(200, 30, {4: 1.5, 5: -1.5}, seed=1)
    [good] = choose(pool_of(matched), choices, most=1, ridge=1.0, signs=(1,))
    [bad] = choose(pool_of(matched), choices, most=1, ridge=1.0, signs=(-1,))
    assert (good.chosen, bad.chosen) == ([4], [5])


def test_what_nothing_matches_or_says_is_not_chosen():
    matched, choices = drawn_choices(20, 3, {}, seed=1)
    assert list(choose(pool_of(np.zeros_like(matched)), choices, most=3, ridge=1.0)) == []
    everything = np.ones_like(matched[:1])  # says nothing about one move against another
    [only] = choose(pool_of(np.concatenate([everything, matched[:1]])), choices, most=1, ridge=1.0)
    assert only.chosen == [1]


def test_positions_without_a_target_weigh_nothing():
    matched, choices = drawn_choices(40, 3, {0: 1.0}, seed=2)
    target = np.where(choices.owner < 30, choices.target, 0.0)
    part = choices.owner < 30
    *_, whole = choose(pool_of(matched), Choices(choices.owner, target, choices.known), most=3, ridge=1.0)
    fewer = Choices(choices.owner[part], choices.target[part], choices.known[part])
    *_, alone = choose(pool_of(matched[:, part]), fewer, most=3, ridge=1.0)
    assert whole.chosen == alone.chosen
    assert whole.weights == pytest.approx(alone.weights)


@pytest.mark.parametrize(
    ("known", "chosen", "n"), [(0.01, 0.2, 500), (0.02, 0.5, 200), (0.05, 0.5, 200), (0.01, 0.1, 1000)]
)
def test_large_weights_are_at_the_maximum_too(known, chosen, n):
    """A move that the shallow search misses and the deep one wants: Newton's steps alone would lead far away."""
    others = 49
    owner = np.repeat(np.arange(n), 1 + others)
    first = np.arange(len(owner)) % (1 + others) == 0
    target = np.where(first, chosen, (1 - chosen) / others)
    choices = Choices(owner, target, np.log(np.where(first, known, (1 - known) / others)))
    [found] = choose(pool_of([first]), choices, most=1, ridge=4.0)

    def value(w):
        total = known * np.exp(w) + 1 - known
        return n * (chosen * (w + np.log(known)) - np.log(total)) - 2.0 * w * w

    best = max(np.linspace(0, 6, 60_001), key=value)
    assert found.weights[0] == pytest.approx(best, abs=2e-4)


def test_the_likelihood_is_that_of_the_slow_reference():
    matched, choices = drawn_choices(20, 3, {0: 1.0}, seed=4)
    weights = [0.5, -0.2, 0.1]
    assert choices.log_likelihood(choices.known + weights @ matched) == pytest.approx(
        slow_value(matched, choices, weights, 0.0)
    )
    far = choices.known + np.where(choices.owner % 2 == 0, 0.0, -2000.0) * matched[0]
    assert np.isfinite(choices.log_likelihood(far))

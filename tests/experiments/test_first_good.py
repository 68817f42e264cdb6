"""The lower bound for the first good candidate: the oracle's search is almost optimal, and its simulation is right."""

import itertools
import math

import numpy as np
import pytest

from semeai.experiments.first_good import search_bound
from semeai.experiments.simulated_race import simulate
from semeai.race.settings import RaceSettings

GOOD, BAD, K, LIMIT = 0.7, 0.3, 3, 6
"""With efficiencies p and 1 - p the log odds are whole multiples of log(p / (1 - p)), so they are the states."""


def posterior(levels):
    odds = [(GOOD / BAD) ** level for level in levels]
    return [o / sum(odds) for o in odds]


def states():
    return itertools.product(range(-LIMIT, LIMIT + 1), repeat=K)


def moves(levels, i):
    """Return the states after a game of candidate ``i``, with their probabilities."""
    p = posterior(levels)[i]
    win = p * GOOD + (1 - p) * BAD
    for step, probability in ((1, win), (-1, 1 - win)):
        yield tuple(level + step * (j == i) for j, level in enumerate(levels)), probability


def bayes_cost(error_cost, choices):
    """Return the least expected cost (games, and ``error_cost`` for a wrong answer) by dynamic programming."""
    value = {s: error_cost * (1 - max(posterior(s))) for s in states()}
    stop = dict(value)
    plans = {
        s: [list(moves(s, i)) for i in choices(s)]
        for s in value
        if max(map(abs, s)) < LIMIT  # else it must stop
    }
    while True:
        change = 0.0
        for s, options in plans.items():
            best = min(stop[s], 1 + min(sum(p * value[t] for t, p in option) for option in options))
            change = max(change, abs(best - value[s]))
            value[s] = best
        if change < 1e-7:
            return value[0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("error_cost", [30, 100])
def test_no_other_search_is_cheaper_by_more_than_one_percent(error_cost):
    every = bayes_cost(error_cost, lambda levels: range(K))
    greedy = bayes_cost(error_cost, lambda levels: [max(range(K), key=lambda i: levels[i])])
    assert every <= greedy < 1.01 * every
    worst = bayes_cost(error_cost, lambda levels: [min(range(K), key=lambda i: levels[i])])
    assert worst > every + 0.1  # the comparison can fail


def expected_games(risk):
    """Return the oracle's expected games by iteration over its states, in plain Python."""
    value = dict.fromkeys(itertools.product(range(-9, 10), repeat=K), 0.0)
    alive = [s for s in value if max(posterior(s)) < 1 - risk and max(map(abs, s)) < 9]
    plans = {s: list(moves(s, max(range(K), key=lambda i: (s[i], -i)))) for s in alive}
    for _ in range(250):
        for s, options in plans.items():
            value[s] = 1 + sum(p * value[t] for t, p in options)
    return value[0, 0, 0]


@pytest.mark.slow
@pytest.mark.statistical
def test_the_simulated_search_is_that_of_the_definition():
    """False alarms: the mean of 20,000 searches is off by more than four standard errors with probability 6e-5."""
    exact = expected_games(0.0503)  # no posterior lies between 0.0497 and 0.0503
    assert search_bound(K, GOOD, BAD, 0.0503, 20_000, seed=1) == pytest.approx(exact, abs=4 * exact / math.sqrt(20_000))


@pytest.mark.slow
def test_no_race_beats_the_search():
    truth = [0.5] * 4 + [0.6]
    settings = RaceSettings(accept_above=0.51, discard_below=0.55)
    games = float(np.mean(simulate(settings, truth, 400, seed=3).games))
    assert games > search_bound(5, 0.6, 0.5, 0.05, 400, seed=3)

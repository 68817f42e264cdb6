"""The compiled race agrees exactly with ``Race``, batch by batch, on the same random rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semeai import Candidate, Race, RaceSettings, RewardCounts, Verdict
from semeai.errors import ConfigError
from semeai.experiments.simulated_race import (
    ACCEPTED,
    DISCARDED,
    UNDECIDED,
    make_tables,
    simulate,
    simulate_on,
    simulate_race,
)
from semeai.rng_kernels import binomial, seed_state
from semeai.work.executors import EXECUTORS
from semeai.work.pool import ResilientPool
from semeai.work.spread import Spread

CODES = {Verdict.UNDECIDED: UNDECIDED, Verdict.ACCEPTED: ACCEPTED, Verdict.DISCARDED: DISCARDED}


def slow_race(race_settings, truth, key):
    """The reference: the real Race, told what the same random stream gives."""
    race = Race(race_settings, [Candidate(str(i)) for i in range(len(truth))])
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(key))
    while (batch := race.ask()) is not None:
        wins = binomial(state, batch.size, truth[batch.candidate - 1])
        race.tell(batch.number, RewardCounts.of(wins=wins, losses=batch.size - wins))
    return race


methods = st.sampled_from(
    [
        ("betting", None, s) for s in ("first_alive", "round_robin", "max_evidence", "max_progress", "hdoc")
    ] + [  # not max_evidence: the order of rounding errors would decide ties of evidence that is a sum over batches
        ("bold_betting", None, s) for s in ("first_alive", "round_robin", "max_progress", "hdoc")
    ] + [
        (m, p, s)
        for m in ("hoeffding", "bernstein")
        for p in ("geometric", "quadratic", "countable")
        for s in ("first_alive", "round_robin", "max_upper", "hdoc", "max_progress")
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=1000)
@given(
    methods,
    st.sampled_from(["bgp", "plain", "stream"]),
    st.lists(st.sampled_from([0.3, 0.4, 0.45, 0.55, 0.6, 0.8]), min_size=1, max_size=6),
    st.integers(1, 20),
    st.sampled_from([0.05, 0.25, 1.0]),
    st.integers(1, 4),
    st.integers(1, 8),
    st.integers(0, 2**63),
)
def test_kernel_agrees_with_the_race(method, mode, truth, batch, growth, lookahead, width, key):
    name, spending, selection = method
    race_settings = RaceSettings(
        mode=mode,
        method=name,
        spending=spending,
        selection="first_alive" if mode == "stream" else selection,
        batch=batch,
        growth=growth,
        lookahead=lookahead,
        width=lookahead if mode == "stream" else width,
        accept_above=0.49,
        discard_below=0.51,
    )
    state = np.empty(4, np.uint64)
    seed_state(state, np.uint64(key))
    verdict, told = np.zeros(len(truth), np.int64), np.zeros(len(truth), np.int64)
    tables, never = make_tables(race_settings, len(truth)), np.zeros(1, np.bool_)
    games = simulate_race(tables, np.array(truth), state, verdict, told, never)
    race = slow_race(race_settings, truth, key)
    assert told[: len(race.standings)].tolist() == [s.n_evaluations for s in race.standings]
    assert verdict[: len(race.standings)].tolist() == [CODES[s.verdict] for s in race.standings]
    assert games == race.n_evaluations


def test_the_result_does_not_depend_on_threads(monkeypatch):
    first = simulate(RaceSettings(), [0.5, 0.6], 100, seed=5)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    second = simulate(RaceSettings(), [0.5, 0.6], 100, seed=5)
    assert np.array_equal(first.games, second.games)


@pytest.mark.parametrize("values", [dict(selection="thompson"), dict(max_evaluations=5), dict(selection="max_upper")])
def test_what_cannot_be_simulated_is_refused(values):
    with pytest.raises(ConfigError, match="cannot be simulated"):
        simulate(RaceSettings(**values), [0.5], 1)


def test_workers_simulate_the_same_races():
    chosen = [RaceSettings(), RaceSettings(method="hoeffding", spending="quadratic")]
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        found = simulate_on(Spread(pool), chosen, [0.3, 0.8], 50, seed=7)
    for method, there in zip(chosen, found, strict=True):
        here = simulate(method, [0.3, 0.8], 50, seed=7)
        assert all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))

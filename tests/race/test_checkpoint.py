"""A race that is restored from its state continues exactly as the race that went on."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import Candidate, RaceSettings, RewardCounts
from semeai.errors import ConfigError
from semeai.race.candidate import Verdict
from semeai.race.checkpoint import Checkpoint, StandingState
from semeai.race.race import Race

SETTINGS = [
    {"mode": "bgp"},
    {"mode": "plain"},
    {"mode": "stream"},
    {"mode": "bgp", "method": "hoeffding", "max_evaluations": 500},
    {"mode": "plain", "method": "bernstein", "max_per_candidate": 100},
    {"mode": "bgp", "selection": "thompson", "lookahead": 4, "width": 7},
    {"mode": "plain", "method": "bold_betting"},
]
WIDE = {"accept_above": 0.4, "discard_below": 0.6}


def candidates(n):
    return [Candidate(f"c{i}", {"x": i}) for i in range(n)]


def state_of(race):
    names = StandingState._fields
    told = [s for s in race.standings if s.n_evaluations or s.verdict != Verdict.UNDECIDED]
    return Checkpoint(
        race.n_told,
        tuple(race.pending),
        {s.index: StandingState(**{name: getattr(s, name) for name in names}) for s in told},
        tuple(race.decisions),
    )


def play(race, rewards, steps):
    """Tell the race up to ``steps`` batches, and let one in thirty fail. Returns what happened."""
    seen = []
    asked = []
    for _ in range(steps):
        while (batch := race.ask()) is not None:
            asked.append(batch)
        if not asked:
            break
        batch = asked.pop(0)
        draws = random.Random(f"{rewards} {batch.number}")
        if draws.random() < 1 / 30:
            made = race.fail(batch.number)
        else:
            wins = sum(draws.random() < (0.3, 0.5, 0.7)[batch.candidate % 3] for _ in range(batch.size))
            made = race.tell(batch.number, RewardCounts.of(wins=wins, losses=batch.size - wins))
        seen.append((batch, made))
    return seen


@given(st.sampled_from(SETTINGS), st.integers(0, 99), st.integers(0, 60), st.integers(1, 6))
def test_a_restored_race_continues_as_if_it_had_never_stopped(values, rewards, steps, n):
    settings = RaceSettings(**WIDE, **values)
    whole = Race(settings, candidates(n), 3)
    before = play(whole, rewards, steps)
    restored = Race(settings, candidates(n), 3)
    restored.restore(state_of(whole))
    # The batches that were under way are asked for again.
    assert restored.n_told == len(before)
    again = Race(settings, candidates(n), 3)
    play(again, rewards, steps)
    rest = play(restored, rewards, 10_000)
    full = play(Race(settings, candidates(n), 3), rewards, 10_000)
    assert before + rest == full
    assert restored.finished


def failed_race(mode="plain"):
    race = Race(RaceSettings(mode=mode, **WIDE), candidates(3), 1)
    race.fail(race.ask().number)
    return race


def test_a_reopened_candidate_races_on_with_new_seeds():
    race = failed_race()
    dispatched = race.standings[0].n_dispatched
    decision = race.reopen(1)
    assert (decision.verdict, decision.candidate, decision.after_batch) == (Verdict.REOPENED, 1, 0)
    assert [s.index for s in race.alive] == [1, 2, 3]
    seen = play(race, 1, 10_000)
    later = [batch for batch, _ in seen if batch.candidate == 1]
    assert later
    assert all(batch.start >= dispatched or batch.start > 0 for batch in later)
    assert race.standings[0].verdict != Verdict.FAILED
    assert race.finished


def test_a_reopened_race_can_be_restored():
    race = failed_race()
    race.reopen(1)
    restored = Race(race.settings, candidates(3), 1)
    restored.restore(state_of(race))
    assert play(restored, 1, 10_000) == play(race, 1, 10_000)


def test_only_a_failure_can_be_taken_back():
    race = failed_race()
    with pytest.raises(ConfigError, match="candidate 'c1' is undecided, not failed"):
        race.reopen(2)


def test_a_stream_must_still_have_its_candidates():
    race = Race(RaceSettings(mode="stream", **WIDE), candidates(5), 1)
    play(race, 1, 40)
    with pytest.raises(ConfigError, match="the source has only 1 of the"):
        Race(RaceSettings(mode="stream", **WIDE), candidates(1), 1).restore(state_of(race))

"""The race modes BGP, plain and stream; ``ask`` and ``tell``."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import Candidate, Race, RaceSettings, RewardCounts, Verdict
from semeai.errors import ConfigError, ProtocolError
from semeai.race.selection import SELECTION_RULES


def candidates(n):
    return [Candidate(f"c{i}", {"i": i}) for i in range(1, n + 1)]


def drive(race, efficiencies, seed=1, max_batches=100_000):
    """Play a race on coins; returns its history."""
    history = []
    draw = random.Random(seed)
    for _ in range(max_batches):
        batch = race.ask()
        if batch is None:
            break
        wins = sum(draw.random() < efficiencies[batch.candidate - 1] for _ in range(batch.size))
        counts = RewardCounts.of(wins=wins, losses=batch.size - wins)
        race.tell(batch.number, counts)
        history.append((batch, counts))
    return history


class TestBGP:
    def test_the_first_acceptance_ends_it(self):
        race = Race(RaceSettings(), candidates(3))
        drive(race, [0.4, 0.7, 0.7])
        assert race.finished
        assert len(race.accepted) == 1
        assert race.accepted[0].name in {"c2", "c3"}

    def test_without_a_good_one_all_are_discarded(self):
        race = Race(RaceSettings(), candidates(4))
        drive(race, [0.3, 0.4, 0.35, 0.45])
        assert race.finished
        assert {s.verdict for s in race.standings} == {Verdict.DISCARDED}

    def test_paper_settings_double_from_one_game(self):
        race = Race(RaceSettings(method="hoeffding"), candidates(1))
        history = drive(race, [0.52], max_batches=6)
        assert [batch.size for batch, _ in history] == [1, 1, 2, 4, 8, 16]
        assert [batch.start for batch, _ in history] == [0, 1, 2, 4, 8, 16]

    def test_acceptance_is_tested_before_discarding(self):
        """With wide-open thresholds both conditions hold at once; the paper tests lb first."""
        settings = RaceSettings(method="hoeffding", accept_above=0.1, discard_below=0.9)
        race = Race(settings, candidates(1))
        drive(race, [0.5])
        assert race.standings[0].verdict == Verdict.ACCEPTED

    def test_max_upper_plays_the_largest_upper_bound(self):
        race = Race(RaceSettings(method="hoeffding"), candidates(2))
        for wins in (1, 0):  # c1 wins its game, c2 loses
            batch = race.ask()
            race.tell(batch.number, RewardCounts.of(wins=wins, losses=1 - wins))
        assert race.ask().candidate == 1


class TestPlain:
    def test_every_candidate_gets_its_verdict(self):
        race = Race(RaceSettings(mode="plain"), candidates(4))
        drive(race, [0.3, 0.7, 0.4, 0.65])
        assert [s.verdict.value for s in race.standings] == ["discarded", "accepted", "discarded", "accepted"]


class TestStream:
    def test_one_after_the_other_without_end(self):
        endless = (Candidate(f"c{i}") for i in itertools.count(1))
        race = Race(RaceSettings(mode="stream", max_evaluations=3000), endless)
        history = drive(race, [0.3, 0.8] * 1000)
        order = [batch.candidate for batch, _ in history]
        assert order == sorted(order)
        assert len(race.standings) > 10
        for standing in race.standings[:10]:
            assert standing.verdict == (Verdict.ACCEPTED if standing.index % 2 == 0 else Verdict.DISCARDED)

    def test_an_empty_stream_is_over_at_once(self):
        race = Race(RaceSettings(mode="stream"), iter(()))
        assert race.ask() is None
        assert race.finished


class TestLimits:
    def test_a_candidate_with_its_limit_is_exhausted(self):
        race = Race(RaceSettings(mode="plain", max_per_candidate=100), candidates(2))
        drive(race, [0.5, 0.5])
        assert race.finished
        assert [s.verdict for s in race.standings] == [Verdict.EXHAUSTED] * 2
        assert [s.n_evaluations for s in race.standings] == [100, 100]

    def test_the_limit_of_the_race_is_exact(self):
        race = Race(RaceSettings(max_evaluations=333), candidates(3))
        drive(race, [0.5] * 3)
        assert race.finished
        assert race.n_evaluations == 333
        assert race.accepted == []


class TestProtocol:
    def test_results_are_told_in_order_of_asking(self):
        race = Race(RaceSettings(lookahead=3), candidates(3))
        first, second = race.ask(), race.ask()
        with pytest.raises(ProtocolError, match=f"{first.number} is next"):
            race.tell(second.number, RewardCounts.of(wins=second.size))

    def test_a_batch_is_told_whole(self):
        race = Race(RaceSettings(), candidates(1))
        batch = race.ask()
        with pytest.raises(ProtocolError, match=f"asked for {batch.size} rewards and was told 1"):
            race.tell(batch.number, RewardCounts.of(wins=1))
        race.tell(batch.number, RewardCounts.of(wins=batch.size))  # nothing was lost

    def test_nothing_can_be_told_before_it_is_asked_for(self):
        race = Race(RaceSettings(), candidates(1))
        with pytest.raises(ProtocolError):
            race.tell(0, RewardCounts.of(wins=8))

    def test_asking_late_changes_nothing(self):
        """What is asked for depends on what was told, not on when a driver asks."""
        eager, lazy = (Race(RaceSettings(lookahead=4), candidates(5)) for _ in range(2))
        draw = random.Random(3)
        waiting = []
        for _ in range(300):
            while (batch := eager.ask()) is not None:
                waiting.append(batch)
            if not waiting:
                break
            batch = waiting.pop(0)
            assert lazy.ask() == batch
            wins = sum(draw.random() < 0.5 + batch.candidate / 100 for _ in range(batch.size))
            for race in (eager, lazy):
                race.tell(batch.number, RewardCounts.of(wins=wins, losses=batch.size - wins))

    def test_a_failing_program_is_out_and_the_others_go_on(self):
        race = Race(RaceSettings(mode="plain", lookahead=1), candidates(2))
        first = race.ask()
        (decision,) = race.fail(first.number)
        assert decision.verdict == Verdict.FAILED
        drive(race, [0.9, 0.9])
        assert [s.verdict.value for s in race.standings] == ["failed", "accepted"]

    def test_two_candidates_of_one_name_are_refused(self):
        with pytest.raises(ConfigError, match="two candidates are named 'same'"):
            Race(RaceSettings(), [Candidate("same"), Candidate("same", {"x": 1})])

    def test_no_candidates_are_refused(self):
        with pytest.raises(ConfigError, match="at least one candidate"):
            Race(RaceSettings(), [])


@pytest.mark.slow
@given(
    st.sampled_from(["bgp", "plain"]),
    st.sampled_from(["betting", "hoeffding", "bernstein"]),
    st.sampled_from(sorted(SELECTION_RULES)),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 10_000),
)
def test_replay_gives_the_same_verdicts(mode, method, selection, n, lookahead, seed):
    settings = RaceSettings(
        mode=mode, method=method, selection=selection, lookahead=lookahead, batch=16, growth=0.25, max_evaluations=4000
    )
    truth = random.Random(seed).choices([0.3, 0.5, 0.55, 0.7], k=n)
    first = Race(settings, candidates(n), seed)
    history = drive(first, truth, seed)
    again = Race(settings, candidates(n), seed)
    for batch, counts in history:
        assert again.ask() == batch
        again.tell(batch.number, counts)
    assert again.ask() is None
    assert again.decisions == first.decisions
    assert [s.counts for s in again.standings] == [s.counts for s in first.standings]


@pytest.mark.parametrize("selection", sorted(SELECTION_RULES))
@pytest.mark.parametrize("method", ["betting", "hoeffding", "bernstein"])
def test_every_rule_finds_the_good_one(method, selection):
    race = Race(RaceSettings(method=method, selection=selection), candidates(4))
    drive(race, [0.4, 0.4, 0.75, 0.4])
    assert [c.name for c in race.accepted] == ["c3"]

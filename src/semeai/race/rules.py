"""The methods that come with semeai: mixture betting, and the papers' bounds."""

import math
from typing import NamedTuple

from semeai.race.candidate import Verdict
from semeai.race.methods import Look, Rule
from semeai.race.settings import THROUGHPUT_DISCARD_RISK, RaceSettings
from semeai.stats.betting import MixtureBetting
from semeai.stats.bounds import Bounds, compute_bounds
from semeai.stats.counts import RewardCounts
from semeai.stats.spending import countable_share


class Levels(NamedTuple):
    """Risks of one candidate: to be accepted although bad, to be discarded although good."""

    accept: float
    discard: float


def betting_levels(settings: RaceSettings, n_candidates: int, index: int) -> Levels:
    """How a race splits its risk over its candidates.

    A candidate can only be wrongly accepted if it is bad and only wrongly discarded if it is good, never both, so
    a single candidate has the whole risk on each side, and so has each 1/K share of a plain race. In BGP one good
    candidate is enough: only its own discard can lose it, so discards need no union bound, while at most K - 1
    others can be wrongly accepted before it: (K - 1) accept + discard = risk. Without a good one K accept <= risk.
    """
    k, risk = n_candidates, settings.risk
    if settings.coverage:
        share = countable_share(risk, index) if settings.mode == "stream" else risk / k
        return Levels(share / 2, share / 2)
    if settings.mode == "stream":
        levels = Levels(countable_share(risk, index), risk)
    elif settings.mode == "plain" or k == 1:
        levels = Levels(risk / k, risk / k)
    else:
        levels = Levels(risk / (2 * (k - 1)), risk / 2)
    discard = THROUGHPUT_DISCARD_RISK if settings.throughput else settings.discard_risk
    return levels if discard is None else Levels(levels.accept, discard)


class BettingRule(Rule):
    """The default: the wealth of mixture betting against 1 / risk (Ville)."""

    options = frozenset({"coverage", "throughput", "discard_risk"})

    def __init__(self, settings: RaceSettings, n_candidates: int) -> None:
        super().__init__(settings, n_candidates)
        self.test = MixtureBetting(settings.accept_above, settings.discard_below)

    def levels(self, index: int) -> Levels:
        return betting_levels(self.settings, self.n_candidates, index)

    def look(self, counts: RewardCounts, n_tests: int, index: int) -> Look:
        levels = self.levels(index)
        merit, doubt, progress = self.test.evidence(counts)
        if merit >= -math.log(levels.accept):
            verdict = Verdict.ACCEPTED
        elif doubt >= -math.log(levels.discard):
            verdict = Verdict.DISCARDED
        else:
            verdict = Verdict.UNDECIDED
        return Look(verdict, merit, doubt, progress)

    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        """Each end holds at all times with probability 1 - risk, or more: also where discarding is bolder than that."""
        accept, discard = self.levels(index)
        return self.test.bounds(counts, accept, min(discard, self.settings.risk))

    def forecast(self, counts: RewardCounts, n_tests: int, index: int) -> float:
        return counts.n * (self.test.forecast(counts, *self.levels(index)) - 1) if counts else math.inf


class BoundsRule(Rule):
    """The papers' rule: accept when lb > accept_above (tested first), discard when ub < discard_below."""

    options = frozenset({"spending"})
    selection = "max_upper"
    batch = 1
    growth = 1.0
    lookahead = 1

    def __init__(self, settings: RaceSettings, n_candidates: int) -> None:
        # A stream that spends by test alone is the papers' series of races with |S0| = 1 and a fresh risk each.
        super().__init__(settings, 1 if settings.mode == "stream" else n_candidates)

    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        s = self.settings
        if not counts:
            return Bounds(-math.inf, math.inf)
        # The unit is the evaluation, not the game: the games of one seed need not be independent of each other.
        return compute_bounds(
            counts.total,
            counts.n,
            n_tests,
            risk=s.risk,
            n_candidates=self.n_candidates,
            index=index,
            spending=s.spending or "quadratic",
            sigma=counts.deviation if s.method == "bernstein" else None,
        )

    def look(self, counts: RewardCounts, n_tests: int, index: int) -> Look:
        lower, upper = self.bounds(counts, n_tests, index)
        if lower > self.settings.accept_above:
            verdict = Verdict.ACCEPTED
        elif upper < self.settings.discard_below:
            verdict = Verdict.DISCARDED
        else:
            verdict = Verdict.UNDECIDED
        return Look(verdict, lower, -upper, lower)

    def forecast(self, counts: RewardCounts, n_tests: int, index: int) -> float:
        if not counts:
            return math.inf
        lower, upper = self.bounds(counts, n_tests, index)
        deviation, mean = (upper - lower) / 2, counts.mean
        margin = max(mean - self.settings.accept_above, self.settings.discard_below - mean)
        if margin <= 0:
            return math.inf
        return counts.n * (max(1.0, deviation / margin) ** 2 - 1)  # deviations shrink as 1 / sqrt(n)

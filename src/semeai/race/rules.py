"""The built-in race methods: mixture betting, and the bounds of the papers.

The gamblers are made when they are first needed: they load NumPy, and to show recorded verdicts needs none.
"""

import math
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from semeai.race.candidate import Verdict
from semeai.race.methods import Look, Rule
from semeai.race.settings import THROUGHPUT_DISCARD_RISK, RaceSettings
from semeai.stats.bounds import Bounds, compute_bounds
from semeai.stats.counts import RewardCounts
from semeai.stats.spending import countable_share, online_fdr_share

if TYPE_CHECKING:
    from semeai.stats.betting import Evidence, MixtureBetting
    from semeai.stats.bold import BoldBetting


class Levels(NamedTuple):
    """Risks of one candidate: the probability to accept it if it is bad, and to discard it if it is good."""

    accept: float
    discard: float


def betting_levels(settings: RaceSettings, n_candidates: int, index: int, n_accepted: int = 0) -> Levels:
    """Return the risks of candidate ``index``: its share of the risk of the race.

    A candidate can be wrongly accepted only if it is bad, and wrongly discarded only if it is good. So a single
    candidate has the whole risk on each side, and in a plain race each candidate has risk / K on each side. In BGP one
    good candidate is enough. It is lost only if it is discarded itself, so discards need no union bound. At most K - 1
    others can be wrongly accepted before it: (K - 1) accept + discard = risk. Without a good one, K accept <= risk.
    """
    k, risk = n_candidates, settings.risk
    if settings.coverage:
        share = countable_share(risk, index) if settings.mode == "stream" else risk / k
        return Levels(share / 2, share / 2)
    if settings.mode == "stream":
        share = online_fdr_share(risk, index, n_accepted) if settings.fdr else countable_share(risk, index)
        levels = Levels(share, risk)
    elif settings.mode == "plain" or k == 1:
        levels = Levels(risk / k, risk / k)
    else:
        levels = Levels(risk / (2 * (k - 1)), risk / 2)
    discard = THROUGHPUT_DISCARD_RISK if settings.throughput else settings.discard_risk
    return levels if discard is None else Levels(levels.accept, discard)


class BettingRule(Rule):
    """The default method: decide when the wealth of mixture betting reaches 1 / risk (Ville's inequality)."""

    options = frozenset({"coverage", "throughput", "discard_risk", "fdr"})
    wide: ClassVar[bool] = False
    """Whether some stakes are larger, see ``MixtureBetting``."""

    @cached_property
    def test(self) -> "MixtureBetting":
        from semeai.stats.betting import MixtureBetting

        return MixtureBetting(self.settings.accept_above, self.settings.discard_below, wide=self.wide)

    def levels(self, index: int) -> Levels:
        return betting_levels(self.settings, self.n_candidates, index, self.n_accepted)

    def look(self, counts: RewardCounts, n_tests: int, index: int) -> Look:
        levels = self.levels(index)
        return self._look_at(self.test.evidence(counts), levels)

    def _look_at(self, evidence: "Evidence", levels: Levels) -> Look:
        merit, doubt, progress = evidence
        if merit >= -math.log(levels.accept):
            verdict = Verdict.ACCEPTED
        elif doubt >= -math.log(levels.discard):
            verdict = Verdict.DISCARDED
        else:
            verdict = Verdict.UNDECIDED
        return Look(verdict, merit, doubt, progress)

    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        """Return bounds; each holds at all times with probability at least 1 - risk, whatever the discard risk."""
        accept, discard = self.levels(index)
        return self.test.bounds(counts, accept, min(discard, self.settings.risk))

    def forecast(self, counts: RewardCounts, n_tests: int, index: int) -> float:
        return counts.n * (self.test.forecast(counts, *self.levels(index)) - 1) if counts else math.inf


class WideBettingRule(BettingRule):
    """Mixture betting with other stakes: larger ones as well, for rewards that vary little, and a more even cost.

    It is a method of its own because races that were recorded with "betting" must be decided as they were.
    """

    wide = True


class BoldBettingRule(BettingRule):
    """Betting with raised stakes (see stats.bold). Its evidence is carried from look to look.

    It looks more often than the others: what a batch proves beyond the risk is lost. Its bounds, and looks at counts
    alone, are those of the same gamblers without raises: they are valid, and often a little wider than the verdict.
    """

    batch = 1
    growth = 1 / 400
    lookahead = 8
    carries_evidence = True

    @cached_property
    def bold(self) -> "BoldBetting":
        from semeai.stats.bold import BoldBetting

        return BoldBetting(self.settings.accept_above, self.settings.discard_below)

    @cached_property
    def test(self) -> "MixtureBetting":
        return self.bold.mixture

    def look_again(
        self, last: Look | None, earlier: RewardCounts, batch: RewardCounts, n_tests: int, index: int
    ) -> Look:
        levels = self.levels(index)
        before = (last.merit, last.doubt) if last else (0.0, 0.0)
        return self._look_at(self.bold.evidence(before, earlier, batch, levels), levels)


class BoundsRule(Rule):
    """The method of the papers: accept if lb > accept_above (tested first), discard if ub < discard_below."""

    options = frozenset({"spending"})
    selection = "max_upper"
    batch = 1
    growth = 1.0
    lookahead = 1

    def __init__(self, settings: RaceSettings, n_candidates: int) -> None:
        # A stream whose spending ignores the index is the papers' series of races with |S0| = 1, each at full risk.
        super().__init__(settings, 1 if settings.mode == "stream" else n_candidates)

    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        s = self.settings
        if not counts:
            return Bounds(-math.inf, math.inf)
        # The unit is the evaluation, not the game, because the games of one seed may depend on each other.
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

"""What a package outside semeai may add: a race method, a selection rule, an executor, a proposer, an evaluator.

Each is registered by one call when this module is imported; worker processes import it too. The toy game is in
``tests.toy_game``.
"""

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from semeai.evolve.change import NumberChange
from semeai.evolve.proposers import PROPOSERS
from semeai.evolve.proposers.base import Proposer, Source
from semeai.race.candidate import Verdict
from semeai.race.methods import METHODS, Look, Rule
from semeai.race.selection import SELECTION_RULES
from semeai.stats.bounds import Bounds
from semeai.work.evaluators import EVALUATORS, Evaluator, EvaluatorKind
from semeai.work.executors import EXECUTORS


@METHODS.register("toy_mean")
class MeanRule(Rule):
    """Decides by the mean of the first forty rewards: no guarantee at all."""

    batch = 10

    def look(self, counts, n_tests, index):
        if counts.n < 40:
            return Look(Verdict.UNDECIDED, counts.mean, -counts.mean, counts.mean)
        good = counts.mean > self.settings.accept_above
        return Look(Verdict.ACCEPTED if good else Verdict.DISCARDED, counts.mean, -counts.mean, counts.mean)

    def bounds(self, counts, n_tests, index):
        return Bounds(0.0, 1.0)

    def forecast(self, counts, n_tests, index):
        return max(0, 40 - counts.n)


@SELECTION_RULES.register("toy_last")
def last_alive(alive, random):
    return alive[-1]


@EXECUTORS.register("toy_threads")
def threads(workers: int) -> Executor:
    return ThreadPoolExecutor(workers)


@dataclass(frozen=True)
class Halving(Proposer):
    """Half of a setting."""

    setting: str
    name = "toy_halves"

    def draw(self, context, rng):
        now = context.config.policy.pattern_visits
        return NumberChange(self.setting, now / 2 ** int(rng.integers(1, 6)), self.name)


@PROPOSERS.register("toy_halves")
class HalvingSource(Source):
    kind: Literal["toy_halves"] = "toy_halves"
    setting: str = "policy.pattern_visits"

    def make(self, first, seed):
        return Halving(self.setting)


@dataclass(frozen=True)
class Threshold(Evaluator):
    """Rewards seeds below a share of all seeds."""

    share: float

    def open(self):
        def play(params: Mapping[str, float], seed: int):
            return [float(seed < params["p"] * self.share * 2**31)]

        return play


class ThresholdKind(EvaluatorKind):
    setting = float

    def make(self, value, folder, timeout, baseline):
        return Threshold(value)


EVALUATORS.add("toy_threshold", ThresholdKind())

"""The state of a comparison: it is told the numbers of each round, and says what is known. No clock, no processes.

The first command is the baseline. In each round every command that is not decided yet is measured once, in random
order. Its effect in this round is its number divided by the baseline's, or the difference. The effect of the command is
the median over rounds, with the always-valid interval of ``stats.medians``: slow changes of the machine act on both
numbers of a round, a single slow run moves the median little, and no distribution is assumed. Several commands share
the risk equally (union bound), so the baseline's numbers may serve all of them.
"""

import enum
import math
from collections.abc import Mapping

import numpy as np

from semeai.compare.goal import Goal
from semeai.errors import BadReward
from semeai.stats.betting import Floats
from semeai.stats.bounds import Bounds
from semeai.stats.medians import Median, always_valid_median, values_needed


class Outcome(enum.StrEnum):
    """What is known about a command and the baseline."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"  # within the margin
    UNDECIDED = "undecided"


class Comparison:
    """Rounds of measurements of ``n_commands`` commands; number 0 is the baseline."""

    def __init__(self, goal: Goal, n_commands: int) -> None:
        self.goal = goal
        self.values: list[list[float]] = [[] for _ in range(n_commands)]
        self.alive = list(range(1, n_commands))
        """The commands that are not decided yet."""
        self.n_rounds = 0
        self.confidence = 1 - goal.risk / max(1, n_commands - 1)
        self._effects: list[list[float]] = [[] for _ in range(n_commands)]
        self._medians: dict[int, tuple[int, Median]] = {}

    @property
    def wanted(self) -> list[int]:
        """The commands to measure in the next round; empty if all are decided."""
        return [0, *self.alive] if self.alive else []

    def tell(self, numbers: Mapping[int, float]) -> None:
        """Take the numbers of one round. Raises BadReward if two of them cannot be compared."""
        effects = {i: self._effect_of(number, numbers[0]) for i, number in numbers.items() if i}
        for i, number in numbers.items():
            self.values[i].append(number)
        for i, effect in effects.items():
            self._effects[i].append(effect)
        self.n_rounds += 1
        self.alive = [i for i in self.alive if not self.is_decided(i)]

    def _effect_of(self, number: float, baseline: float) -> float:
        for value in (number, baseline):
            if math.isnan(value) or (self.goal.effect == "ratio" and not 0 < value < math.inf):
                hint = "; compare differences instead" if self.goal.effect == "ratio" and math.isfinite(value) else ""
                raise BadReward(f"{value:g} cannot be compared by {self.goal.effect}{hint}")
        if self.goal.effect == "ratio":
            return math.log(number / baseline)
        return 0.0 if number == baseline else number - baseline  # infinite numbers may be equal

    def rounds_of(self, index: int) -> int:
        """Return in how many rounds a command was measured."""
        return len(self.values[index])

    def effect(self, index: int) -> Median:
        """Return the median effect of a command, with its always-valid interval."""
        n = len(self._effects[index])
        if index not in self._medians or self._medians[index][0] != n:
            found = always_valid_median(self._effects[index], self.confidence)
            if self.goal.effect == "ratio":
                lower, upper = (_exp(bound) for bound in found.bounds)
                found = Median(_exp(found.estimate), Bounds(lower, upper))
            self._medians[index] = (n, found)
        return self._medians[index][1]

    def outcome(self, index: int) -> Outcome:
        """Return what is known about a command."""
        lower, upper = self.effect(index).bounds
        neutral, margin = self.goal.neutral, self.goal.margin
        smaller, larger = upper < neutral, lower > neutral
        if smaller or larger:
            return Outcome.BETTER if smaller == (self.goal.better == "lower") else Outcome.WORSE
        return Outcome.SAME if neutral - margin <= lower and upper <= neutral + margin else Outcome.UNDECIDED

    def fails(self, index: int) -> bool | None:
        """Return whether a command is worse than the goal allows; None if that is not known or not asked."""
        limit = self.goal.limit
        if limit is None:
            return None
        lower, upper = self.effect(index).bounds
        beyond, within = (
            (lower > limit, upper <= limit) if self.goal.better == "lower" else (upper < limit, lower >= limit)
        )
        return True if beyond else False if within else None

    def is_decided(self, index: int) -> bool:
        """Return whether a command needs no more rounds."""
        if self.rounds_of(index) < self.goal.min_rounds:
            return False
        if self.goal.precision is not None:
            estimate, (lower, upper) = self.effect(index)
            scale = abs(estimate) if self.goal.effect == "ratio" else 1.0
            if not upper - lower <= 2 * self.goal.precision * scale:
                return False
        if self.goal.limit is not None:
            return self.fails(index) is not None
        return self.outcome(index) != Outcome.UNDECIDED or self.goal.precision is not None

    def rounds_left(self) -> float:
        """Return a forecast of the rounds until all are decided, assuming the current distribution of effects."""
        return max((self._forecast(i) for i in self.alive), default=0.0)

    def _forecast(self, index: int) -> float:
        effects = np.array(self._effects[index])
        n = len(effects)
        if n < 2:
            return math.inf
        goal, risk = self.goal, (1 - self.confidence) / 2

        def above(m: float) -> float:
            return values_needed(float((effects > _as_effect(goal, m)).mean()), risk)

        def below(m: float) -> float:
            return values_needed(float((effects < _as_effect(goal, m)).mean()), risk)

        if goal.limit is not None:
            total = min(above(goal.limit), below(goal.limit))
        else:
            same = max(above(goal.neutral - goal.margin), below(goal.neutral + goal.margin))
            total = min(above(goal.neutral), below(goal.neutral), same)
        return max(1.0, goal.min_rounds - n, total - n)


def _as_effect(goal: Goal, m: float) -> float:
    if goal.effect == "difference":
        return m
    return math.log(m) if m > 0 else -math.inf


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0)) if value < math.inf else math.inf


def summary_of(values: list[float]) -> dict[str, float]:
    """Return median, mean, standard deviation, minimum and maximum of a command's numbers."""
    found: Floats = np.array(values)
    return {
        "median": float(np.median(found)),
        "mean": float(found.mean()),
        "stddev": float(found.std(ddof=1)) if len(found) > 1 else 0.0,
        "min": float(found.min()),
        "max": float(found.max()),
    }

"""Rewards as counts: how often each value was seen. Counts are small, can be merged and do not depend on the order.

A reward is stored in thousandths. If it is not a whole number of them, it is rounded up or down at random, by its own
seed and without bias. So the expected reward does not change and every bound stays valid. A million different rewards
need at most 1001 counters.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral

from semeai.errors import BadReward

SCALE = 1000
_GOLDEN = 0x9E3779B97F4A7C15
_OWN_STREAM = 0x73656D656169  # makes the numbers differ from those of a program that mixes its seed in the same way
_MASK = (1 << 64) - 1


def reward_level(reward: float, seed: int) -> int:
    """Return the reward in thousandths, rounded without bias by a random number from ``seed``.

    Raises BadReward if it is not in [0, 1].
    """
    if not 0.0 <= reward <= 1.0:  # false for NaN too
        hint = "" if math.isnan(reward) else "; set better, and a baseline, to compare any other numbers"
        raise BadReward(f"reward {reward!r} is not a number in [0, 1]{hint}")
    scaled = reward * SCALE
    level = int(scaled)
    if scaled == level:
        return level
    return level + (_fraction(seed) < scaled - level)


def _fraction(seed: int) -> float:
    """Return a random number in [0, 1), independent of the numbers that a program draws from this seed (splitmix64)."""
    x = (seed ^ _OWN_STREAM) * _GOLDEN & _MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return (x ^ x >> 31) / (_MASK + 1)


class RewardCounts(Mapping[int, int]):
    """An immutable multiset of rewards: maps a reward in thousandths to how often it was seen."""

    __slots__ = ("_counts",)

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self._counts = {level: n for level, n in sorted((counts or {}).items()) if n}
        for level, n in self._counts.items():
            if not (isinstance(level, (int, Integral)) and 0 <= level <= SCALE and n > 0):
                raise BadReward(f"a count of {n} rewards of {level}/{SCALE} is impossible")

    @classmethod
    def of(cls, *, wins: int = 0, draws: int = 0, losses: int = 0) -> "RewardCounts":
        return cls({SCALE: wins, SCALE // 2: draws, 0: losses})

    def __getitem__(self, level: int) -> int:
        return self._counts[level]

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __add__(self, other: "RewardCounts") -> "RewardCounts":
        merged = dict(self._counts)
        for level, n in other._counts.items():
            merged[level] = merged.get(level, 0) + n
        return RewardCounts(merged)

    def __repr__(self) -> str:
        return f"RewardCounts({self._counts})"

    @staticmethod
    def merge(parts: Iterable["RewardCounts"]) -> "RewardCounts":
        return sum(parts, RewardCounts())

    @property
    def n(self) -> int:
        """Number of rewards."""
        return sum(self._counts.values())

    @property
    def total(self) -> float:
        """Sum of the rewards."""
        return sum(level * n for level, n in self._counts.items()) / SCALE

    @property
    def mean(self) -> float:
        return self.total / n if (n := self.n) else math.nan

    @property
    def deviation(self) -> float:
        """Empirical standard deviation; NaN without rewards."""
        if not (n := self.n):
            return math.nan
        mean = self.mean
        return math.sqrt(sum(k * (level / SCALE - mean) ** 2 for level, k in self._counts.items()) / n)

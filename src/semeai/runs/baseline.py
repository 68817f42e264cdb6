"""A shared baseline: candidates of a race get the same seeds, and the baseline runs once per seed.

A race of K candidates then costs K + 1 programs per seed instead of 2 K. The guarantee does not change. Take one
candidate and its rewards on seed 0, 1, 2, ...: they are as independent of each other as before, so its evidence exceeds
1 / risk at *any* number of seeds with probability at most its share of the risk. How far along this sequence the race
goes may depend on the other candidates and on the baseline's results; the bound holds for all lengths at once. The
shares are added by a union bound, which needs no independence between candidates.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from semeai.errors import BadReward, BaselineFailed
from semeai.stats.counts import RewardCounts
from semeai.work.evaluators import Judge, Params
from semeai.work.jobs import Failure, JobResult, Numbers, reward_of


@dataclass(frozen=True)
class SharedBaseline:
    """The baseline's parameters, and how its numbers are compared with those of a candidate."""

    params: Params
    judge: Judge


class BaselineResults:
    """The baseline's numbers by evaluation, and which of them are under way."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[float, ...]] = {}
        self._under_way: set[int] = set()

    def missing(self, start: int, size: int) -> Iterator[tuple[int, int]]:
        """Yield start and size of each part that is neither known nor under way, and take it as under way."""
        wanted = [i for i in range(start, start + size) if i not in self._known and i not in self._under_way]
        self._under_way.update(wanted)
        for _, run in itertools.groupby(enumerate(wanted), lambda pair: pair[1] - pair[0]):  # without gaps
            part = [i for _, i in run]
            yield part[0], len(part)

    def add(self, start: int, numbers: Iterable[Sequence[float]]) -> None:
        for i, theirs in enumerate(numbers):
            self._known[start + i] = tuple(theirs)
            self._under_way.discard(start + i)

    def has(self, start: int, size: int) -> bool:
        return all(i in self._known for i in range(start, start + size))

    def of(self, start: int, size: int) -> list[tuple[float, ...]]:
        return [self._known[i] for i in range(start, start + size)]


def judged(
    judge: Judge,
    name: str,
    start: int,
    seeds: Sequence[int],
    ours: Sequence[Numbers],
    theirs: Sequence[tuple[float, ...]],
) -> JobResult:
    """Compare the numbers of a candidate with those of the baseline. Returns the rewards, or the first failure."""
    levels: dict[int, int] = {}
    numbers = []
    for offset, (seed, mine, other) in enumerate(zip(seeds, ours, theirs, strict=True)):
        try:
            judge.check_baseline(other)
            level = reward_of(judge.rewards(mine.ours, other), len(other), seed)
        except BaselineFailed as error:
            return JobResult(RewardCounts(), 0.0, Failure("baseline", f"seed {seed}: {error}", start + offset, seed))
        except BadReward as error:
            message = f"candidate {name!r}, seed {seed}: {error}"
            return JobResult(RewardCounts(), 0.0, Failure("bad_reward", message, start + offset, seed))
        levels[level] = levels.get(level, 0) + 1
        numbers.append(Numbers(mine.ours, other))
    return JobResult(RewardCounts(levels), 0.0, numbers=tuple(numbers))

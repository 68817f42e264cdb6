"""Warnings about candidates that look like mistakes: a parameter that nothing reads, only ties, equal candidates."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from semeai.errors import did_you_mean
from semeai.race.candidate import Verdict
from semeai.race.race import Race
from semeai.race.selection import Standing
from semeai.stats.counts import SCALE
from semeai.work.evaluators import Params
from semeai.work.jobs import JobResult

ENOUGH_TIES = 50  # evaluations
ENOUGH_EQUAL = 50  # evaluations on the same seeds in which two candidates were equal
ENOUGH_LOOKS = 5  # evaluations in which a parameter was not read


@dataclass
class _Reading:
    """The parameters that a candidate changes and that nothing has read yet."""

    unread: set[str]
    n_looks: int = 0
    others: set[str] = field(default_factory=set)
    """Names that were read."""


class Doubts:
    """Looks at the results of a race and warns. It never changes a verdict."""

    def __init__(self, race: Race, function: str, baseline: Params | None, warn: Callable[[str], object]) -> None:
        self.race = race
        self.function = function
        """Name of the Python function that gets the parameters; empty if the program is no function."""
        self.baseline = baseline
        self.warn = warn
        self._readings: dict[int, _Reading] = {}
        self._tied: set[int] = set()
        self._beginnings: dict[tuple[float, ...], int] = {}
        """Candidates by their first numbers."""
        self._compared: set[int] = set()
        self._constants: dict[int, int] = {}
        """The first candidate of which all rewards were the same, by this reward in thousandths."""
        self._warned_constants: set[int] = set()

    def begin(self) -> None:
        """Warn of what earlier sessions saw, and of equal candidates. A stream may repeat candidates on purpose."""
        for standing in self.race.standings:
            self.look(standing)
        if self.race.settings.mode == "stream":
            return
        groups: dict[str, list[str]] = {}
        for standing in self.race.standings:
            if self.baseline is not None and standing.candidate.params == self.baseline:
                self.warn(f"candidate {standing.candidate.name!r} has the parameters of the baseline")
            groups.setdefault(standing.candidate.digest, []).append(standing.candidate.name)
        for names in groups.values():
            if len(names) > 1:
                self.warn(f"candidates {_listed(names)} have the same parameters")

    def wants_reads(self, index: int) -> bool:
        """Return whether the next job of a candidate shall note which parameters the function reads."""
        return bool(self.function) and bool(self._reading(index).unread)

    def look(self, standing: Standing, results: Iterable[JobResult] = ()) -> None:
        """Look at a candidate after a batch. Recorded batches have no results of jobs."""
        if self.function:
            self._look_at_reads(standing, results)
        counts = standing.counts
        if len(counts) == 1 and counts.get(SCALE // 2, 0) >= ENOUGH_TIES and standing.index not in self._tied:
            self._tied.add(standing.index)
            self.warn(
                f"candidate {standing.candidate.name!r}: all {counts.n} results so far are ties; "
                "is it the same program as the baseline?"
            )
        if len(counts) == 1:
            self._look_at_constant(standing, *counts)

    def compare(self, index: int, differences: Sequence[float]) -> None:
        """Look for a candidate with the same numbers. ``differences`` are those to the baseline, on shared seeds."""
        if len(differences) < ENOUGH_EQUAL or index in self._compared:
            return
        self._compared.add(index)
        first = self._beginnings.setdefault(tuple(differences[:ENOUGH_EQUAL]), index)
        if first == index or not any(differences[:ENOUGH_EQUAL]):  # of ties there is another warning
            return
        candidate, other = (self.race.standings[i - 1].candidate for i in (index, first))
        if candidate.digest != other.digest:  # and of equal parameters
            self.warn(
                f"candidates {other.name!r} and {candidate.name!r} had the same numbers in their first {ENOUGH_EQUAL} "
                "evaluations: does the program use what they differ in?"
            )

    def _look_at_constant(self, standing: Standing, level: int) -> None:
        """Look for a candidate with the same reward on all seeds. Warns once per reward.

        To win or to lose many games in a row is nothing special; of ties there is another warning.
        """
        is_special = level not in (0, SCALE) and standing.verdict != Verdict.UNDECIDED
        enough = is_special or standing.counts.n >= ENOUGH_EQUAL
        if not enough or level == SCALE // 2 or level in self._warned_constants:
            return
        first = self._constants.setdefault(level, standing.index)
        candidate, other = standing.candidate, self.race.standings[first - 1].candidate
        if candidate.digest != other.digest:
            self._warned_constants.add(level)
            self.warn(
                f"candidates {other.name!r} and {candidate.name!r}: all results so far are {level / SCALE:g}; "
                "does the program use its parameters and the seed?"
            )

    def _reading(self, index: int) -> _Reading:
        if index not in self._readings:
            params, usual = self.race.standings[index - 1].candidate.params, self.baseline or {}
            self._readings[index] = _Reading({k for k in params if k not in usual or usual[k] != params[k]})
        return self._readings[index]

    def _look_at_reads(self, standing: Standing, results: Iterable[JobResult]) -> None:
        reading = self._reading(standing.index)
        if not reading.unread:
            return
        for result in results:
            if result.reads is not None:
                reading.n_looks += 1
                reading.unread -= result.reads
                reading.others |= result.reads
        enough = reading.n_looks >= (1 if standing.verdict != Verdict.UNDECIDED else ENOUGH_LOOKS)
        if enough and reading.others:  # code in C may read a dictionary without being noticed
            for name in sorted(reading.unread):
                self.warn(
                    f"candidate {standing.candidate.name!r}: parameter {name!r} was never read by {self.function}; "
                    f"{did_you_mean(name, reading.others)}"
                )
        if enough or standing.verdict != Verdict.UNDECIDED:
            reading.unread.clear()


def _listed(names: list[str]) -> str:
    shown = [repr(name) for name in names[:3]]
    more = f"{len(names) - 3:,} more" if len(names) > 3 else shown.pop()
    return f"{', '.join(shown)} and {more}"

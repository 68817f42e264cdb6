"""When the evidence suffices: what a method of racing offers, and the methods by name."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from semeai.race.candidate import Verdict
from semeai.registry import Registry
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts

if TYPE_CHECKING:
    from semeai.race.settings import RaceSettings


class Look(NamedTuple):
    """One look at one candidate's data."""

    verdict: Verdict
    merit: float  # evidence for acceptance, comparable between the candidates of one race
    doubt: float  # evidence for discarding
    progress: float  # how promising it is to go on with this one


class Rule(ABC):
    """Turns the counts of candidate ``index`` (1, 2, ...) into a verdict; ``n_tests`` counts the looks at it.

    The class attributes are the defaults of the race's settings of the same names under this method.
    """

    options: ClassVar[frozenset[str]] = frozenset()
    """Which of the settings ``spending``, ``coverage``, ``throughput`` and ``discard_risk`` it understands."""
    selection: ClassVar[str] = "max_progress"
    batch: ClassVar[int] = 8
    growth: ClassVar[float] = 1 / 128
    lookahead: ClassVar[int] = 2

    def __init__(self, settings: "RaceSettings", n_candidates: int) -> None:
        self.settings = settings
        self.n_candidates = n_candidates

    @abstractmethod
    def look(self, counts: RewardCounts, n_tests: int, index: int) -> Look: ...

    @abstractmethod
    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        """Return bounds on the efficiency that hold at all looks at once."""

    @abstractmethod
    def forecast(self, counts: RewardCounts, n_tests: int, index: int) -> float:
        """Return the evaluations still needed, assuming the current reward frequencies."""


METHODS: Registry[type[Rule]] = Registry("race method", "semeai.methods")
METHODS.add_lazily("betting", "semeai.race.rules:BettingRule")
METHODS.add_lazily("hoeffding", "semeai.race.rules:BoundsRule")
METHODS.add_lazily("bernstein", "semeai.race.rules:BoundsRule")

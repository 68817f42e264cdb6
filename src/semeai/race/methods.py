"""Race methods by name: a method decides when there is enough evidence for a verdict."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from semeai.race.candidate import Verdict
from semeai.registry import Registry
from semeai.stats.bounds import Bounds
from semeai.stats.counts import RewardCounts

if TYPE_CHECKING:
    from semeai.race.settings import RaceSettings


class Look(NamedTuple):
    """The result of one look at the rewards of one candidate."""

    verdict: Verdict
    merit: float  # evidence for acceptance, comparable between the candidates of one race
    doubt: float  # evidence for discarding
    progress: float  # how promising it is to evaluate this candidate further


class Rule(ABC):
    """Decides on candidate ``index`` (1, 2, ...) by its reward counts; ``n_tests`` is the number of looks at it.

    The class attributes are this method's defaults for the race settings of the same names.
    """

    options: ClassVar[frozenset[str]] = frozenset()
    """The settings among ``spending``, ``coverage``, ``throughput``, ``discard_risk`` and ``fdr`` that it uses."""
    selection: ClassVar[str] = "max_progress"
    batch: ClassVar[int] = 8
    growth: ClassVar[float] = 1 / 128
    lookahead: ClassVar[int] = 2
    carries_evidence: ClassVar[bool] = False
    """Whether the evidence depends on the batches, and not on the sum of their rewards alone; see ``look_again``."""

    def __init__(self, settings: "RaceSettings", n_candidates: int) -> None:
        self.settings = settings
        self.n_candidates = n_candidates
        self.n_accepted = 0
        """Number of candidates that are accepted; the race counts them here."""

    @abstractmethod
    def look(self, counts: RewardCounts, n_tests: int, index: int) -> Look:
        """Return the verdict and the evidence for it."""

    def look_again(
        self, last: Look | None, earlier: RewardCounts, batch: RewardCounts, n_tests: int, index: int
    ) -> Look:
        """Return the result of the look after one more batch, from the last look and the rewards before it.

        It is ``look`` of all rewards, unless the method carries its evidence from look to look.
        """
        return self.look(earlier + batch, n_tests, index)

    @abstractmethod
    def bounds(self, counts: RewardCounts, n_tests: int, index: int) -> Bounds:
        """Return bounds on the efficiency that hold simultaneously at all looks."""

    @abstractmethod
    def forecast(self, counts: RewardCounts, n_tests: int, index: int) -> float:
        """Return the number of evaluations still needed, assuming the current reward frequencies."""


METHODS: Registry[type[Rule]] = Registry("race method", "semeai.methods")
METHODS.add_lazily("betting", "semeai.race.rules:BettingRule")
METHODS.add_lazily("wide_betting", "semeai.race.rules:WideBettingRule")
METHODS.add_lazily("bold_betting", "semeai.race.rules:BoldBettingRule")
METHODS.add_lazily("hoeffding", "semeai.race.rules:BoundsRule")
METHODS.add_lazily("bernstein", "semeai.race.rules:BoundsRule")

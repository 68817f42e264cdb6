"""The state of a race as data. A race that is restored from it continues as if it had never stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from semeai.stats.counts import RewardCounts

if TYPE_CHECKING:
    from semeai.race.race import Batch, Decision


class StandingState(NamedTuple):
    """The state of one candidate."""

    counts: RewardCounts
    n_evaluations: int
    total_reward: float
    n_dispatched: int
    n_tests: int
    merit: float
    doubt: float
    progress: float
    upper: float


@dataclass(frozen=True)
class Checkpoint:
    """The state of a race after ``n_told`` batches."""

    n_told: int
    pending: tuple["Batch", ...]
    """The batches under way, in the order of the requests."""
    standings: Mapping[int, StandingState]
    """The candidates with results, by index."""
    decisions: tuple["Decision", ...]

    def within(self, n_candidates: int) -> "Checkpoint":
        """Return the same state without batches of later candidates, which a stream has not recorded yet."""
        pending = tuple(batch for batch in self.pending if batch.candidate <= n_candidates)
        return replace(self, pending=pending)

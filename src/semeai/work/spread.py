"""Run independent tasks on a pool and wait for all of them: for work that is not a race and not a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semeai.errors import WorkersLost
from semeai.work.deaths import Death
from semeai.work.jobs import Task
from semeai.work.parcels import Pool

PARCELS_PER_WORKER = 4  # so that all workers are busy until shortly before the end


@dataclass(frozen=True)
class Lost:
    """The result of a task that repeatedly killed its worker."""

    reason: str


class SpreadTask:
    """Base of tasks without a time limit whose loss ends the work."""

    time_limit: float | None = None
    retries: int = 0

    def lost(self, death: Death) -> Lost:
        return Lost(death.reason)


@dataclass(frozen=True)
class Spread:
    """Runs tasks on the workers of a pool; without a pool, in this process."""

    pool: Pool | None = None

    @property
    def n_parts(self) -> int:
        """Number of parts into which work should be cut."""
        return 1 if self.pool is None else PARCELS_PER_WORKER * self.pool.workers

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        """Return the results in the order of the tasks. Raises WorkersLost if a task kills its workers."""
        if self.pool is None:
            return [task.run() for task in tasks]
        ids = [self.pool.submit([task]) for task in tasks]
        found: dict[int, Any] = {}
        try:
            while len(found) < len(ids):
                found.update((number, results[0]) for number, results in self.pool.wait(1.0))
        finally:
            if len(found) < len(ids):
                self.pool.abandon()
        results = [found[number] for number in ids]
        for task, result in zip(tasks, results, strict=True):
            if isinstance(result, Lost):
                raise WorkersLost(f"{task.label}: {result.reason}")
        return results


HERE = Spread()
"""Runs tasks in this process."""

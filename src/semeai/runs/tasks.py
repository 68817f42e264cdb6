"""The driver of a list of tasks that do not depend on each other: each is handed to a worker once."""

from collections.abc import Callable, Sequence
from typing import Any

from semeai.runs.run import Driver, Observer
from semeai.work.jobs import Task
from semeai.work.parcels import Pool

POLL_SECONDS = 0.1
Keep = Callable[[Any, Any], object]


class TaskDriver(Driver):
    """Runs all tasks. After ``stop`` it finishes those under way; ``results`` has what is known.

    ``keep`` is called with each task and its result as soon as it is known.
    """

    def __init__(self, tasks: Sequence[Task], pool: Pool, observer: Observer, keep: Keep | None = None) -> None:
        super().__init__()
        self.tasks, self.pool, self.observer, self.keep = tasks, pool, observer, keep
        self._found: dict[int, Any] = {}
        self._under_way: dict[int, int] = {}
        self._next = 0

    @property
    def finished(self) -> bool:
        return len(self._found) == len(self.tasks)

    @property
    def results(self) -> list[Any]:
        """The results so far, in the order of the tasks."""
        return [self._found[i] for i in sorted(self._found)]

    def run(self) -> None:
        try:
            while not self.finished and not self.dropping and not (self.stopping and not self._under_way):
                if self.stopping:
                    for parcel_id in self.pool.drop_backlog():
                        del self._under_way[parcel_id]
                else:
                    self._hand_out()
                for parcel_id, (result,) in self.pool.wait(POLL_SECONDS):
                    number = self._under_way.pop(parcel_id)
                    self.check(result)
                    self._found[number] = result
                    self.n_new += 1
                    if self.keep is not None:
                        self.keep(self.tasks[number], result)
                self.observer.progress(self)
        finally:
            self.pool.abandon()

    def check(self, result: Any) -> None:
        """Raise an error if ``result`` shows that the other tasks are hopeless. It is not in ``results`` yet."""

    def _hand_out(self) -> None:
        while len(self._under_way) < self.pool.workers and self._next < len(self.tasks):
            self._under_way[self.pool.submit([self.tasks[self._next]])] = self._next
            self._next += 1

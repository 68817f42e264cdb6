"""A worker pool that survives the death of its workers, with any executor."""

import concurrent.futures
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from types import TracebackType
from typing import Any, Self

from semeai.errors import ConfigError, WorkersLost
from semeai.work.executors import ExecutorFactory, InlineExecutor
from semeai.work.jobs import Task, run_task, run_tasks

Parcel = Sequence[Task]  # tasks that are sent to a worker in one message
Results = list[Any]  # their results in the same order


class ResilientPool:
    """Runs parcels of tasks on workers. If a worker dies, the parcels under way are run again.

    When one worker dies, the whole process pool breaks and does not tell which parcel was the cause. A parcel that was
    under way at ``SUSPICIOUS`` breaks is run alone, task by task. A task that then breaks its own pool ``SUSPICIOUS``
    times kills its worker; its result is ``Task.lost``.
    """

    SUSPICIOUS = 3

    def __init__(self, factory: ExecutorFactory, workers: int) -> None:
        if workers < 1:
            raise ConfigError(f"there must be at least one worker, not {workers}")
        self._factory = factory
        self.workers = workers
        self._executor: Executor | None = None
        self._backlog: deque[tuple[int, Parcel]] = deque()  # not given to the executor yet
        self._running: dict[Future[Results], tuple[int, Parcel]] = {}
        self._losses: dict[int, int] = {}  # parcel id -> breaks while under way; abandoned parcels have no entry
        self._next_id = 0
        self.n_lost = 0  # parcels that had to be run again

    def submit(self, parcel: Parcel) -> int:
        """Add ``parcel`` to the work. Returns the id with which ``wait`` returns its results."""
        parcel_id = self._next_id
        self._next_id += 1
        self._losses[parcel_id] = 0
        self._backlog.append((parcel_id, parcel))
        self._fill()
        return parcel_id

    def drop_backlog(self) -> set[int]:
        """Forget the parcels that no worker has begun. Returns their ids."""
        dropped = {parcel_id for parcel_id, _ in self._backlog}
        self._backlog.clear()
        return dropped

    def abandon(self) -> None:
        """Forget all submitted work; later ``wait`` calls do not return it."""
        self._backlog.clear()
        self._losses.clear()

    def wait(self, timeout: float | None = None) -> list[tuple[int, Results]]:
        """Return new results by parcel id. Blocks until there are some, at most ``timeout`` seconds."""
        if isinstance(self._executor, InlineExecutor):
            self._executor.step()
        done, _ = concurrent.futures.wait(self._running, timeout, return_when=concurrent.futures.FIRST_COMPLETED)
        results, lost = [], []
        for future in done:
            parcel_id, parcel = self._running.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                lost.append((parcel_id, parcel))
            else:
                results.append((parcel_id, future.result()))
        if lost:
            results += self._recover(lost)
        results = [(parcel_id, answers) for parcel_id, answers in results if parcel_id in self._losses]
        for parcel_id, _answers in results:
            del self._losses[parcel_id]
        self._fill()
        return results

    def close(self) -> None:
        """End the workers now; work under way is lost."""
        self._backlog.clear()
        self._running.clear()
        if self._executor is not None:
            _stop(self._executor)
            self._executor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fill(self) -> None:
        """Give the executor enough parcels to keep it busy. The rest can be dropped and is not blamed for a crash."""
        while self._backlog and len(self._running) < 2 * self.workers:
            parcel_id, parcel = self._backlog.popleft()
            for _ in range(self.SUSPICIOUS):
                if self._executor is None:
                    self._executor = self._factory(self.workers)
                try:
                    self._running[self._executor.submit(run_tasks, parcel)] = (parcel_id, parcel)
                    break
                except BrokenExecutor:  # it broke between two calls; wait() finds the parcels under way
                    _stop(self._executor)
                    self._executor = None
            else:
                raise WorkersLost(_NO_START)

    def _recover(self, lost: list[tuple[int, Parcel]]) -> list[tuple[int, Results]]:
        """Stop the broken executor, which fails all its parcels, and queue them again. Returns the results found."""
        if self._executor is not None:
            _stop(self._executor)
            self._executor = None
        concurrent.futures.wait(self._running, 10)
        answered = []
        for future, (parcel_id, parcel) in self._running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                answered.append((parcel_id, future.result()))
            else:
                lost.append((parcel_id, parcel))
        self._running.clear()
        for parcel_id, parcel in sorted(lost, key=lambda item: item[0], reverse=True):
            if parcel_id not in self._losses:
                continue
            self.n_lost += 1
            self._losses[parcel_id] += 1
            if self._losses[parcel_id] < self.SUSPICIOUS:
                self._backlog.appendleft((parcel_id, parcel))
            else:
                answered.append((parcel_id, [self._run_alone(task) for task in parcel]))
        return answered

    def _run_alone(self, task: Task) -> Any:
        for _ in range(self.SUSPICIOUS):
            executor = self._factory(1)
            try:
                executor.submit(_no_work).result()
            except BrokenExecutor:
                _stop(executor)
                raise WorkersLost(_NO_START) from None
            try:
                return executor.submit(run_task, task).result()
            except BrokenExecutor:
                self.n_lost += 1
            finally:
                _stop(executor)
        return task.lost()


def _no_work() -> None:
    """Do nothing. A worker that cannot even do this did not die because of a job."""


_GRACE = 2.0
"""Seconds that workers get to end themselves and the programs that they run."""
_NO_START = (
    "workers die as soon as they start; a Python script that uses workers must do its work below "
    "`if __name__ == '__main__':`"
)


def _stop(executor: Executor) -> None:
    """End an executor without waiting for its running jobs.

    A worker that has just been forked ignores SIGTERM, as its server does. It could wait for ever for the lock of the
    queue if a worker held this lock when SIGTERM ended it. So workers that do not end in time are killed.
    """
    processes = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + _GRACE
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()

"""Parcels of tasks on their way to their results, and what the driver of a run sees of its workers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from semeai.work.jobs import Task
from semeai.work.needs import Setup

Parcel = Sequence[Task]  # tasks that are sent to a worker in one message
Results = list[Any]  # their results in the same order


@dataclass
class Work:
    """A parcel on its way to its results."""

    id: int
    tasks: Parcel
    answers: dict[int, Any] = field(default_factory=dict)
    n_crashes: int = 0  # of workers that ran it, or may have run it
    n_kills: int = 0  # of workers that ran it, by a signal from outside
    killed_since: float = math.inf
    n_late: int = 0  # tries of one evaluation that did not end in time

    @property
    def open(self) -> list[int]:
        """Indices of the tasks without a result."""
        return [i for i in range(len(self.tasks)) if i not in self.answers]

    @property
    def results(self) -> Results:
        return [self.answers[i] for i in range(len(self.tasks))]

    def answer(self, index: int, result: Any) -> None:
        self.answers[index] = result
        self.forgive()

    def forgive(self) -> None:
        self.n_crashes = self.n_kills = self.n_late = 0
        self.killed_since = math.inf


class Sent(NamedTuple):
    """Tasks of a parcel that an executor has."""

    work: Work
    indices: list[int]
    place: int
    token: int


class Running(NamedTuple):
    """An evaluation, or another step of a task, that a worker is busy with."""

    task: Task
    step: int
    seconds: float


class Pool(Protocol):
    """What the driver of a run sees of its workers, on this machine or on others."""

    n_lost: int

    @property
    def workers(self) -> int:
        """Number of workers that work is divided among. It may change at any time."""

    @property
    def workers_soon(self) -> int:
        """Number of workers that may be there before work of unknown length is done: it is divided among them."""

    @property
    def state(self) -> str:
        """Words about the workers, for displays; empty if there is nothing to say."""

    def begin(self, setup: Setup) -> None:
        """Set what the tasks from now on have in common."""

    def submit(self, parcel: Parcel) -> int:
        """Add ``parcel`` to the work. Returns the id with which ``wait`` returns its results."""

    def drop_backlog(self) -> set[int]:
        """Forget the parcels that no worker runs, and begin none before the next ``submit``. Returns their ids."""

    def abandon(self) -> None:
        """Forget all submitted work; later ``wait`` calls do not return it."""

    def wait(self, timeout: float | None = None) -> list[tuple[int, Results]]:
        """Return new results by parcel id. Blocks until there are some, at most ``timeout`` seconds."""

    def slowest(self) -> Running | None:
        """Return what a worker has been doing for the longest time; None if that is not known."""

    def close(self) -> None:
        """End the workers now; work under way is lost."""

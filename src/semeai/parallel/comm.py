"""Messages between ranks: the interface of communicators, and the two communicators that need only this process.

Every call starts an exchange and returns at once; ``result`` waits for its end. All ranks must start the same calls in
the same order. Messages are arrays of numbers, or bytes; nothing is pickled.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from semeai.errors import RankFailed

T = TypeVar("T")
Floats = NDArray[np.float64]


class Pending(ABC, Generic[T]):
    """An exchange that was started and may not be complete."""

    @abstractmethod
    def ready(self) -> bool:
        """Return whether ``result`` would return at once. Calling this also makes progress with the exchange."""

    @abstractmethod
    def result(self) -> T: ...


class Communicator(ABC):
    """The interface by which one rank exchanges messages with the others."""

    rank: int
    size: int

    @abstractmethod
    def start_sum(self, values: Floats) -> Pending[Floats]:
        """Start to add up the values of all ranks. Every rank gets the sum; all values must have the same shape."""

    @abstractmethod
    def start_gather(self, part: bytes) -> Pending[list[bytes]]:
        """Start to collect the parts of all ranks. Rank 0 gets them in rank order; the others get an empty list."""

    @abstractmethod
    def start_scatter(self, parts: Sequence[bytes] | None = None) -> Pending[bytes]:
        """Start to distribute parts, one per rank. Only rank 0 passes ``parts``; every rank gets its own part."""


@dataclass(frozen=True)
class Arrived(Pending[T]):
    """An exchange that is already complete."""

    value: T

    def ready(self) -> bool:
        return True

    def result(self) -> T:
        return self.value


class Solo(Communicator):
    """The communicator of a single rank."""

    rank, size = 0, 1

    def start_sum(self, values: Floats) -> Pending[Floats]:
        return Arrived(values.copy())

    def start_gather(self, part: bytes) -> Pending[list[bytes]]:
        return Arrived([part])

    def start_scatter(self, parts: Sequence[bytes] | None = None) -> Pending[bytes]:
        (part,) = parts or ()
        return Arrived(part)


@dataclass
class _Meeting:
    """One exchange in which all ranks of a virtual cluster take part."""

    kind: str
    n_here: int = 0
    n_gone: int = 0
    total: Floats | None = None
    parts: dict[int, bytes] = field(default_factory=dict)


class VirtualCommunicator(Communicator):
    """A rank of a cluster inside this process.

    The ranks take turns, so ``result`` cannot wait: it raises RankFailed if another rank has not yet sent its part.
    """

    def __init__(self, rank: int, size: int, meetings: dict[int, _Meeting]) -> None:
        self.rank, self.size = rank, size
        self._meetings = meetings
        self._next = 0

    def start_sum(self, values: Floats) -> Pending[Floats]:
        meeting, number = self._enter("sum")
        if meeting.total is None:
            meeting.total = values.copy()
        elif meeting.total.shape != values.shape:
            raise RankFailed(f"rank {self.rank} sends numbers of shape {values.shape}, others of {meeting.total.shape}")
        else:
            meeting.total += values
        return _Turn(self, number, lambda: meeting.n_here == self.size, lambda: _copy(meeting.total))

    def start_gather(self, part: bytes) -> Pending[list[bytes]]:
        meeting, number = self._enter("gather")
        meeting.parts[self.rank] = part
        wanted = range(self.size if self.rank == 0 else 0)
        return _Turn(
            self, number, lambda: meeting.n_here >= len(wanted), lambda: [meeting.parts[rank] for rank in wanted]
        )

    def start_scatter(self, parts: Sequence[bytes] | None = None) -> Pending[bytes]:
        meeting, number = self._enter("scatter")
        if self.rank == 0:
            meeting.parts = dict(enumerate(parts or ()))
        return _Turn(self, number, lambda: len(meeting.parts) == self.size, lambda: meeting.parts[self.rank])

    def _enter(self, kind: str) -> tuple[_Meeting, int]:
        number, self._next = self._next, self._next + 1
        meeting = self._meetings.setdefault(number, _Meeting(kind))
        if meeting.kind != kind:
            raise RankFailed(f"rank {self.rank} starts a {kind}, but others start a {meeting.kind}")
        meeting.n_here += 1
        return meeting, number

    def leave(self, number: int) -> None:
        """Note that this rank has its result. The last rank removes the exchange."""
        self._meetings[number].n_gone += 1
        if self._meetings[number].n_gone == self.size:
            del self._meetings[number]


class _Turn(Pending[T]):
    def __init__(
        self, owner: VirtualCommunicator, number: int, is_complete: Callable[[], bool], take: Callable[[], T]
    ) -> None:
        self._owner, self._number, self._is_complete, self._take = owner, number, is_complete, take

    def ready(self) -> bool:
        return self._is_complete()

    def result(self) -> T:
        if not self._is_complete():
            raise RankFailed(f"rank {self._owner.rank} of {self._owner.size} waits for ranks that have had no turn yet")
        taken = self._take()
        self._owner.leave(self._number)
        return taken


def _copy(total: Any) -> Floats:
    copied: Floats = total.copy()
    return copied


def virtual_cluster(size: int) -> list[Communicator]:
    """Return the communicators of ``size`` ranks inside this process."""
    meetings: dict[int, _Meeting] = {}
    return [VirtualCommunicator(rank, size, meetings) for rank in range(size)]

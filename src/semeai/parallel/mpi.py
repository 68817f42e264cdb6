"""Ranks as processes of an MPI job, by mpi4py and ``mpiexec``. The extra ``mpi`` installs both.

Nothing waits inside MPI, because there a waiting rank keeps its core busy. Instead, results are polled, and between two
polls the rank searches or sleeps.
"""

import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from semeai.errors import ConfigError, SemeaiError
from semeai.parallel.comm import Arrived, Communicator, Floats, Pending, Solo, T
from semeai.parallel.launch import started_ranks

_GATHER, _SCATTER = 1, 2
_SHORT, _LONG = 2e-5, 5e-3
"""Shortest and longest pause between two polls, in seconds. The pauses grow from one to the other."""
_SAY_SECONDS = 0.5
"""Seconds that mpiexec needs to pass on a rank's last output. An abort would lose output that is still on its way."""


class _Asked(Pending[T]):
    """An exchange that is polled: ``ask`` returns None until the message has arrived."""

    def __init__(self, ask: Callable[[], T | None]) -> None:
        self._ask = ask
        self._found: T | None = None

    def ready(self) -> bool:
        if self._found is None:
            self._found = self._ask()
        return self._found is not None

    def result(self) -> T:
        pause = _SHORT
        while not self.ready():
            time.sleep(pause)
            pause = min(1.5 * pause, _LONG)
        assert self._found is not None
        return self._found


class MpiCommunicator(Communicator):
    """A rank of an MPI communicator."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self._sending: list[tuple[Any, bytes]] = []  # requests, and the buffers that MPI may still read

    def start_sum(self, values: Floats) -> Pending[Floats]:
        sent, total = np.ascontiguousarray(values), np.empty_like(values)
        request = self._comm.Iallreduce(sent, total)
        return _Asked(lambda: (total, sent)[0] if request.Test() else None)  # keeps ``sent`` alive

    def start_gather(self, part: bytes) -> Pending[list[bytes]]:
        if self.rank:
            self._send(part, 0, _GATHER)
            return Arrived([])
        parts: dict[int, bytes] = {0: part}

        def ask() -> list[bytes] | None:
            for source in range(1, self.size):
                if source not in parts and (found := self._receive(source, _GATHER)) is not None:
                    parts[source] = found
            return [parts[i] for i in range(self.size)] if len(parts) == self.size else None

        return _Asked(ask)

    def start_scatter(self, parts: Sequence[bytes] | None = None) -> Pending[bytes]:
        if self.rank:
            return _Asked(lambda: self._receive(0, _SCATTER))
        assert parts is not None
        for rank in range(1, self.size):
            self._send(parts[rank], rank, _SCATTER)
        return Arrived(parts[0])

    def subgroup(self, size: int) -> "MpiCommunicator":
        """Return a communicator of the first ``size`` ranks. All of them must call this."""
        if size == self.size:
            return MpiCommunicator(self._comm.Dup())
        group = self._comm.Get_group()
        return MpiCommunicator(self._comm.Create_group(group.Incl(list(range(size)))))

    def abort(self, code: int) -> None:
        """End all ranks at once."""
        self._comm.Abort(code)

    def _send(self, part: bytes, rank: int, tag: int) -> None:
        self._sending = [item for item in self._sending if not item[0].Test()]
        self._sending.append((self._comm.Isend([part, _bytes()], dest=rank, tag=tag), part))

    def _receive(self, source: int, tag: int) -> bytes | None:
        message = self._comm.Improbe(source=source, tag=tag, status=(status := _status()))
        if message is None:
            return None
        data = bytearray(status.Get_count(_bytes()))
        message.Recv([data, _bytes()])
        return bytes(data)


def _bytes() -> Any:
    from mpi4py import MPI

    return MPI.BYTE


def _status() -> Any:
    from mpi4py import MPI

    return MPI.Status()


@cache
def world() -> Communicator:
    """Return the communicator of all ranks of this job; without ``mpiexec`` there is one rank."""
    if started_ranks() == 1:
        return Solo()
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ConfigError(
            f"mpiexec has started several ranks, but MPI is not available ({error}): install semeai[mpi]"
        ) from None
    return MpiCommunicator(MPI.COMM_WORLD)


@contextlib.contextmanager
def ending_all_ranks() -> Iterator[None]:
    """End all ranks if an error ends this one. Otherwise, ranks that wait for it would wait for ever."""
    comm = world()
    if not isinstance(comm, MpiCommunicator):
        yield
        return
    try:
        yield
    except BaseException as error:
        code = _exit_code(error)
        if code == 0:
            raise
        _say(f"semeai: rank {comm.rank} of {comm.size}: {_described(error)}; all ranks end")
        time.sleep(_SAY_SECONDS)
        comm.abort(code)
        raise


def _exit_code(error: BaseException) -> int:
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    return error.exit_code if isinstance(error, SemeaiError) else 130 if isinstance(error, KeyboardInterrupt) else 1


def _described(error: BaseException) -> str:
    if isinstance(error, SemeaiError):
        return str(error)
    if isinstance(error, SystemExit | KeyboardInterrupt):
        return f"ended with {_exit_code(error)}"
    return "".join(traceback.format_exception(error)).strip()


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)

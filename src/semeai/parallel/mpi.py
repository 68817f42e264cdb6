"""Ranks as processes of an MPI job, by mpi4py and ``mpiexec``. The extra ``mpi`` installs both.

Nothing waits inside MPI, because there a waiting rank keeps its core busy. Instead, results are polled, and between two
polls the rank searches or sleeps.
"""

import contextlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from semeai.errors import ConfigError, SemeaiError
from semeai.parallel.alive import Watch, answering, has_threads
from semeai.parallel.comm import Arrived, Communicator, Floats, Pending, Solo, T
from semeai.parallel.launch import started_ranks
from semeai.parallel.mail import Mail
from semeai.printable import printable

_GATHER, _SCATTER, _MEET = 1, 2, 3
_SHORT, _LONG = 2e-5, 5e-3
"""Shortest and longest pause between two polls, in seconds. The pauses grow from one to the other."""
_SAY_SECONDS = 0.5
"""Seconds that mpiexec needs to pass on a rank's last output. An abort would lose output that is still on its way."""


class _Asked(Pending[T]):
    """An exchange that is polled: ``ask`` returns None until the message has arrived.

    With ``watch``, a rank that no longer answers raises RankFailed in ``ready`` and ``result``.
    """

    def __init__(self, ask: Callable[[], T | None], watch: Watch | None = None) -> None:
        self._ask, self._watch = ask, watch
        self._found: T | None = None
        if watch is not None:
            watch.begin()

    def ready(self) -> bool:
        if self._found is None:
            self._found = self._ask()
            if self._found is None and self._watch is not None:
                self._watch.check()
        return self._found is not None

    def result(self) -> T:
        pause = _SHORT
        while not self.ready():
            time.sleep(pause)
            pause = min(1.5 * pause, _LONG)
        assert self._found is not None
        return self._found


class MpiCommunicator(Communicator):
    """A rank of an MPI communicator. Without ``watch`` it waits for ever, as for the next command of a user."""

    def __init__(self, comm: Any, watch: Watch | None = None) -> None:
        self._comm, self._mail, self._watch = comm, Mail(comm), watch
        self.rank, self.size = comm.Get_rank(), comm.Get_size()

    def start_sum(self, values: Floats) -> Pending[Floats]:
        sent, total = np.ascontiguousarray(values), np.empty_like(values)
        request = self._comm.Iallreduce(sent, total)
        return _Asked(lambda: (total, sent)[0] if request.Test() else None, self._watch)  # keeps ``sent`` alive

    def start_gather(self, part: bytes) -> Pending[list[bytes]]:
        if self.rank:
            self._mail.send(part, 0, _GATHER)
            return Arrived([])
        return self._collect(part, self.size, _GATHER, self._watch)

    def _collect(self, part: bytes, size: int, tag: int, watch: Watch | None) -> Pending[list[bytes]]:
        """Start to receive a part of each of the first ``size`` ranks on rank 0, whose own is ``part``."""
        parts: dict[int, bytes] = {0: part}

        def ask() -> list[bytes] | None:
            for source in range(1, size):
                if source not in parts and (found := self._mail.receive(source, tag)) is not None:
                    parts[source] = found
            return [parts[i] for i in range(size)] if len(parts) == size else None

        return _Asked(ask, watch)

    def start_scatter(self, parts: Sequence[bytes] | None = None) -> Pending[bytes]:
        if self.rank:
            return _Asked(lambda: self._mail.receive(0, _SCATTER), self._watch)
        assert parts is not None
        for rank in range(1, self.size):
            self._mail.send(parts[rank], rank, _SCATTER)
        return Arrived(parts[0])

    def subgroup(self, size: int) -> "MpiCommunicator":
        """Return a communicator of the first ``size`` ranks that notices silent ranks. All of them must call this."""
        self.meet(size)  # because the calls below wait inside MPI
        group = self._comm.Get_group()
        comm = self._comm.Dup() if size == self.size else self._comm.Create_group(group.Incl(list(range(size))))
        return MpiCommunicator(comm, self._watch_for(size))

    def meet(self, size: int) -> None:
        """Wait until the first ``size`` ranks have called this. Raises RankFailed if one of them no longer answers."""
        watch = self._watch_for(size)
        if self.rank:
            self._mail.send(b"", 0, _MEET)
            _Asked(lambda: self._mail.receive(0, _MEET), watch).result()
        else:
            self._collect(b"", size, _MEET, watch).result()
            for rank in range(1, size):
                self._mail.send(b"", rank, _MEET)

    def _watch_for(self, size: int) -> Watch | None:
        return Watch(self._comm, size) if has_threads() else None

    def answering(self) -> contextlib.AbstractContextManager[None]:
        """Answer other ranks that ask whether this one is there."""
        return answering(self._comm) if has_threads() else contextlib.nullcontext()

    def abort(self, code: int) -> NoReturn:
        """End all ranks at once, and never return. MPI may come back before its launcher has ended this process."""
        self._comm.Abort(code)
        os._exit(code)  # otherwise the error would be printed again, and the end of MPI would wait for all ranks


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
        with comm.answering():
            yield
    except BaseException as error:
        code = _exit_code(error)
        if code == 0:
            raise
        _say(f"semeai: rank {comm.rank} of {comm.size}: {_described(error)}; all ranks end")
        time.sleep(_SAY_SECONDS)
        comm.abort(code)


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
        print(printable(text), file=sys.stderr, flush=True)

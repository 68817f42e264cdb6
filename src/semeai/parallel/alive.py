"""Notice ranks of an MPI job that no longer answer, such as a stopped process or a machine that is down.

Each rank has a thread that answers questions, also while the rank searches or compiles. A rank that waits for a message
asks from time to time whether the others are there. So a rank may work for as long as it likes, but not be silent.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from semeai.errors import ConfigError, RankFailed
from semeai.parallel.mail import Mail

VARIABLE = "SEMEAI_RANK_TIMEOUT"
DEFAULT_SECONDS = 30.0
_ASK, _ANSWER = 11, 12
_ANSWER_SECONDS = 0.1
"""Pause of the thread between two looks for a question."""
_LONGEST_STEP = 1.0
"""A longer pause between two looks at the clock is counted as this: the waiting process was stopped itself."""
_STAGGER, _MOST_STAGGERED = 1.0, 10
"""Seconds between the reports of two ranks, and how many of them differ. The first report ends all ranks."""
_NAMED = 10
"""Largest number of silent ranks that are named."""


@cache
def rank_timeout() -> float:
    """Return the seconds after which a silent rank has failed: the environment variable, or the default."""
    text = os.environ.get(VARIABLE, "")
    try:
        seconds = float(text or DEFAULT_SECONDS)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ConfigError(f"{VARIABLE}={text}: must be a number of seconds greater than 0")
    return seconds


class Watch:
    """The wait of this rank for the first ``size`` ranks of the job.

    Rank 0 asks all others; these ask rank 0, which every message depends on.
    """

    def __init__(self, comm: Any, size: int) -> None:
        """``comm`` has all ranks of the job."""
        self._mail, self._n_ranks, rank = Mail(comm), comm.Get_size(), comm.Get_rank()
        self._others = {0} if rank else set(range(1, size))
        self._seconds = rank_timeout() + _STAGGER * min(max(rank - 1, 0), _MOST_STAGGERED)
        self._question = 0
        self.begin()

    def begin(self) -> None:
        """Begin to wait."""
        self._at, self._waited = time.monotonic(), 0.0
        self._silent: set[int] | None = None  # ranks that were asked and have not answered

    def check(self) -> None:
        """Call this again and again until the message has come. Raises RankFailed if a rank is silent for long."""
        now = time.monotonic()
        self._waited += min(now - self._at, _LONGEST_STEP)
        self._at = now
        if self._silent is None:
            if self._waited >= self._seconds / 2:
                self._ask()
            return
        self._silent -= {rank for rank in self._silent if self._has_answered(rank)}
        if not self._silent:
            self.begin()
        elif self._waited >= self._seconds:
            raise RankFailed(_sentence(sorted(self._silent), self._n_ranks, self._seconds / 2))

    def _ask(self) -> None:
        self._question += 1
        self._silent = set(self._others)
        for rank in self._others:
            self._mail.send(b"%d" % self._question, rank, _ASK)

    def _has_answered(self, rank: int) -> bool:
        while (found := self._mail.receive(rank, _ANSWER)) is not None:
            if int(found) == self._question:  # and not the late answer to an earlier question
                return True
        return False


def _sentence(silent: list[int], n_ranks: int, seconds: float) -> str:
    names = ", ".join(map(str, silent[:_NAMED])) + (f" and {len(silent) - _NAMED} more" if silent[_NAMED:] else "")
    who = f"rank {names} of {n_ranks} has" if len(silent) == 1 else f"ranks {names} of {n_ranks} have"
    return f"{who} not answered for {seconds:g} s: stopped or not reachable ({VARIABLE} sets the time)"


@contextlib.contextmanager
def answering(comm: Any) -> Iterator[None]:
    """Answer the questions of other ranks in a thread."""
    mail, ended = Mail(comm), threading.Event()

    def answer() -> None:
        while not ended.wait(_ANSWER_SECONDS):
            while (asked := mail.receive_any(_ASK)) is not None:
                question, rank = asked
                mail.send(question, rank, _ANSWER)

    thread = threading.Thread(target=answer, daemon=True, name="answer-ranks")
    thread.start()
    try:
        yield
    finally:
        ended.set()  # before MPI ends
        thread.join()


def has_threads() -> bool:
    """Return whether MPI allows calls from several threads at a time; without that, ranks cannot answer."""
    from mpi4py import MPI

    return bool(MPI.Query_thread() == MPI.THREAD_MULTIPLE)

"""Slow tree, slow root and voting: one tree per rank. Ranks search for long, then share the top of their trees.

Messages travel while ranks search: a share that is sent at one exchange is added to the trees at the next one, or, if
``share_unit`` is seconds, when it arrives. A budget ends with a share that all ranks have added to their trees.
"""

import math
import time

from semeai.parallel.comm import Communicator, Floats, Pending
from semeai.parallel.config import ParallelConfig
from semeai.parallel.program import Budget, RankProgram
from semeai.parallel.shared import Sent, SharedNodes
from semeai.search.search import Root, Search

SLICE = 64
"""Simulations between two checks for a message."""


class SlowSharing(RankProgram):
    """The program of one rank in the schemes ``slow_tree``, ``slow_root`` and ``voting``."""

    def __init__(self, search: Search, comm: Communicator, config: ParallelConfig, proofs: bool) -> None:
        self._comm, self._config = comm, config
        self._shared = SharedNodes(search, config, proofs)
        self._pending: tuple[Pending[Floats], Sent] | None = None
        self._since: float = 0.0  # simulations since the last share
        self._shared_at = time.monotonic()
        self._simulations = 0
        self.bytes_sent = 0
        """Bytes that this rank has sent since the program was made."""
        self.n_shares = 0
        super().__init__(search)

    @property
    def simulations(self) -> int:
        return self._simulations

    def set_position(self, position: Root, reuse: bool) -> None:
        self._since, self._simulations = 0.0, 0
        self._shared.set_position(position, reuse)

    def begin(self, budget: Budget) -> None:
        super().begin(budget)
        self._counted = 0  # simulations, including those that a solved rank skips
        self._all_have_enough = False

    def step(self) -> bool:
        if self._config.shares_by_time:
            self._search_by_time()
        else:
            self._search_by_count()
        spent, final = self._is_spent(), self.budget.final
        if self._is_due() or (spent and final):
            self._meet(final and (spent or self.has_enough()))
        return not self._all_have_enough if final else not spent

    def _is_spent(self) -> bool:
        if self._config.shares_by_time or self.budget.simulations is None:
            return self.has_enough()
        return self._counted >= self.budget.simulations

    def _is_due(self) -> bool:
        if self._config.shares_by_time:
            return self._pending is None and time.monotonic() - self._shared_at >= self._config.period
        return self._since >= self._config.period

    def _search_by_count(self) -> None:
        """Search until the next share or the end of the budget. A solved rank only counts, to stay in step."""
        while not self._is_due() and not self._is_spent():
            left = min(self._config.period - self._since, SLICE * self.search.threads)
            if self.budget.simulations is not None:
                left = min(left, self.budget.simulations - self._counted)
            self.run(math.ceil(left))
            self._counted += math.ceil(left)
            self._since += left
            if self._pending is not None:
                self._pending[0].ready()

    def _search_by_time(self) -> None:
        while not self._is_due() and not self._is_spent():
            self.run(min(SLICE, self.remaining()))
            if self._pending is not None and self._pending[0].ready():
                self._take()

    def _meet(self, has_enough: bool) -> None:
        """Receive the pending share, then send the next one, unless that was the last."""
        if self._pending is not None:
            self._take()
            if self._all_have_enough:
                return
        message, sent = self._shared.write(has_enough)
        self._pending = self._comm.start_sum(message), sent
        self._since, self._shared_at = 0.0, time.monotonic()
        self.bytes_sent += message.nbytes
        self.n_shares += 1

    def _take(self) -> None:
        assert self._pending is not None
        pending, sent = self._pending
        heard = self._shared.read(pending.result(), sent, self._comm.size)
        self._pending = None
        self._simulations = heard.simulations
        self._all_have_enough = heard.n_enough == self._comm.size

"""Fast tree parallelization: one tree on rank 0, and playouts on all ranks.

Rank 0 picks one leaf per rank, sends the positions, and adds the results when all have arrived. Until then, a leaf
counts as a lost visit. Every playout costs two messages, and with RAVE the reply holds all its moves. So the scheme
suits ranks with fast connections; it is here for comparison.
"""

from semeai.parallel.comm import Communicator, Pending
from semeai.parallel.program import Budget, RankProgram
from semeai.search.leaf_search import NOTHING, LeafSearch


class FastTreeMaster(RankProgram):
    """The program of rank 0. It plays out one leaf itself, so a single rank searches like a player without ranks."""

    def __init__(self, search: LeafSearch, comm: Communicator) -> None:
        self._leaves, self._comm = search, comm
        self._gathering: Pending[list[bytes]] | None = None
        self.bytes_sent = 0
        """Bytes that rank 0 has sent since the program was made."""
        super().__init__(search)

    def begin(self, budget: Budget) -> None:
        super().begin(budget)
        self._n_picked = 0

    def step(self) -> bool:
        size = self._comm.size
        if self._gathering is not None:
            self._leaves.back_up(self._gathering.result())
            self._gathering = None
        parts = self._leaves.pick(self._wanted())
        self._n_picked += len(parts)
        self.done = -(-self._n_picked // size)
        more = bool(parts)
        parts += [NOTHING if more else b""] * (size - len(parts))
        self.bytes_sent += sum(map(len, parts[1:]))
        own = self._comm.start_scatter(parts).result()
        if more:
            self._gathering = self._comm.start_gather(self._leaves.play_out(own))
        return more

    def _wanted(self) -> int:
        """Return the number of leaves to pick: one per rank, or 0 if the budget is spent."""
        return 0 if self.has_enough() else self._comm.size


class FastTreeSlave(RankProgram):
    """The program of all other ranks. It plays out the leaves that it receives until it receives an empty message."""

    def __init__(self, search: LeafSearch, comm: Communicator) -> None:
        self._leaves, self._comm = search, comm
        super().__init__(search)

    def step(self) -> bool:
        leaf = self._comm.start_scatter().result()
        if leaf:
            self._comm.start_gather(self._leaves.play_out(leaf)).result()
        return bool(leaf)

"""Fast tree: one tree, on rank 0, and playouts on all ranks.

Rank 0 picks a leaf for each rank, sends the positions, and adds the results when all are back. A leaf that is out
counts as a lost visit. Every playout is a message there and one back, with all its moves where RAVE wants them: the
scheme of a machine whose ranks are near to one another, here for comparison.
"""

from semeai.parallel.comm import Communicator, Pending
from semeai.parallel.program import Budget, RankProgram
from semeai.search.leaf_search import NOTHING, LeafSearch


class FastTreeMaster(RankProgram):
    """Rank 0. It plays out a leaf itself, so one rank alone searches as a player without ranks does."""

    def __init__(self, search: LeafSearch, comm: Communicator) -> None:
        self._leaves, self._comm = search, comm
        self._gathering: Pending[list[bytes]] | None = None
        self.bytes_sent = 0
        """Since the program was made, by rank 0."""
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
        """How many leaves to pick: one a rank, until the budget is spent."""
        return 0 if self.has_enough() else self._comm.size


class FastTreeSlave(RankProgram):
    """Any other rank: plays out what it is sent until it is sent nothing."""

    def __init__(self, search: LeafSearch, comm: Communicator) -> None:
        self._leaves, self._comm = search, comm
        super().__init__(search)

    def step(self) -> bool:
        leaf = self._comm.start_scatter().result()
        if leaf:
            self._comm.start_gather(self._leaves.play_out(leaf)).result()
        return bool(leaf)

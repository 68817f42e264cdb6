"""The nodes that ranks share, as one rank sees them: which nodes they are, and the statistics known to all ranks.

All ranks choose the same nodes, because they choose by statistics that all of them have received: at first the children
of the root, then also the children of nodes that have enough simulations. So each share is one message, and all ranks
know its length.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.errors import RankFailed
from semeai.parallel.comm import Floats
from semeai.parallel.config import ParallelConfig
from semeai.search.kernels.sharing import (
    PROOFS,
    SHARED_CHILD,
    SHARED_NODE,
    SUMS,
    add_growth,
    carry_over,
    list_shared,
    read_growth,
)
from semeai.search.kernels.tree import UNEXPANDED
from semeai.search.search import Root, Search

Path = tuple[int, ...]
Rows = NDArray[np.int64]
HEADER = 3
"""Numbers at the start of a message: ranks that have enough, simulations, and a check that all list the same nodes."""
_CHECK = 1 << 20
_FIRST_ROOM = 256
"""Initial number of rows and tables. It is doubled when they are full."""


@dataclass(frozen=True)
class Sent:
    """What this rank has sent: one line of ``growth`` per child in ``rows``; the first ``n_root`` are the root's."""

    rows: Rows
    n_root: int
    growth: Floats
    check: int


@dataclass(frozen=True)
class Heard:
    """The sums at the start of a received share."""

    n_enough: int
    simulations: int


class SharedNodes:
    """One table for each node that is or was shared. Its rows are the children: their local nodes and shared sums."""

    def __init__(self, search: Search, config: ParallelConfig, proofs: bool) -> None:
        self._search, self._config = search, config
        self._width = SUMS + PROOFS if proofs else SUMS
        self._clear()

    def _clear(self) -> None:
        self.paths: list[Path] = []
        """The path from the root to the node of each table; parents come before children."""
        self._numbers: dict[Path, int] = {}  # indices of tables by path
        self._n = 0  # rows in use
        self._tables, self._queue = np.empty(_FIRST_ROOM, SHARED_NODE), np.empty(_FIRST_ROOM, np.int64)
        self._children, self._listed = np.empty(_FIRST_ROOM, SHARED_CHILD), np.empty(_FIRST_ROOM, np.int64)

    def set_position(self, position: Root, reuse: bool) -> None:
        """Set the root position. Keeps the tables of the nodes below it."""
        path = self._search.moves_to(position) if reuse else None
        kept = self._search.set_position(position, reuse)
        paths, tables, children = self.paths, self._tables, self._children
        self._clear()
        if path is None:
            return
        root = tuple(path)
        for old, table in zip(paths, tables, strict=False):
            new = old[len(root) :]
            if old[: len(root)] != root or (new and new[:-1] not in self._numbers):
                continue
            first = self._n
            self._add(new)
            # If the tree was not reused, this rank's nodes are new and hold only their priors.
            carry_over(children, table["start"], table["end"], self._children, first, self._n, kept)

    def _add(self, path: Path) -> None:
        """Add a table for the node at ``path``."""
        number, start = len(self.paths), self._n
        self._n += self._search.list_children(path, self._children, start)
        if self._n > len(self._children):
            while self._n > len(self._children):
                self._children = np.concatenate([self._children, self._children])
            self._listed = np.empty(len(self._children), np.int64)
            self._n = start + self._search.list_children(path, self._children, start)
        if number == len(self._tables):
            self._tables = np.concatenate([self._tables, self._tables])
            self._queue = np.empty(len(self._tables), np.int64)
        self._tables[number] = start, self._n, len(path)
        self._numbers[path] = number
        self.paths.append(path)
        if path:
            above = self._tables[self._numbers[path[:-1]]]
            rows = self._children[above["start"] : above["end"]]
            rows["below"][rows["move"] == path[-1]] = number

    def _shared_rows(self) -> Rows:
        """Return the rows to share: the children of all nodes near the root with enough shared simulations."""
        if not self.paths:
            self._add(())
        while True:
            n, missing = list_shared(
                self._tables,
                self._children,
                self._config.share_fraction,
                self._config.depth,
                self._queue,
                self._listed,
            )
            if missing == UNEXPANDED:
                return self._listed[:n].copy()
            number = int(np.searchsorted(self._tables["start"][: len(self.paths)], missing, side="right")) - 1
            self._add((*self.paths[number], int(self._children[missing]["move"])))

    def write(self, has_enough: bool) -> tuple[Floats, Sent]:
        """Return this rank's message, and what it contains."""
        rows = self._shared_rows()
        message = np.empty(HEADER + len(rows) * self._width)
        growth = message[HEADER:].reshape(len(rows), self._width)
        check = int(read_growth(self._search.nodes, self._children, rows, growth)) % _CHECK
        message[:HEADER] = has_enough, self._search.simulations, check
        return message, Sent(rows, int(self._tables[0]["end"]), growth, check)

    def read(self, total: Floats, sent: Sent, size: int) -> Heard:
        """Add the sums of all ranks to this rank's tree, in place of its own. Raises RankFailed if the nodes differ."""
        if total[2] != size * sent.check:
            raise RankFailed(f"the {size} ranks do not search the same position: their lists of moves differ")
        added = total[HEADER:].reshape(sent.growth.shape)
        add_growth(self._search.nodes, self._children, sent.rows, sent.growth, added, self._config.weight, sent.n_root)
        return Heard(int(total[0]), int(total[1]))

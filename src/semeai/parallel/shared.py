"""The nodes that ranks share, as one rank sees them: which they are, and what has been said of them.

All ranks choose the same nodes, because they choose by what all have been told: the children of the root at first, and
from share to share the children of nodes that turned out to have enough simulations. So a share is one message of a
length that all ranks know.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.errors import RankFailed
from semeai.parallel.comm import Floats
from semeai.parallel.config import ParallelConfig
from semeai.search.search import Root, Search
from semeai.search.sharing import PROOFS, SUMS, add_growth, read_growth

Path = tuple[int, ...]
Rows = NDArray[np.int64]
HEADER = 3
"""Numbers before the children's: ranks that have enough, simulations, and a check that all mean the same nodes."""
_CHECK = 1 << 20
_FIRST_ROOM = 256
"""Rows; there is twice as much when that is full."""


@dataclass(frozen=True)
class Sent:
    """What this rank has sent: lines of ``growth`` for children in ``rows``, the root's first."""

    rows: Rows
    n_root: int
    growth: Floats
    check: int


@dataclass(frozen=True)
class Heard:
    """The first numbers of a share."""

    n_enough: int
    simulations: int


class SharedNodes:
    """A row for each child of a node that is or was shared: its node here, what was seen of it, and what all know."""

    def __init__(self, search: Search, config: ParallelConfig, proofs: bool) -> None:
        self._search, self._config = search, config
        self._width = SUMS + PROOFS if proofs else SUMS
        self._clear()

    def _clear(self) -> None:
        self._rows: dict[Path, Rows] = {}
        self._n = 0
        self._moves, self._slots = np.empty(_FIRST_ROOM, np.int64), np.empty(_FIRST_ROOM, np.int64)
        self._seen = np.empty((_FIRST_ROOM, SUMS))
        self._known = np.empty(_FIRST_ROOM)  # visits, by all that was shared

    def set_position(self, position: Root, reuse: bool) -> None:
        """Move the search there, and keep what is known of the nodes below it."""
        path = self._search.moves_to(position) if reuse else None
        kept = self._search.set_position(position, reuse)
        rows, moves, seen, known = self._rows, self._moves, self._seen, self._known
        self._clear()
        if path is None:
            return
        start = tuple(path)
        for old in [p for p in rows if p[: len(start)] == start]:
            new = self._add(old[len(start) :])
            here, there = np.nonzero(self._moves[new][:, None] == moves[rows[old]][None, :])
            self._known[new[here]] = known[rows[old][there]]
            if kept:  # else this rank's nodes are new, and hold nothing but their priors
                self._seen[new[here]] = seen[rows[old][there]]

    def _add(self, path: Path) -> Rows:
        """Rows for the children of the node at ``path``."""
        moves, priors, slots = self._search.table(path)
        start, self._n = self._n, self._n + len(moves)
        while self._n > len(self._moves):
            self._moves, self._slots, self._seen, self._known = (
                np.concatenate([part, part]) for part in (self._moves, self._slots, self._seen, self._known)
            )
        new = slice(start, self._n)
        self._moves[new], self._slots[new], self._known[new] = moves, slots, 0.0
        self._seen[new, :2], self._seen[new, 2:] = 0.0, priors
        self._rows[path] = np.arange(start, self._n)
        return self._rows[path]

    def active(self) -> list[Path]:
        """Nodes with enough of the simulations that all know of, near enough to the root; parents before children."""
        paths: list[Path] = [()]
        if () not in self._rows:
            self._add(())
        enough = self._config.share_fraction * float(self._known[self._rows[()]].sum())
        for path in paths:
            if len(path) < self._config.depth and enough > 0:
                rows = self._rows[path] if path in self._rows else self._add(path)
                paths += [(*path, int(self._moves[row])) for row in rows[self._known[rows] >= enough]]
        return paths

    def write(self, has_enough: bool) -> tuple[Floats, Sent]:
        """The message of this rank."""
        tables = [self._rows[path] if path in self._rows else self._add(path) for path in self.active()]
        rows = np.concatenate(tables)
        growth = np.empty((len(rows), self._width))
        read_growth(self._search.nodes, self._slots, self._seen, rows, growth)
        check = (int(self._moves[rows] @ np.arange(1, len(rows) + 1)) + len(rows)) % _CHECK
        header = [float(has_enough), float(self._search.simulations), float(check)]
        return np.concatenate([header, growth.ravel()]), Sent(rows, len(tables[0]), growth, check)

    def read(self, total: Floats, sent: Sent, size: int) -> Heard:
        """Put what all ranks said into this rank's tree, in the place of what it said itself."""
        if total[2] != size * sent.check:
            raise RankFailed(f"the {size} ranks do not search the same position: they list other moves")
        added = total[HEADER:].reshape(sent.growth.shape)
        add_growth(
            self._search.nodes, self._slots, self._seen, sent.rows, sent.growth, added, self._config.weight, sent.n_root
        )
        self._known[sent.rows] += added[:, 0]
        return Heard(int(total[0]), int(total[1]))


def message_bytes(children: Sequence[int], proofs: bool = False) -> int:
    """The length of a share of nodes with so many children each."""
    return 8 * (HEADER + sum(children) * (SUMS + PROOFS if proofs else SUMS))

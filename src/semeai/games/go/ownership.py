"""The expected owner of each point at the end of the game, by playouts."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.scoring import count_owners
from semeai.games.go.kernels.tables import BLACK
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH

PLAYOUTS = 200
ALIVE = 0.5
"""A chain is dead if its stones stand at the end of fewer playouts than this share."""


class OwnerCounts:
    """Who owns each point at the end of playouts from one position, or from those that a search expects next.

    More playouts can be added at any time.
    """

    def __init__(self, position: GoPosition, policy: NDArray[Any]) -> None:
        self._position, self._policy, self._komi = position.copy(), policy, position.komi
        self._scratch = np.zeros(1, SCRATCH)
        self._scratch[0]["rng"] = np.uint64(88172645463325252)
        self._counts = np.zeros(MAX_POINTS, np.int64)
        self._size = position.size
        self.playouts = 0

    def add(self, playouts: int, line: Sequence[int] = ()) -> None:
        """Run up to this many more playouts, the same number with each player to move first.

        With the moves ``line`` that a search expects, half of them begin after the first one and half after the second
        one: playouts alone find too few good moves to know what the right to move is worth.
        """
        positions = list(self._after(line[:2])) or [self._position]
        each = 2 * (playouts // (2 * len(positions)))
        if each <= 0:
            return
        for position in positions:
            count_owners(position.states.repeat(2), self._policy, self._scratch, each, self._counts)
            self.playouts += each

    def _after(self, line: Sequence[int]) -> Iterator[GoPosition]:
        """Yield the positions after each of these moves."""
        position = self._position
        for move in line:
            if position.is_over:
                return
            position = position.copy()
            position.play(move)
            yield position

    @property
    def owners(self) -> NDArray[np.float64]:
        """By point of the padded board: +1 for always Black's to -1 for always White's; 0 before any playout."""
        return self._counts / max(1, self.playouts)

    @property
    def on_board(self) -> NDArray[np.float64]:
        """The owners of the points of the board, row by row from the top left."""
        rows, columns = np.divmod(np.arange(self._size**2), self._size)
        found: NDArray[np.float64] = self.owners[(rows + 1) * (self._size + 1) + columns + 1]
        return found

    @property
    def lead(self) -> float:
        """Mean margin by which Black leads, komi included."""
        return float(self.owners.sum()) - self._komi


def expected_owners(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> NDArray[np.float64]:
    """Return, by point of the padded board, +1 for always Black's to -1 for always White's. Needs no seed."""
    counts = OwnerCounts(position, policy)
    counts.add(playouts)
    return counts.owners


def dead_stones(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> list[int]:
    """Return the stones of chains whose points mostly belong to the opponent at the end of playouts."""
    owners = expected_owners(position, policy, playouts)
    state = position.states[0]
    dead: list[int] = []
    for chain in {int(c) for c in state["chain"] if c}:
        stones = np.flatnonzero(state["chain"] == chain)
        side = 1.0 if state["color"][chain] == BLACK else -1.0
        if side * float(owners[stones].mean()) < 2 * ALIVE - 1:
            dead += [int(p) for p in stones]
    return sorted(dead)

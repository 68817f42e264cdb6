"""Pattern matching at many points at once, in numpy. It serves samples of positions; searches match in kernels.

Boards are two-dimensional arrays: 0 is empty, 1 and 2 are the players' stones, 3 is off the board. The kernels use the
same numbers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.patterns.pattern import Cell, Pattern

OWN, OTHER, EMPTY, OFF_BOARD = 1, 2, 4, 8
ALLOWED = {
    Cell.ANY: OWN | OTHER | EMPTY | OFF_BOARD,
    Cell.BLACK: OWN,
    Cell.WHITE: OTHER,
    Cell.STONE: OWN | OTHER,
    Cell.EMPTY: EMPTY,
    Cell.OFF_BOARD: OFF_BOARD,
}
"""The contents that each kind of cell allows, as bits."""

_SEEN_BY = {1: (EMPTY, OWN, OTHER, OFF_BOARD), 2: (EMPTY, OTHER, OWN, OFF_BOARD)}
Board = NDArray[np.uint8]


class PatternMatcher:
    """Matches patterns against the cells up to ``radius`` around points of any number of boards."""

    def __init__(self, radius: int) -> None:
        self.radius = radius
        self._parts: list[NDArray[np.uint8]] = []  # shape (side, side, points)
        self._all: NDArray[np.uint8] | None = None
        self.n_points = 0

    def add(self, board: Board, mover: int, points: Sequence[tuple[int, int]]) -> None:
        """Add points (row, column) of a board. ``mover`` is the player to move, 1 or 2."""
        seen = np.pad(np.array(_SEEN_BY[mover], np.uint8)[board], self.radius, constant_values=OFF_BOARD)
        side = 2 * self.radius + 1
        windows = np.lib.stride_tricks.sliding_window_view(seen, (side, side))
        rows, columns = (np.array([p[i] for p in points], np.intp) for i in (0, 1))
        self._parts.append(np.moveaxis(windows[rows, columns], 0, 2))
        self._all = None
        self.n_points += len(points)

    def matches(self, pattern: Pattern, among: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return, for each point in the order of ``add``, whether the pattern matches it in any symmetry.

        With ``among``, points outside it are not looked at and do not match.
        """
        r = self.radius
        if pattern.radius > r:
            raise ConfigError(f"pattern {pattern.text!r} reaches farther than {r} steps")
        if self._all is None:
            empty = np.zeros((2 * r + 1, 2 * r + 1, 0), np.uint8)
            self._all = np.ascontiguousarray(np.concatenate([empty, *self._parts], axis=2))
            self._parts = [self._all]
        here = slice(None) if among is None else np.flatnonzero(among)
        found = np.zeros(self.n_points, np.bool_)
        for cells in pattern.variants:
            fits = np.ones(len(found[here]), np.bool_)
            for (dx, dy), cell in cells:
                fits &= (self._all[r + dy, r + dx][here] & ALLOWED[cell]) != 0
            found[here] |= fits
        return found

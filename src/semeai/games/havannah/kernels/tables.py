"""Facts about a stone by its six neighbours, for all 64 sets of own neighbours.

A hexagon of base n lies in a square: cell (x, y) with 0 <= x, y < 2n - 1 and |x - y| < n. Its neighbours in clockwise
order are those of ``DIRECTIONS``; a set of them is six bits, the first direction lowest.
"""

import numpy as np
from numpy.typing import NDArray

EMPTY, WHITE, BLACK, BORDER = 0, 1, 2, 3

MIN_BASE, MAX_BASE = 2, 10
DIRECTIONS = ((-1, -1), (0, -1), (1, 0), (1, 1), (0, 1), (-1, 0))

# How a game was won, as bits: one stone can do several at once.
RING, BRIDGE, FORK = 1, 2, 4
KINDS = {RING: "ring", BRIDGE: "bridge", FORK: "fork"}

# Bits of RUNS[own]: the number of runs, then three bits for where each of the three begins.
FIRST_RUN, SECOND_RUN, THIRD_RUN = 2, 5, 8

NO_DIRECTION = 6
SIDE_BITS = 6
"""What a group touches: six bits for the sides, and above them six for the corners."""


def _is_own(own: int, k: int) -> bool:
    return bool(own >> k % 6 & 1)


def _make_runs() -> NDArray[np.uint16]:
    """Return, by own neighbours, the number of their circular runs and the first direction of each run."""
    table = np.zeros(64, np.uint16)
    for own in range(64):
        starts = [k for k in range(6) if _is_own(own, k) and not _is_own(own, k + 5)]
        if own == 63:
            starts = [0]
        packed = sum(k << shift for k, shift in zip(starts, (FIRST_RUN, SECOND_RUN, THIRD_RUN), strict=False))
        table[own] = len(starts) | packed
    return table


def _make_middles() -> NDArray[np.uint8]:
    """Return, by own neighbours, those whose two neighbours in the circle are own as well."""
    return np.array(
        [
            sum(1 << k for k in range(6) if _is_own(own, k + 5) and _is_own(own, k) and _is_own(own, k + 1))
            for own in range(64)
        ],
        np.uint8,
    )


def _make_between() -> NDArray[np.uint8]:
    """Return, by own neighbours, the directions between two of them, themselves own or not."""
    return np.array(
        [sum(1 << k for k in range(6) if _is_own(own, k + 5) and _is_own(own, k + 1)) for own in range(64)], np.uint8
    )


def _make_missing() -> NDArray[np.uint8]:
    """Return, by own neighbours, the only direction that is not own, or NO_DIRECTION."""
    table = np.full(64, NO_DIRECTION, np.uint8)
    for k in range(6):
        table[63 ^ 1 << k] = k
    return table


def _make_bits() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return, by set of directions, their number and the directions themselves as a list."""
    rows = [[k for k in range(6) if s >> k & 1] for s in range(64)]
    return np.array([len(r) for r in rows], np.uint8), np.array([r + [0] * (6 - len(r)) for r in rows], np.uint8)


RUNS = _make_runs()
MIDDLES = _make_middles()
BETWEEN = _make_between()
MISSING = _make_missing()
COUNT, LISTED = _make_bits()


def is_cell(base: int, x: int, y: int) -> bool:
    return 0 <= x < 2 * base - 1 and 0 <= y < 2 * base - 1 and abs(x - y) < base


def cells(base: int) -> list[tuple[int, int]]:
    """Return all (x, y) of a board, row by row."""
    return [(x, y) for y in range(2 * base - 1) for x in range(2 * base - 1) if is_cell(base, x, y)]


def touches(base: int, x: int, y: int) -> int:
    """Return the corner or side that a cell belongs to, as bits; a corner belongs to no side."""
    top = 2 * base - 2
    corners = [(0, 0), (base - 1, 0), (top, base - 1), (top, top), (base - 1, top), (0, base - 1)]
    if (x, y) in corners:
        return 1 << SIDE_BITS + corners.index((x, y))
    sides = [y == 0, x - y == base - 1, x == top, y == top, y - x == base - 1, x == 0]
    return sum(1 << i for i, is_on in enumerate(sides) if is_on)


def n_cells(base: int) -> int:
    return 3 * base * base - 3 * base + 1

"""Small boards of Havannah in 64-bit words, for proofs: a set of cells is a word, and its neighbours are six shifts.

Cell (x, y) is bit ``8 y + x``. Up to base 4 the last bit of a row is no cell, so nothing is shifted into the next row.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.havannah.kernels.tables import DIRECTIONS, MIDDLES, RUNS, SIDE_BITS, cells, touches
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

MAX_BITBOARD_BASE = 4
MAX_GROUPS = 19  # stones of one colour on 37 cells
STRIDE = 8
SYMMETRIES = 12
NO_CELLS = np.uint64(0)
BLACK_MOVES = np.uint64(1 << 60)
"""Bit in the key of a position: it is Black's turn."""
_X, _Y, _XY = np.uint64(1), np.uint64(STRIDE), np.uint64(STRIDE + 1)
_ONE = np.uint64(1)
_RING_STONES = 6
_SHIFTS = np.array([STRIDE * y + x for x, y in DIRECTIONS])

BITBOARD = np.dtype(
    [
        ("cells", np.uint64),
        ("edge", np.uint64),  # sides and corners
        ("corners", np.uint64, 6),
        ("sides", np.uint64, 6),
        ("turned", np.uint8, (SYMMETRIES, 64)),  # where a symmetry takes a bit
        ("keys", np.uint64, (2, 64, SYMMETRIES)),  # what a stone adds to a key, by colour, bit and symmetry
    ],
    align=True,
)
GROUPS = np.dtype(
    [
        ("n", np.int64),
        ("stones", np.uint64, MAX_GROUPS),
        ("beside", np.uint64, MAX_GROUPS),  # their neighbours
        # By corner or side: where a stone of one's own is connected with it.
        ("to_corner", np.uint64, 6),
        ("to_side", np.uint64, 6),
    ],
    align=True,
)
"""The groups of one colour."""
Cells = np.uint64
"""A set of cells."""

MAY_CLOSE = (RUNS & 3 >= 2) | (MIDDLES != 0)
"""By own neighbours: whether a stone may close a ring, by joining two runs or as the last around an own stone."""


def make_bitboard(base: int) -> NDArray[Any]:
    """Return one record of ``BITBOARD``.

    A key is a number in base three, one digit per cell: 37 digits need 59 bits, so no two positions have the same key.
    The bit ``BLACK_MOVES`` changes with every stone.
    """
    boards = np.zeros(1, BITBOARD)
    board = boards[0]
    digit_of = {STRIDE * y + x: 3**i for i, (x, y) in enumerate(cells(base))}
    for x, y in cells(base):
        bit = STRIDE * y + x
        cell = _ONE << np.uint64(bit)
        board["cells"] |= cell
        for k in range(6):
            board["sides"][k] |= cell if touches(base, x, y) >> k & 1 else NO_CELLS
            board["corners"][k] |= cell if touches(base, x, y) >> (SIDE_BITS + k) & 1 else NO_CELLS
        for s in range(SYMMETRIES):
            turned = _turned(base, x, y, s)
            board["turned"][s, bit] = turned
            board["keys"][0, bit, s] = digit_of[turned] + int(BLACK_MOVES)
            board["keys"][1, bit, s] = 2 * digit_of[turned] - int(BLACK_MOVES) + (1 << 64)
    board["edge"] = np.bitwise_or.reduce(board["sides"]) | np.bitwise_or.reduce(board["corners"])
    return boards


def _turned(base: int, x: int, y: int, symmetry: int) -> int:
    """Return the bit that (x, y) becomes: mirrored or not, then turned by 60 degrees up to five times."""
    u, v = x - base + 1, y - base + 1
    if symmetry >= 6:
        u, v = v, u
    for _ in range(symmetry % 6):
        u, v = u - v, u
    return STRIDE * (v + base - 1) + u + base - 1


@inlined
def around(cells: Cells) -> Cells:
    """Return the neighbours of all ``cells``, and bits that are no cells."""
    return (cells << _X) | (cells >> _X) | (cells << _Y) | (cells >> _Y) | (cells << _XY) | (cells >> _XY)


@inlined
def connected(start: Cells, within: Cells) -> Cells:
    """Return the cells of ``within`` that are connected with ``start``."""
    found = start & within
    while True:
        more = (found | around(found)) & within
        if more == found:
            return found
        found = more


@inlined
def count(cells: Cells) -> int:
    """Return the number of cells."""
    n = cells - ((cells >> np.uint64(1)) & np.uint64(0x5555555555555555))
    n = (n & np.uint64(0x3333333333333333)) + ((n >> np.uint64(2)) & np.uint64(0x3333333333333333))
    n = (n + (n >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((n * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def first_of(cells: Cells) -> Cells:
    """Return a set of one of the cells."""
    return cells & (~cells + _ONE)


@inlined
def are_several(cells: Cells) -> bool:
    return cells & (cells - _ONE) != NO_CELLS


@inlined
def index_of(cell: Cells) -> int:
    """Return the bit of a set of one cell."""
    return count(cell - _ONE)


@inlined
def _own_around(own: Cells, bit: int) -> int:
    """Return the own neighbours of a cell, as six bits in the order of ``DIRECTIONS``."""
    found = 0
    for k in range(6):
        q = bit + _SHIFTS[k]
        if q >= 0 and own >> np.uint64(q) & _ONE:
            found |= 1 << k
    return found


@inlined
def _is_ring(board: Record, group: Cells) -> bool:
    """Return whether a group encloses a cell, empty or not."""
    middles = (group << _X) & (group >> _X) & (group << _Y) & (group >> _Y) & (group << _XY) & (group >> _XY)
    if middles & board.cells:
        return True
    others = board.cells & ~group
    return connected(board.edge, others) != others


@inlined
def _beside_two(own: Cells) -> Cells:
    """Return the cells with two or more own neighbours."""
    one = own << _X
    two = NO_CELLS
    for beside in (own >> _X, own << _Y, own >> _Y, own << _XY, own >> _XY):
        two |= one & beside
        one |= beside
    return two


@inlined
def _closing_cells(board: Record, own: Cells, among: Cells) -> Cells:
    """Return the cells of ``among`` that close a ring of ``own``."""
    found = NO_CELLS
    if count(own) + 1 < _RING_STONES:
        return found
    left = _beside_two(own) & among
    while left:
        cell = first_of(left)
        left ^= cell
        if MAY_CLOSE[_own_around(own, index_of(cell))] and _is_ring(board, connected(cell, own | cell)):
            found |= cell
    return found


@kernel
def winning_cells(board: Record, own: Cells, empty: Cells) -> Cells:
    """Return the cells where the player with the stones ``own`` wins; the player has not won yet."""
    one = two = three = NO_CELLS
    for k in range(6):
        corner = board.corners[k]
        reach = (around(connected(corner, own)) if own & corner else corner) & empty
        two |= one & reach
        one |= reach
    wins = two
    one = two = NO_CELLS
    for k in range(6):
        side = board.sides[k]
        reach = (side | around(connected(side, own)) if own & side else side) & empty
        three |= two & reach
        two |= one & reach
        one |= reach
    wins |= three
    return wins | _closing_cells(board, own, empty & ~wins)


@kernel
def list_groups(board: Record, groups: Record, own: Cells) -> None:
    """Write the groups of ``own`` into ``groups``."""
    groups.n = 0
    for k in range(6):
        groups.to_corner[k] = board.corners[k]
        groups.to_side[k] = board.sides[k]
    left = own
    while left:
        stones = connected(first_of(left), left)
        left ^= stones
        beside = around(stones)
        groups.stones[groups.n] = stones
        groups.beside[groups.n] = beside
        groups.n += 1
        if stones & board.edge:
            for k in range(6):
                if stones & board.corners[k]:
                    groups.to_corner[k] |= beside
                if stones & board.sides[k]:
                    groups.to_side[k] |= beside


@kernel
def winning_cells_after(board: Record, groups: Record, own: Cells, cell: Cells, empty: Cells) -> Cells:
    """Return ``winning_cells`` after an own stone on ``cell``, if there were none before; ``groups`` belong to ``own``.

    The winning stone is beside the group that ``cell`` makes, so only that group counts: several times as fast.
    """
    group = cell
    for i in range(groups.n):
        if groups.beside[i] & cell:
            group |= groups.stones[i]
    beside = around(group) & empty
    wins = NO_CELLS
    if group & board.edge:
        corners = one = two = NO_CELLS
        n_corners = n_sides = 0
        for k in range(6):
            if group & board.corners[k]:
                n_corners += 1
            else:
                corners |= groups.to_corner[k]
            if group & board.sides[k]:
                n_sides += 1
            else:
                two |= one & groups.to_side[k]
                one |= groups.to_side[k]
        if n_corners == 1:
            wins |= corners & beside
        if n_sides == 2:
            wins |= one & beside
        elif n_sides == 1:
            wins |= two & beside
    return wins | _closing_cells(board, own | cell, beside & ~wins)

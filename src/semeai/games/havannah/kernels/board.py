"""The rules of Havannah on one record: groups by union-find, and a win test that costs the same whatever the groups.

Cell (x, y) of a board of base n lies at ``(y + 1) * 2n + x + 1``, and a border of one cell closes it on all sides.
Arrays are as long as the largest board needs, so that one compilation serves all bases; only the first ``points``
entries are used.

A stone closes a ring if two of the runs of own stones around it belong to one group, or if it is the last of the six
around an own stone. It makes a bridge or a fork if the groups around it touch enough corners or sides together. So a
cell's ``code`` and the roots of at most three groups say whether it wins.
"""

from typing import Any

import numpy as np

from semeai.games.havannah.kernels.tables import (
    BORDER,
    BRIDGE,
    COUNT,
    DIRECTIONS,
    EMPTY,
    FIRST_RUN,
    FORK,
    LISTED,
    MAX_BASE,
    MIDDLES,
    RING,
    RUNS,
    SECOND_RUN,
    SIDE_BITS,
    THIRD_RUN,
    WHITE,
    n_cells,
)
from semeai.jit import inlined, kernel

MAX_POINTS = (2 * MAX_BASE + 1) * 2 * MAX_BASE + 2
MAX_CELLS = n_cells(MAX_BASE)
SWAP = 0
"""The move by which the second player takes over the first stone."""

# Bits of `code`: six for White's neighbours, six for Black's, six for the border's, and two for cells that win.
OFF_BOARD = 12
WINS = 18

HAVANNAH_STATE = np.dtype(
    [
        ("code", np.uint32, MAX_POINTS),
        ("parent", np.uint16, MAX_POINTS),  # of the union-find; an empty cell is a group of its own
        ("stones", np.uint16, MAX_POINTS),  # by root
        ("touches", np.uint16, MAX_POINTS),  # by root: sides and corners, see tables.touches
        ("next", np.uint16, MAX_POINTS),  # the group's cells in a circle
        ("slot", np.uint16, MAX_POINTS),  # where an empty cell is in `empties`
        ("empties", np.uint16, MAX_CELLS),
        ("wins", np.uint16, (2, MAX_CELLS)),  # cells where White, or Black, would win
        ("n_wins", np.int64, 2),
        ("color", np.uint8, MAX_POINTS),
        ("base", np.int64),
        ("stride", np.int64),
        ("points", np.int64),
        ("n_empty", np.int64),
        ("n_moves", np.int64),
        ("last", np.int64),
        ("last_but_one", np.int64),
        ("to_move", np.int64),  # WHITE or BLACK
        ("winner", np.int64),  # or EMPTY
        ("kind", np.int64),  # of the win: RING | BRIDGE | FORK
        ("swap", np.int64),  # 1: the second player may take over the first stone
    ],
    align=True,
)

State = Any
"""A record of ``HAVANNAH_STATE``, as kernels see it."""


STEPS = np.array([[y * 2 * base + x for x, y in DIRECTIONS] for base in range(MAX_BASE + 1)], np.int64)
"""By base: the offset of the neighbour in each direction."""


@inlined
def step(k: int, w: int) -> int:
    """Return the offset of the neighbour in direction ``k`` on a board of stride ``w``."""
    return STEPS[np.uint64(w >> 1), np.uint64(k)]


@kernel
def reset(state: State, base: int, swap: int) -> None:
    """Make the board empty, with White to move."""
    w = 2 * base
    state.base = base
    state.stride = w
    state.points = (w + 1) * w + 1
    state.swap = swap
    for p in range(MAX_POINTS):
        state.code[p] = 0
        state.parent[p] = p
        state.stones[p] = 1
        state.touches[p] = 0
        state.next[p] = p
        state.slot[p] = 0
        state.color[p] = BORDER
    n = 0
    for y in range(w - 1):
        for x in range(max(0, y - base + 1), min(w - 1, y + base)):
            p = (y + 1) * w + x + 1
            state.color[p] = EMPTY
            state.touches[p] = _touches(base, x, y)
            state.slot[p] = n
            state.empties[n] = p
            n += 1
    for i in range(n):
        p = np.int64(state.empties[i])
        for k in range(6):
            if state.color[p + step(k, w)] == BORDER:
                state.code[p] |= np.uint32(1 << (OFF_BOARD + k))
    state.n_empty = n
    state.n_wins[0] = 0
    state.n_wins[1] = 0
    state.n_moves = 0
    state.last = 0
    state.last_but_one = 0
    state.to_move = WHITE
    state.winner = EMPTY
    state.kind = 0


@kernel
def _touches(base: int, x: int, y: int) -> int:
    """Compute ``tables.touches`` inside kernels."""
    top = 2 * base - 2
    sides = np.int64(y == 0) | (x - y == base - 1) << 1 | (x == top) << 2
    sides |= (y == top) << 3 | (y - x == base - 1) << 4 | (x == 0) << 5
    for i in range(6):  # a corner lies on two sides, and the later one names it
        both = 1 << i | 1 << ((i + 5) % 6)
        if sides == both:
            return 1 << (SIDE_BITS + i)
    return sides


@kernel
def copy_board(target: State, source: State) -> None:
    """Copy the part of the record that a board of this base uses."""
    n = source.points
    for p in range(n):
        target.code[p] = source.code[p]
    for p in range(n):
        target.parent[p] = source.parent[p]
    for p in range(n):
        target.stones[p] = source.stones[p]
    for p in range(n):
        target.touches[p] = source.touches[p]
    for p in range(n):
        target.next[p] = source.next[p]
    for p in range(n):
        target.slot[p] = source.slot[p]
    for p in range(n):
        target.color[p] = source.color[p]
    for i in range(source.n_empty):
        target.empties[i] = source.empties[i]
    for c in range(2):
        target.n_wins[c] = source.n_wins[c]
        for i in range(source.n_wins[c]):
            target.wins[c, i] = source.wins[c, i]
    target.base = source.base
    target.stride = source.stride
    target.points = n
    target.n_empty = source.n_empty
    target.n_moves = source.n_moves
    target.last = source.last
    target.last_but_one = source.last_but_one
    target.to_move = source.to_move
    target.winner = source.winner
    target.kind = source.kind
    target.swap = source.swap


@inlined
def own_around(state: State, p: int, color: int) -> int:
    """Return the neighbours of ``p`` that are ``color``, as six bits."""
    return np.int64(state.code[np.uint64(p)]) >> (6 * color - 6) & 63


@inlined
def empty_around(state: State, p: int) -> int:
    """Return the neighbours of ``p`` that are empty, as six bits."""
    code = np.int64(state.code[np.uint64(p)])
    return ~(code | code >> 6 | code >> OFF_BOARD) & 63


@inlined
def find(state: State, p: int) -> int:
    """Return the root of the group at ``p``; paths are halved on the way."""
    parent = state.parent
    q = np.int64(parent[np.uint64(p)])
    while q != p:
        up = parent[np.uint64(q)]
        parent[np.uint64(p)] = up
        p = np.int64(up)
        q = np.int64(parent[np.uint64(p)])
    return p


@inlined
def goals(touched: int) -> int:
    """Return BRIDGE for two corners, FORK for three sides."""
    corners = touched >> SIDE_BITS
    sides = touched & 63
    two_sides = sides & (sides - 1)
    kind = BRIDGE if corners & (corners - 1) else 0
    return kind | (FORK if two_sides & (two_sides - 1) else 0)


@inlined
def fills_ring(state: State, p: int, color: int, own: int, w: int) -> bool:
    """Return whether ``p`` is the last of the six stones around an own stone."""
    middles = np.int64(MIDDLES[np.uint64(own)])
    if middles:
        for i in range(np.int64(COUNT[np.uint64(middles)])):
            k = np.int64(LISTED[np.uint64(middles), np.uint64(i)])
            if own_around(state, p + step(k, w), color) | 1 << (k + 3 if k < 3 else k - 3) == 63:
                return True
    return False


@inlined
def kind_of_win(state: State, p: int, color: int) -> int:
    """Return what ``color`` would complete by playing the empty cell ``p``: RING | BRIDGE | FORK, or 0."""
    own = own_around(state, p, color)
    if own == 0:
        return 0
    w = state.stride
    runs = np.int64(RUNS[np.uint64(own)])
    n = runs & 3
    a = find(state, p + step(runs >> FIRST_RUN & 7, w))
    touched = np.int64(state.touches[np.uint64(p)]) | np.int64(state.touches[np.uint64(a)])
    kind = 0
    if n > 1:
        b = find(state, p + step(runs >> SECOND_RUN & 7, w))
        touched |= np.int64(state.touches[np.uint64(b)])
        if a == b:
            kind = RING
        if n > 2:
            c = find(state, p + step(runs >> THIRD_RUN & 7, w))
            touched |= np.int64(state.touches[np.uint64(c)])
            if a == c or b == c:
                kind = RING
    if fills_ring(state, p, color, own, w):
        kind = RING
    return kind | goals(touched)


@inlined
def mark_neighbours(state: State, p: int, color: int, w: int) -> None:
    """Add the stone at ``p`` to the codes of its neighbours, or remove it."""
    code = state.code
    bit = np.uint32(1 << (6 * color - 6))
    code[np.uint64(p - w - 1)] ^= bit << np.uint32(3)
    code[np.uint64(p - w)] ^= bit << np.uint32(4)
    code[np.uint64(p + 1)] ^= bit << np.uint32(5)
    code[np.uint64(p + w + 1)] ^= bit
    code[np.uint64(p + w)] ^= bit << np.uint32(1)
    code[np.uint64(p - 1)] ^= bit << np.uint32(2)


@inlined
def _join(state: State, a: int, b: int) -> int:
    """Unite two roots, the smaller below the larger. Returns the root that remains."""
    if state.stones[np.uint64(a)] < state.stones[np.uint64(b)]:
        a, b = b, a
    state.parent[np.uint64(b)] = a
    state.stones[np.uint64(a)] += state.stones[np.uint64(b)]
    state.touches[np.uint64(a)] |= state.touches[np.uint64(b)]
    return a


@inlined
def unite(state: State, p: int, color: int, own: int, n: int, a: int, b: int, c: int) -> int:
    """Put a stone on the empty cell ``p`` beside ``n`` groups with roots a, b, c. Returns the kind of win, or 0.

    After a ring the groups are not united.
    """
    w = state.stride
    state.color[np.uint64(p)] = color
    mark_neighbours(state, p, color, w)
    if n == 0:
        return 0
    if n == 1:
        # The commonest case: the stone joins one group, which is at least as large.
        touched = state.touches[np.uint64(a)] | state.touches[np.uint64(p)]
        state.parent[np.uint64(p)] = a
        state.stones[np.uint64(a)] += np.uint16(1)
        state.touches[np.uint64(a)] = touched
    else:
        if a == b or a == c or b == c:
            touched = state.touches[np.uint64(p)] | state.touches[np.uint64(a)] | state.touches[np.uint64(b)]
            if n == 3:
                touched |= state.touches[np.uint64(c)]
            return RING | goals(np.int64(touched))
        a = _join(state, _join(state, a, p), b)
        if n == 3:
            a = _join(state, a, c)
        touched = state.touches[np.uint64(a)]
    kind = RING if fills_ring(state, p, color, own, w) else 0
    return kind | goals(np.int64(touched))


@inlined
def put_stone(state: State, p: int, color: int) -> int:
    """Put a stone on the empty cell ``p``. Returns the kind of win, or 0. The caller updates the lists of cells."""
    own = own_around(state, p, color)
    runs = np.int64(RUNS[np.uint64(own)])
    n, w = runs & 3, state.stride
    a = find(state, p + step(runs >> FIRST_RUN & 7, w)) if n > 0 else 0
    b = find(state, p + step(runs >> SECOND_RUN & 7, w)) if n > 1 else 0
    c = find(state, p + step(runs >> THIRD_RUN & 7, w)) if n > 2 else 0
    return unite(state, p, color, own, n, a, b, c)

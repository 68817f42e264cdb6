"""The rules of Go on one record: chains with pseudo-liberties, incremental 3x3 codes, simple ko, no suicide.

A board of size N lies in one dimension with stride N + 1: point (row, column) from the top left is
``(row + 1) * stride + column + 1``, and a border of one point closes it on all sides. Arrays are as long as the
largest board needs, so that one compilation serves all sizes; only the first ``points`` entries are used.

The liberties of a chain are kept as one 64-bit word: how often a liberty touches the chain, the sum of their
points and the sum of their squares (12, 20 and 32 bits). The variance of the liberties is zero just when they are
one and the same point, so atari and the last liberty cost O(1), and so does the liberty word of a chain that a move
would make.
"""

from typing import Any

import numpy as np

from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, EYE, HAS_LIBERTY, OPEN, OWNER, SIDES, TRAITS, WHITE
from semeai.jit import inlined, kernel
from semeai.rng_kernels import below

MIN_SIZE, MAX_SIZE = 2, 25
MAX_POINTS = (MAX_SIZE + 2) * (MAX_SIZE + 1) + 2
PASS = 0

GO_STATE = np.dtype(
    [
        ("liberties", np.uint64, MAX_POINTS),  # by chain; [0] takes what is subtracted at empty points and the border
        ("chain", np.uint16, MAX_POINTS),  # one of the chain's points, 0 where there is no stone
        ("next", np.uint16, MAX_POINTS),  # the chain's points in a circle
        ("stones", np.uint16, MAX_POINTS),  # by chain
        ("code", np.uint16, MAX_POINTS),  # the 3x3 neighbourhood, see tables
        ("slot", np.uint16, MAX_POINTS),  # where an empty point is in `empties`
        ("empties", np.uint16, MAX_SIZE * MAX_SIZE),
        ("color", np.uint8, MAX_POINTS),
        ("size", np.int64),
        ("stride", np.int64),
        ("points", np.int64),
        ("n_empty", np.int64),
        ("ko", np.int64),  # the point that may not be retaken, or 0
        ("last", np.int64),
        ("last_but_one", np.int64),
        ("difference", np.int64),  # black stones minus white stones
        ("passes", np.int64),
        ("to_move", np.int64),  # BLACK or WHITE
        ("komi", np.float64),
    ],
    align=True,
)

State = Any
"""A record of ``GO_STATE``, as kernels see it."""

_12, _32 = np.uint64(12), np.uint64(32)
_COUNT, _SUM = np.uint64(0xFFF), np.uint64(0xFFFFF)
_ONE = np.uint64(1)


@kernel
def reset(state: State, size: int, komi: float) -> None:
    """Make the board empty, with Black to move."""
    w = size + 1
    state.size = size
    state.stride = w
    state.points = (size + 2) * w + 1
    state.komi = komi
    for p in range(MAX_POINTS):
        state.liberties[p] = 0
        state.chain[p] = 0
        state.next[p] = 0
        state.stones[p] = 0
        state.code[p] = 0
        state.slot[p] = 0
        state.color[p] = BORDER
    n = 0
    for row in range(size):
        for column in range(size):
            p = (row + 1) * w + column + 1
            state.color[p] = EMPTY
            state.slot[p] = n
            state.empties[n] = p
            n += 1
    for i in range(n):
        p = np.int64(state.empties[i])
        neighbours = (p - w, p - 1, p + 1, p + w, p - w - 1, p - w + 1, p + w - 1, p + w + 1)
        code = 0
        for k in range(8):
            code |= np.int64(state.color[neighbours[k]]) << (2 * k)
        state.code[p] = code
    state.n_empty = n
    state.ko = 0
    state.last = PASS
    state.last_but_one = PASS
    state.difference = 0
    state.passes = 0
    state.to_move = BLACK


@kernel
def copy_board(target: State, source: State) -> None:
    """Copy the part of the record that a board of this size uses: a seventh on 9x9."""
    n = source.points
    for p in range(n):
        target.liberties[p] = source.liberties[p]
    for p in range(n):
        target.chain[p] = source.chain[p]
    for p in range(n):
        target.next[p] = source.next[p]
    for p in range(n):
        target.stones[p] = source.stones[p]
    for p in range(n):
        target.code[p] = source.code[p]
    for p in range(n):
        target.slot[p] = source.slot[p]
    for p in range(n):
        target.color[p] = source.color[p]
    for i in range(source.n_empty):
        target.empties[i] = source.empties[i]
    target.size = source.size
    target.stride = source.stride
    target.points = n
    target.n_empty = source.n_empty
    target.ko = source.ko
    target.last = source.last
    target.last_but_one = source.last_but_one
    target.difference = source.difference
    target.passes = source.passes
    target.to_move = source.to_move
    target.komi = source.komi


@inlined
def pack(p: int) -> np.uint64:
    """Return the liberty word of the single liberty ``p``."""
    x = np.uint64(p)
    return _ONE | x << _12 | (x * x) << _32


@inlined
def in_atari(word: np.uint64) -> bool:
    """Return whether there is one liberty, or none (only inside ``play``): count * squares == sum ** 2."""
    total = word >> _12 & _SUM
    return (word & _COUNT) * (word >> _32) == total * total


@inlined
def only_liberty(word: np.uint64) -> int:
    """Return the liberty of a chain in atari."""
    return np.int64(np.uint32(word >> _12 & _SUM) // np.uint32(word & _COUNT))


@inlined
def word_at(state: State, p: int) -> np.uint64:
    """Return the liberty word of the chain at ``p``."""
    return state.liberties[np.uint64(state.chain[np.uint64(p)])]


@inlined
def color_at(state: State, p: int) -> int:
    return np.int64(state.color[np.uint64(p)])


@inlined
def traits_at(state: State, p: int) -> int:
    return np.int64(TRAITS[np.uint64(state.code[np.uint64(p)])])


@inlined
def _helps(state: State, neighbour: int, color: int) -> bool:
    """Return whether a stone beside the point makes it legal: a friend with another liberty, or an enemy in atari."""
    c = color_at(state, neighbour)
    return c != BORDER and (c == color) != in_atari(word_at(state, neighbour))


@inlined
def legal_without_liberty(state: State, p: int, color: int, w: int) -> bool:
    """Return whether an empty point without empty neighbours is legal; ``w`` is the stride."""
    if p == state.ko:
        return False
    return (
        _helps(state, p - w, color)
        or _helps(state, p - 1, color)
        or _helps(state, p + 1, color)
        or _helps(state, p + w, color)
    )


@kernel
def is_legal(state: State, p: int, color: int) -> bool:
    """Return whether ``color`` may play on the empty point ``p``; superko is checked by ``GoPosition``."""
    return (traits_at(state, p) & HAS_LIBERTY) != 0 or legal_without_liberty(state, p, color, state.stride)


@inlined
def is_playable(state: State, p: int, color: int, w: int) -> bool:
    """Return whether a move is legal and does not fill the player's own eye; ``w`` is the stride."""
    traits = traits_at(state, p)
    if traits & HAS_LIBERTY:
        return True
    if traits & (EYE * color):
        return False
    return legal_without_liberty(state, p, color, w)


@inlined
def _toggle_code(state: State, p: int, color: int, w: int) -> None:
    """Add a stone to the codes of the eight neighbours, or remove it."""
    code = state.code
    code[np.uint64(p + w)] ^= np.uint16(color)
    code[np.uint64(p + 1)] ^= np.uint16(color << 2)
    code[np.uint64(p - 1)] ^= np.uint16(color << 4)
    code[np.uint64(p - w)] ^= np.uint16(color << 6)
    code[np.uint64(p + w + 1)] ^= np.uint16(color << 8)
    code[np.uint64(p + w - 1)] ^= np.uint16(color << 10)
    code[np.uint64(p - w + 1)] ^= np.uint16(color << 12)
    code[np.uint64(p - w - 1)] ^= np.uint16(color << 14)


@inlined
def _change_liberties(state: State, p: int, word: np.uint64, w: int) -> None:
    """Add ``word`` to the four chains beside ``p``. All names are read before the first store, which is faster."""
    c0 = np.uint64(state.chain[np.uint64(p - w)])
    c1 = np.uint64(state.chain[np.uint64(p - 1)])
    c2 = np.uint64(state.chain[np.uint64(p + 1)])
    c3 = np.uint64(state.chain[np.uint64(p + w)])
    state.liberties[c0] += word
    state.liberties[c1] += word
    state.liberties[c2] += word
    state.liberties[c3] += word


@inlined
def _merge(state: State, neighbour: int, own: int) -> int:
    """Join the chain of ``neighbour`` with the chain ``own``, the smaller into the larger. Returns the name kept."""
    a = np.int64(state.chain[np.uint64(neighbour)])
    if a == own:
        return own
    b = own
    if state.stones[np.uint64(a)] < state.stones[np.uint64(b)]:
        a, b = b, a
    state.liberties[np.uint64(a)] += state.liberties[np.uint64(b)]
    state.stones[np.uint64(a)] += state.stones[np.uint64(b)]
    q = b
    while True:
        state.chain[np.uint64(q)] = a
        q = np.int64(state.next[np.uint64(q)])
        if q == b:
            break
    after = state.next[np.uint64(a)]
    state.next[np.uint64(a)] = state.next[np.uint64(b)]
    state.next[np.uint64(b)] = after
    return a


@kernel
def _remove_chain(state: State, start: int, w: int) -> int:
    """Remove a captured chain. Returns the number of its stones."""
    color = color_at(state, start)
    empty = state.n_empty
    n = 0
    q = start
    while True:
        state.color[np.uint64(q)] = EMPTY
        state.chain[np.uint64(q)] = 0
        _toggle_code(state, q, color, w)
        state.slot[np.uint64(q)] = empty + n
        state.empties[np.uint64(empty + n)] = q
        n += 1
        _change_liberties(state, q, pack(q), w)
        q = np.int64(state.next[np.uint64(q)])
        if q == start:
            state.n_empty = empty + n
            return n


@inlined
def play_point(state: State, p: int, color: int) -> None:
    """Put a stone on a legal point. The four neighbours are unrolled by hand: 5% of a playout."""
    w = state.stride
    slot = state.slot[np.uint64(p)]
    empty = state.n_empty - 1
    state.n_empty = empty
    moved = state.empties[np.uint64(empty)]
    state.empties[np.uint64(slot)] = moved
    state.slot[np.uint64(moved)] = slot
    state.color[np.uint64(p)] = color
    _toggle_code(state, p, color, w)
    n0, n1, n2, n3 = p - w, p - 1, p + 1, p + w
    k0, k1, k2, k3 = color_at(state, n0), color_at(state, n1), color_at(state, n2), color_at(state, n3)
    _change_liberties(state, p, np.uint64(0) - pack(p), w)
    word = np.uint64(0)
    word += pack(n0) if k0 == EMPTY else np.uint64(0)
    word += pack(n1) if k1 == EMPTY else np.uint64(0)
    word += pack(n2) if k2 == EMPTY else np.uint64(0)
    word += pack(n3) if k3 == EMPTY else np.uint64(0)
    state.chain[np.uint64(p)] = p
    state.next[np.uint64(p)] = p
    state.stones[np.uint64(p)] = 1
    state.liberties[np.uint64(p)] = word
    own, enemy = p, 3 - color
    captured, captured_at = 0, 0
    if k0 == color:
        own = _merge(state, n0, own)
    elif k0 == enemy and word_at(state, n0) == 0 and color_at(state, n0) != EMPTY:
        captured += _remove_chain(state, n0, w)
        captured_at = n0
    if k1 == color:
        own = _merge(state, n1, own)
    elif k1 == enemy and word_at(state, n1) == 0 and color_at(state, n1) != EMPTY:
        captured += _remove_chain(state, n1, w)
        captured_at = n1
    if k2 == color:
        own = _merge(state, n2, own)
    elif k2 == enemy and word_at(state, n2) == 0 and color_at(state, n2) != EMPTY:
        captured += _remove_chain(state, n2, w)
        captured_at = n2
    if k3 == color:
        own = _merge(state, n3, own)
    elif k3 == enemy and word_at(state, n3) == 0 and color_at(state, n3) != EMPTY:
        captured += _remove_chain(state, n3, w)
        captured_at = n3
    alone = captured == 1 and state.stones[np.uint64(own)] == 1
    state.ko = captured_at if alone and (state.liberties[np.uint64(own)] & _COUNT) == _ONE else 0
    state.difference += 1 + captured if color == BLACK else -1 - captured
    state.last_but_one = state.last
    state.last = p
    state.passes = 0


@inlined
def play_pass(state: State) -> None:
    state.ko = 0
    state.last_but_one = state.last
    state.last = PASS
    state.passes += 1


@kernel
def play_move(state: State, move: int, color: int) -> None:
    """Play a point or PASS for ``color``; then it is the turn of the other."""
    if move == PASS:
        play_pass(state)
    else:
        play_point(state, move, color)
    state.to_move = 3 - color


@inlined
def set_aside(state: State, p: int, i: int, m: int) -> None:
    """Exchange the empty point ``p``, entry ``i`` of the list, with entry ``m``, so that it is not drawn again."""
    q = state.empties[np.uint64(m)]
    state.empties[np.uint64(m)] = p
    state.slot[np.uint64(p)] = m
    state.empties[np.uint64(i)] = q
    state.slot[np.uint64(q)] = i


@inlined
def random_point(state: State, color: int, rng: Any) -> int:
    """Return a playable point, each with the same probability; PASS if there is none."""
    m = state.n_empty
    w = state.stride
    while m:
        i = below(rng, m)
        p = np.int64(state.empties[np.uint64(i)])
        if is_playable(state, p, color, w):
            return p
        m -= 1
        set_aside(state, p, i, m)
    return PASS


@kernel
def area_margin(state: State) -> int:
    """Return Black's area minus White's (Tromp-Taylor). After a playout nearly all empty points are eyes: O(empty)."""
    margin = state.difference
    is_open = False
    for i in range(state.n_empty):
        p = state.empties[np.uint64(i)]
        owner = np.int64(OWNER[np.uint64(state.code[np.uint64(p)] & np.uint16(0xFF))])
        if owner == OPEN:
            is_open = True
        else:
            margin += owner
    return margin + _open_regions(state) if is_open else margin


@kernel
def _open_regions(state: State) -> int:
    """Return Black's part minus White's part of the regions of two or more empty points.

    ``stones`` and ``next`` are unused at an empty point: here they are the marks and links of a stack.
    """
    w = state.stride
    for i in range(state.n_empty):
        state.stones[np.uint64(state.empties[np.uint64(i)])] = 0
    margin = 0
    for i in range(state.n_empty):
        start = np.int64(state.empties[np.uint64(i)])
        if state.stones[np.uint64(start)] or not traits_at(state, start) & HAS_LIBERTY:
            continue
        state.stones[np.uint64(start)] = 1
        state.next[np.uint64(start)] = 0
        top, size, reached = start, 0, 0
        while top:
            p = top
            top = np.int64(state.next[np.uint64(p)])
            size += 1
            reached |= np.int64(SIDES[np.uint64(state.code[np.uint64(p)] & np.uint16(0xFF))])
            for q in (p - w, p - 1, p + 1, p + w):
                if color_at(state, q) == EMPTY and not state.stones[np.uint64(q)]:
                    state.stones[np.uint64(q)] = 1
                    state.next[np.uint64(q)] = top
                    top = q
        margin += size if reached == BLACK else -size if reached == WHITE else 0
    return margin

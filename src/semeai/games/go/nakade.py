"""Nakade: the point that decides whether a small region becomes two eyes."""

import numpy as np

from semeai.games.go.board import State, color_at, is_legal, traits_at
from semeai.games.go.tables import BLACK, CROWDED, EMPTY, EMPTY_SIDES, HAS_LIBERTY, SIDES, WHITE
from semeai.games.go.tactics import two_liberties
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

_LARGEST_NAKADE = 6


@inlined
def _may_be_nakade(state: State, q: int) -> bool:
    """A quick look: an empty point in a narrow place, but not a region of one point."""
    if color_at(state, q) != EMPTY:
        return False
    return traits_at(state, q) & (CROWDED | HAS_LIBERTY) == CROWDED | HAS_LIBERTY


@inlined
def nakade_move(state: State, last: int, color: int, scratch: Record, w: int) -> int:
    """The vital point of a small closed region beside the last move, or 0."""
    p = 0
    if _may_be_nakade(state, last - w):
        p = vital_point(state, last - w, scratch, w)
    if p == 0 and _may_be_nakade(state, last - 1):
        p = vital_point(state, last - 1, scratch, w)
    if p == 0 and _may_be_nakade(state, last + 1):
        p = vital_point(state, last + 1, scratch, w)
    if p == 0 and _may_be_nakade(state, last + w):
        p = vital_point(state, last + w, scratch, w)
    return p if p and is_legal(state, p, color) else 0


@inlined
def _spread(state: State, q: int, n: int, scratch: Record) -> int:
    """Add an empty point to the region of ``n`` points if it is new."""
    if color_at(state, q) == EMPTY:
        for k in range(n):
            if np.int64(scratch.candidates[np.uint64(k)]) == q:
                return n
        scratch.candidates[np.uint64(n)] = q
        n += 1
    return n


@kernel
def vital_point(state: State, start: int, scratch: Record, w: int) -> int:
    """The middle of a region of three to six empty points that is one eye if its middle is taken, or 0.

    The middle of a three, of the pyramid four, of the bulky and the crossed five, and of the rabbity six.
    """
    scratch.candidates[0] = start
    n, i = 1, 0
    best, best_degree = 0, 0
    sides, edges = 0, 0
    while i < n:
        p = np.int64(scratch.candidates[np.uint64(i)])
        i += 1
        code = np.int64(state.code[np.uint64(p)]) & 0xFF
        sides |= np.int64(SIDES[np.uint64(code)])
        degree = np.int64(EMPTY_SIDES[np.uint64(code)])
        if sides == BLACK + WHITE:
            return 0
        edges += degree
        if degree > best_degree:
            best, best_degree = p, degree
        n = _spread(state, p - w, n, scratch)
        n = _spread(state, p - 1, n, scratch)
        n = _spread(state, p + 1, n, scratch)
        n = _spread(state, p + w, n, scratch)
        if n > _LARGEST_NAKADE:
            return 0
    has_square = edges == 2 * n  # each counted twice: one more than a tree has
    if n == 3 or (n == 4 and best_degree == 3):
        return best
    if n == 5 and (best_degree == 4 or (best_degree == 3 and has_square)):
        return best
    return best if n == 6 and best_degree == 4 and has_square else 0


@kernel
def kills_inside(state: State, p: int, color: int, w: int) -> bool:
    """Whether the self-atari at ``p`` is the way to kill: an enemy chain beside it is left with the same last liberty,
    and once that chain has taken the stones inside, the room they leave makes but one eye.

    The rooms are those of up to three points, the square and the pyramid four, the bulky and the crossed five, and the
    rabbity six; the squares of how many neighbours each of their points has tell them from others.
    """
    n = 1
    last, sides = _look_around(state, p, p, color, w)
    squares = sides * sides
    c0, c1, c2 = np.int64(0), np.int64(0), np.int64(0)
    for side in range(4):
        start = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        if color_at(state, start) != color:
            continue
        chain = np.int64(state.chain[np.uint64(start)])
        if chain == c0 or chain == c1 or chain == c2:
            continue
        c0, c1, c2 = chain, c0, c1
        n += np.int64(state.stones[np.uint64(chain)])
        if n > _LARGEST_NAKADE:
            return False
        q = start
        while True:
            liberty, sides = _look_around(state, q, p, color, w)
            last = max(last, liberty)
            squares += sides * sides
            q = np.int64(state.next[np.uint64(q)])
            if q == start:
                break
    if (
        (n == 4 and squares != 12 and squares != 16)
        or (n == 5 and squares != 20 and squares != 22)
        or (n == 6 and squares != 30)
    ):
        return False
    for side in range(4):
        q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        if color_at(state, q) == 3 - color:
            a, b = two_liberties(state, q, w)
            if a + b == p + last and (a == p or b == p):
                return True
    return False


@inlined
def _look_around(state: State, q: int, p: int, color: int, w: int) -> tuple[int, int]:
    """A liberty of ``q`` other than ``p``, or 0, and how many neighbours have ``color`` once it is played at ``p``."""
    liberty, n = np.int64(0), 0
    for side in range(4):
        r = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
        c = color_at(state, r)
        if r == p or c == color:
            n += 1
        elif c == EMPTY:
            liberty = r
    return liberty, n

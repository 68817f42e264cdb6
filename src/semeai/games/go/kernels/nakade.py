"""Nakade: the point that decides whether a small region becomes two eyes."""

import numpy as np

from semeai.games.go.kernels.board import State, color_at, is_legal, traits_at
from semeai.games.go.kernels.tables import BLACK, BORDER, CROWDED, EMPTY, EMPTY_SIDES, ROOM, SIDES, WHITE
from semeai.games.go.kernels.tactics import two_liberties
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

_LARGEST_NAKADE = 6
_CRAMPED = 3
"""Limit of liberties, each counted once per stone beside it."""


@inlined
def _may_be_nakade(state: State, q: int) -> bool:
    """Return quickly whether ``q`` may be nakade: an empty point in a narrow place, not a region of one point."""
    return color_at(state, q) == EMPTY and traits_at(state, q) & ROOM != 0


@inlined
def nakade_move(state: State, last: int, color: int, scratch: Record, w: int) -> int:
    """Return the point that decides about a small room beside the last move or around it, or 0."""
    p = 0
    if _may_be_nakade(state, last - w):
        p = small_room(state, last - w, scratch, w)[1]
    if p == 0 and _may_be_nakade(state, last - 1):
        p = small_room(state, last - 1, scratch, w)[1]
    if p == 0 and _may_be_nakade(state, last + 1):
        p = small_room(state, last + 1, scratch, w)[1]
    if p == 0 and _may_be_nakade(state, last + w):
        p = small_room(state, last + w, scratch, w)[1]
    if p and is_legal(state, p, color):
        return p
    return eye_point(state, last, color, scratch, w) if _is_cramped(state, last, color) else 0


@inlined
def _is_cramped(state: State, last: int, color: int) -> bool:
    """Return quickly whether a small chain has few liberties in a narrow place beside a stone of ``color``."""
    code = np.int64(state.code[np.uint64(last)]) & 0xFF
    chain = np.uint64(state.chain[np.uint64(last)])
    return (
        traits_at(state, last) & CROWDED != 0
        and SIDES[np.uint64(code)] & color != 0
        and (state.liberties[chain] & np.uint64(0xFFF)) <= _CRAMPED
        and state.stones[chain] < _LARGEST_NAKADE
    )


@kernel
def small_room(state: State, start: int, scratch: Record, w: int) -> tuple[int, int]:
    """Return the size of the empty region of ``start``, and the point that decides whether it becomes two eyes, or 0.

    The size is 0 if there are many points, or if both colours touch the region. The point is the middle of a three, of
    the pyramid four, of the bulky and the crossed five, and of the rabbity six.
    """
    scratch.candidates[0] = start
    n, i = 1, 0
    best, best_degree = 0, 0
    edges = 0
    sides = np.int64(SIDES[np.uint64(state.code[np.uint64(start)] & np.uint16(0xFF))])
    while i < n:
        p = np.int64(scratch.candidates[np.uint64(i)])
        i += 1
        degree = np.int64(EMPTY_SIDES[np.uint64(state.code[np.uint64(p)] & np.uint16(0xFF))])
        edges += degree
        if degree > best_degree:
            best, best_degree = p, degree
        for side in range(4):
            q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
            if color_at(state, q) != EMPTY:
                continue
            k = n - 1
            while k >= 0 and np.int64(scratch.candidates[np.uint64(k)]) != q:
                k -= 1
            if k >= 0:
                continue
            sides |= np.int64(SIDES[np.uint64(state.code[np.uint64(q)] & np.uint16(0xFF))])
            if n == _LARGEST_NAKADE or sides == BLACK + WHITE:
                return 0, 0
            scratch.candidates[np.uint64(n)] = q
            n += 1
    has_square = edges == 2 * n  # each counted twice: one more than a tree has
    if (
        n == 3
        or (n == 4 and best_degree == 3)
        or (n == 5 and (best_degree == 4 or (best_degree == 3 and has_square)))
        or (n == 6 and best_degree == 4 and has_square)
    ):
        return n, best
    return n, 0


@inlined
def wastes_room(state: State, p: int, color: int, scratch: Record, w: int) -> bool:
    """Return whether ``p`` makes an eye of ``color`` smaller without making two eyes."""
    code = np.int64(state.code[np.uint64(p)]) & 0xFF
    if not _may_be_nakade(state, p) or SIDES[np.uint64(code)] != color:
        return False
    n, vital = small_room(state, p, scratch, w)
    return n > 0 and p != vital


@kernel
def eye_point(state: State, last: int, color: int, scratch: Record, w: int) -> int:
    """Return the point that makes two eyes of a small room of ``color`` that the last move has entered, or 0.

    It is the empty point with most neighbours in the room, if it has two: the other middle of a straight or bent four.
    """
    scratch.candidates[0] = last
    n, i = 1, 0
    best, best_degree = 0, 1
    while i < n:
        p = np.int64(scratch.candidates[np.uint64(i)])
        i += 1
        degree = 0
        for side in range(4):
            q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
            c = color_at(state, q)
            if c == BORDER or c == color:
                continue
            degree += 1
            k = 0
            while k < n and np.int64(scratch.candidates[np.uint64(k)]) != q:
                k += 1
            if k == n:
                if n == _LARGEST_NAKADE:
                    return 0
                scratch.candidates[np.uint64(n)] = q
                n += 1
        if degree > best_degree and color_at(state, p) == EMPTY:
            best, best_degree = p, degree
    return best if n > 3 and best and is_legal(state, best, color) else 0


@kernel
def kills_inside(state: State, p: int, color: int, w: int) -> bool:
    """Return whether the self-atari at ``p`` kills a group from inside.

    An enemy chain beside it is left with the same last liberty; once that chain has captured the stones inside, their
    room makes only one eye.

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
    """Return a liberty of ``q`` other than ``p``, or 0, and the neighbours of ``q`` that have ``color`` after ``p``."""
    liberty, n = np.int64(0), 0
    for side in range(4):
        r = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
        c = color_at(state, r)
        if r == p or c == color:
            n += 1
        elif c == EMPTY:
            liberty = r
    return liberty, n

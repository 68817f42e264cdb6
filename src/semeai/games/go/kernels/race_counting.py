"""Races that counting decides: a chain that can only be filled, by chains that cannot be captured in time.

The liberties of such a chain touch nothing but the chain, stones of its opponent, and each other. So it gains none,
wherever its owner plays (the simplest class of Müller 1999, "Race to capture"). A search would find the same after all
orders of the fills.
"""

import numpy as np

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.race_board import (
    CHAIN,
    LIBERTIES,
    MARKS,
    POINTS,
    STAMP,
    STRIDE,
    TARGET_LIBERTIES,
    Memory,
    add,
    add_with_neighbours,
    at,
    clear,
    in_zone,
    is_eye,
    side_of,
    walk,
)
from semeai.games.go.kernels.tables import BORDER
from semeai.jit import inlined, kernel


@kernel
def falls_by_count(
    memory: Memory, stones: int, n: int, own: int, is_safe: bool, moves: int, passes: int, zone: int, seen: int
) -> bool:
    """Return whether filling its ``n`` liberties captures the chain that was just walked; write the zone of the proof.

    Its owner makes at most ``moves`` moves before the last fill. They capture neither a chain beside it nor ``own``,
    of which this is known if ``is_safe``. The zone bears ``passes`` moves of his; ``seen`` is a set to write to.
    """
    filler = 3 - at(memory, memory[CHAIN])
    if not _is_closed(memory, filler, n):
        return False
    clear(memory, zone)
    clear(memory, seen)
    add_with_neighbours(memory, zone, np.int64(CHAIN), stones)
    add_with_neighbours(memory, zone, np.int64(LIBERTIES), n)
    for i in range(n):
        memory[np.uint64(TARGET_LIBERTIES + i)] = memory[np.uint64(LIBERTIES + i)]
    add(memory, zone, own)
    if is_safe:
        _add_stones(memory, seen, walk(memory, own, np.int64(MAX_POINTS))[0])
    for i in range((memory[POINTS] >> 5) + 1):
        left, p = memory[np.uint64(zone + i)], i << 5
        while left:
            if left & 1 and at(memory, p) == filler and not in_zone(memory, seen, p):
                m, liberties = walk(memory, p, np.int64(MAX_POINTS))
                if not _outlasts(memory, liberties, n, moves, passes, zone):
                    return False
                _add_stones(memory, seen, m)
            left >>= 1
            p += 1
    return True


@inlined
def _is_closed(memory: Memory, filler: int, n: int) -> bool:
    """Return whether each of the ``n`` liberties of the chain just walked touches a filler, and nothing that helps."""
    w, stamp = memory[STRIDE], memory[STAMP]
    for i in range(n):
        is_beside = False
        for side in range(4):
            q = side_of(memory[np.uint64(LIBERTIES + i)], side, w)
            c = at(memory, q)
            if c == filler:
                is_beside = True
            elif c != BORDER and memory[np.uint64(MARKS + q)] != stamp:
                return False
        if not is_beside:
            return False
    return True


@inlined
def _add_stones(memory: Memory, points: int, n: int) -> None:
    """Add the ``n`` stones of the chain that was just walked."""
    for i in range(n):
        add(memory, points, memory[np.uint64(CHAIN + i)])


@kernel
def _outlasts(memory: Memory, liberties: int, n: int, moves: int, passes: int, zone: int) -> bool:
    """Return whether ``moves`` moves do not capture the chain just walked while the ``n`` points are filled.

    What it needs for that is added to the zone: two eyes, or liberties if it would not bear ``passes`` more.
    """
    others, eyes, filler = 0, 0, at(memory, memory[CHAIN])
    for i in range(liberties):
        p = memory[np.uint64(LIBERTIES + i)]
        others += not _is_filled(memory, p, n)
        if is_eye(memory, p, filler):
            add(memory, zone, p)
            eyes += 1
    if eyes >= 2:
        return True
    if others <= moves:
        return False
    if others > moves + passes:
        return True
    needed, i = moves + 1, 0
    while needed:
        p = memory[np.uint64(LIBERTIES + i)]
        if not _is_filled(memory, p, n):
            add(memory, zone, p)
            needed -= 1
        i += 1
    return True


@inlined
def _is_filled(memory: Memory, p: int, n: int) -> bool:
    """Return whether a point is one of the ``n`` to fill."""
    i = 0
    while i < n and memory[np.uint64(TARGET_LIBERTIES + i)] != p:
        i += 1
    return i < n

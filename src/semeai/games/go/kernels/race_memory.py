"""Answers for races that were solved before, by what lies around them."""

import numpy as np

from semeai.games.go.kernels.race_board import (
    CACHE,
    CACHE_ENTRIES,
    CACHE_WORDS,
    CHAIN,
    LIBERTIES,
    POINTS,
    RACE_WORDS,
    REFUTATION,
    STRIDE,
    TRIED,
    ZOBRIST,
    Memory,
    add,
    at,
    clear,
    in_zone,
    side_of,
    walk,
)
from semeai.games.go.kernels.race_search import MAX_LIBERTIES
from semeai.games.go.kernels.races import R_BLACK_MOVES, list_moves, solve
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, WHITE
from semeai.jit import kernel

NO_RACE, IS_RACE, NOT_ASKED = 0, 1, 2
_FEW = 8
"""Liberties of a chain near a race that may have a part in it."""
_PRIME = np.int64(1099511628211)
_MASK = np.int64((1 << 62) - 1)


@kernel
def recall_or_solve(
    memory: Memory, race: int, black: int, white: int, limit: int, moves_of: int, may_solve: bool
) -> int:
    """Solve a race, or take what is known of one with the same surroundings. Returns whether it is one.

    NOT_ASKED: it is not known, and ``may_solve`` is false.
    """
    key = (_local_key(memory, black, white) ^ ((limit * 8 + moves_of + 1) * _PRIME)) & _MASK
    entry = CACHE + (key & (CACHE_ENTRIES - 1)) * CACHE_WORDS
    words = RACE_WORDS if moves_of else R_BLACK_MOVES
    if memory[entry] == key:
        for j in range(words if memory[entry + 1] else 0):
            memory[race + j] = memory[entry + 2 + j]
    elif not may_solve:
        return NOT_ASKED
    else:
        memory[entry], memory[entry + 1] = key, NO_RACE
        if solve(memory, race, black, white, limit):
            list_moves(memory, race, limit, moves_of)
            memory[entry + 1] = IS_RACE
            for j in range(words):
                memory[entry + 2 + j] = memory[race + j]
    return memory[entry + 1]


@kernel
def mark_near(memory: Memory, near: int, black: int, white: int) -> None:
    """Write the set of points that an answer depends on, in nearly all cases, to ``near``.

    These are the two chains, what lies within two steps of their liberties, and the liberties of all chains there that
    have few. A ladder, for example, may depend on more.
    """
    w = memory[STRIDE]
    clear(memory, near)
    for i in range(2):
        stones, n = walk(memory, black if i == 0 else white, np.int64(MAX_LIBERTIES))
        for j in range(stones):
            p = memory[CHAIN + j]
            add(memory, near, p)
            for side in range(4):
                add(memory, near, side_of(p, side, w))
        for j in range(n):
            for side in range(4):
                p = side_of(memory[LIBERTIES + j], side, w)
                add(memory, near, p)
                if at(memory, p) == EMPTY:
                    for side2 in range(4):
                        add(memory, near, side_of(p, side2, w))
    clear(memory, TRIED)
    for p in range(memory[POINTS]):
        if not in_zone(memory, near, p) or in_zone(memory, TRIED, p):
            continue
        if at(memory, p) == BLACK or at(memory, p) == WHITE:
            stones, n = walk(memory, p, np.int64(_FEW))
            for j in range(stones):
                add(memory, TRIED, memory[CHAIN + j])
            for j in range(n if n <= _FEW else 0):
                add(memory, near, memory[LIBERTIES + j])


@kernel
def _local_key(memory: Memory, black: int, white: int) -> np.int64:
    """Return a hash of two chains and of what is near them, see ``mark_near``."""
    mark_near(memory, np.int64(REFUTATION), black, white)
    key = ((ZOBRIST[EMPTY, black] * 5) ^ (ZOBRIST[EMPTY, white] * 7)) & _MASK  # two races may lie in the same place
    for p in range(memory[POINTS]):
        if in_zone(memory, np.int64(REFUTATION), p) and at(memory, p) != BORDER:
            key ^= ZOBRIST[at(memory, p), p]
    return key

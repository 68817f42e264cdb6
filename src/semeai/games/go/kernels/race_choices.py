"""The moves that a prover tries in a capturing race: few, and the likely ones first."""

import numpy as np

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.race_board import (
    CHAIN,
    CHOICES,
    LEVELS,
    LIBERTIES,
    MAX_CHOICES,
    OWN,
    OWN_LIBERTIES,
    PROVER,
    SPARED,
    STRIDE,
    TARGET,
    TARGET_LIBERTIES,
    Memory,
    at,
    count,
    put,
    side_of,
    take_back,
    walk,
)
from semeai.jit import inlined, kernel

_MOST_AROUND = 4
"""Liberties of a chain that an approach move may take."""


@inlined
def _add_choice(memory: Memory, base: int, n: int, p: int) -> int:
    if n >= MAX_CHOICES:
        return n
    for i in range(n):
        if memory[np.uint64(base + i)] == p:
            return n
    memory[np.uint64(base + n)] = p
    return n + 1


@kernel
def list_choices(memory: Memory, k: int, level: int) -> int:
    """List the prover's moves. Returns their number.

    If his chain is in atari he has to save it, by a capture or by its last liberty. Otherwise he fills a liberty of the
    target: at first those that are not liberties of his own chain. If there are more moves than liberties left, he may
    also make approach moves, capture neighbours, and extend.
    """
    base = CHOICES + level * (MAX_CHOICES + 1)
    target, own = memory[TARGET], memory[OWN]
    n = 0
    _, m = walk(memory, own, np.int64(MAX_CHOICES))
    if m == 1 and memory[SPARED] == 0:
        last = memory[LIBERTIES]
        n = _add_captures(memory, own, base, n, np.int64(1))
        return _add_choice(memory, base, n, last)
    own_first = min(m, MAX_CHOICES)
    for i in range(own_first):
        memory[np.uint64(OWN_LIBERTIES + i)] = memory[np.uint64(LIBERTIES + i)]
    _, liberties = walk(memory, target, k)
    for i in range(liberties):
        memory[np.uint64(TARGET_LIBERTIES + i)] = memory[np.uint64(LIBERTIES + i)]
    for shared in range(2):
        for i in range(liberties):
            p = memory[np.uint64(TARGET_LIBERTIES + i)]
            if _listed(memory, OWN_LIBERTIES, own_first, p) == (shared == 1):
                n = _add_choice(memory, base, n, p)
    if k > liberties:
        for i in range(liberties):
            n = _add_approaches(memory, memory[np.uint64(TARGET_LIBERTIES + i)], base, n)
        n = _add_captures(memory, own, base, n, np.int64(2))
        for i in range(own_first if own_first <= 4 else 0):
            n = _add_choice(memory, base, n, memory[np.uint64(OWN_LIBERTIES + i)])
    return n


@inlined
def _listed(memory: Memory, base: int, n: int, p: int) -> bool:
    i = 0
    while i < n and memory[np.uint64(base + i)] != p:
        i += 1
    return i < n


@kernel
def _add_captures(memory: Memory, start: int, base: int, n: int, most: int) -> int:
    """Add the liberties of chains beside the chain at ``start`` that have at most ``most``."""
    w, color = memory[STRIDE], at(memory, start)
    stones, _ = walk(memory, start, np.int64(MAX_POINTS))
    stones = min(stones, MAX_CHOICES + 1)
    beside = CHOICES + LEVELS * (MAX_CHOICES + 1)  # a row of choices that no level uses
    for i in range(stones):
        memory[np.uint64(beside + i)] = memory[np.uint64(CHAIN + i)]
    for i in range(stones):
        p = memory[np.uint64(beside + i)]
        for side in range(4):
            q = side_of(p, side, w)
            if at(memory, q) == 3 - color:
                liberties = count(memory, q, most)
                for j in range(liberties if liberties <= most else 0):
                    n = _add_choice(memory, base, n, memory[np.uint64(LIBERTIES + j)])
    return n


@kernel
def _add_approaches(memory: Memory, p: int, base: int, n: int) -> int:
    """Add the moves that prepare a stone of the prover at ``p``, where it would be suicide or in atari."""
    prover, w = memory[PROVER], memory[STRIDE]
    captured = put(memory, p, prover)
    if captured >= 0:
        liberties = count(memory, p, np.int64(1))
        last = memory[LIBERTIES]
        take_back(memory, p, prover, captured)
        return _add_choice(memory, base, n, last) if liberties == 1 and captured == 0 else n
    for side in range(4):
        q = side_of(p, side, w)
        if at(memory, q) == 3 - prover:
            liberties = count(memory, q, np.int64(_MOST_AROUND))
            for i in range(min(liberties, _MOST_AROUND)):
                n = _add_choice(memory, base, n, memory[np.uint64(LIBERTIES + i)])
    return n

"""Which chains may race: those with few liberties and without two eyes, in groups, and the pairs of them that touch."""

import numpy as np

from semeai.games.go.kernels.board import State
from semeai.games.go.kernels.race_board import (
    GROUP_STONES,
    GROUPS,
    LIBERTIES,
    OWN_LIBERTIES,
    PAIRS,
    SHARED,
    STRIDE,
    WEAK,
    Memory,
    count,
    is_eye,
    set_up,
    side_of,
    walk,
)
from semeai.games.go.kernels.race_search import MAX_LIBERTIES
from semeai.games.go.kernels.tables import BLACK, WHITE
from semeai.jit import inlined, kernel

_BITS = 10
_LAST = (1 << _BITS) - 1


@kernel
def list_pairs(state: State, memory: Memory) -> int:
    """List the pairs of touching chains that may race, the largest groups and in them the largest chains first.

    Returns their number; ``pair`` reads them.
    """
    n_weak = _list_weak(state, memory)
    if n_weak == 0:
        return 0
    set_up(state, memory)
    _mark_groups(state, memory, n_weak)
    n = 0
    for i in range(n_weak):
        black = memory[WEAK + i]
        if memory[GROUPS + black] != 0 and state.color[black] == BLACK:
            n = _add_pairs(state, memory, black, n)
    for i in range(1, n):
        key, k = memory[PAIRS + i], i
        while k and memory[PAIRS + k - 1] < key:
            memory[PAIRS + k] = memory[PAIRS + k - 1]
            k -= 1
        memory[PAIRS + k] = key
    return n


@inlined
def pair(memory: Memory, i: int) -> tuple[int, int]:
    """Return the black and the white chain of pair number ``i``."""
    key = memory[PAIRS + i]
    return _LAST - (key >> _BITS & _LAST), _LAST - (key & _LAST)


@kernel
def _list_weak(state: State, memory: Memory) -> int:
    """List quickly the chains that may have few liberties. Returns their number; 0 unless both players have one."""
    n, colors = 0, 0
    for p in range(1, state.points):
        if np.int64(state.chain[np.uint64(p)]) == p and _may_be_weak(state, p):
            memory[WEAK + n] = p
            colors |= np.int64(state.color[p])
            n += 1
    return n if colors == BLACK | WHITE else 0


@inlined
def _may_be_weak(state: State, chain: int) -> bool:
    touched = state.liberties[np.uint64(chain)] & np.uint64(0xFFF)  # a liberty touches a chain four times at most
    return state.stones[np.uint64(chain)] >= 2 and touched <= np.uint64(4 * MAX_LIBERTIES)


@kernel
def _mark_groups(state: State, memory: Memory, n_weak: int) -> None:
    """Write to GROUPS the name of each chain's group, and to GROUP_STONES the stones of the group."""
    for p in range(state.points):
        memory[np.uint64(GROUPS + p)] = memory[np.uint64(SHARED + p)] = memory[np.uint64(GROUP_STONES + p)] = 0
    for i in range(n_weak):
        p = memory[WEAK + i]
        if count(memory, p, np.int64(MAX_LIBERTIES)) <= MAX_LIBERTIES and not _has_two_eyes(state, memory, p):
            memory[GROUPS + p] = p
    for i in range(n_weak):
        if memory[GROUPS + memory[WEAK + i]]:
            _join_neighbours(state, memory, memory[WEAK + i], n_weak)
    for i in range(n_weak):
        p = memory[WEAK + i]
        memory[GROUP_STONES + memory[GROUPS + p]] += np.int64(state.stones[p])


@kernel
def _join_neighbours(state: State, memory: Memory, chain: int, n_weak: int) -> None:
    """Put a chain in one group with those of its colour that share two liberties with it."""
    w = memory[STRIDE]
    _, n = walk(memory, chain, np.int64(MAX_LIBERTIES))
    for undo in range(2):
        for i in range(n):
            p = memory[LIBERTIES + i]
            for side in range(4):
                other = np.int64(state.chain[side_of(p, side, w)])
                if other == chain or memory[GROUPS + other] == 0 or state.color[other] != state.color[chain]:
                    continue
                before = 0
                while before < side and np.int64(state.chain[side_of(p, before, w)]) != other:
                    before += 1
                if undo:
                    memory[SHARED + other] = 0
                elif before == side:  # a chain may touch a point twice
                    memory[SHARED + other] += 1
                    if memory[SHARED + other] == 2:
                        _join(memory, memory[GROUPS + other], memory[GROUPS + chain], n_weak)


@kernel
def _join(memory: Memory, group: int, kept: int, n_weak: int) -> None:
    for i in range(n_weak):
        if memory[GROUPS + memory[WEAK + i]] == group:
            memory[GROUPS + memory[WEAK + i]] = kept


@kernel
def _has_two_eyes(state: State, memory: Memory, chain: int) -> bool:
    """Return whether two liberties of a chain are eyes that the chain alone surrounds: it cannot be captured."""
    eyes, color = 0, np.int64(state.color[chain])
    _, n = walk(memory, chain, np.int64(MAX_LIBERTIES))
    for i in range(n):
        eyes += is_eye(memory, memory[LIBERTIES + i], color)
    return eyes >= 2


@kernel
def _add_pairs(state: State, memory: Memory, black: int, n: int) -> int:
    """Add the pairs of a black chain and the white ones beside it. Returns the new number of pairs."""
    w, q = memory[STRIDE], black
    while True:
        for side in range(4):
            white = np.int64(state.chain[side_of(q, side, w)])
            if memory[GROUPS + white] == 0 or state.color[white] != WHITE or memory[SHARED + white] == black:
                continue
            memory[SHARED + white] = black
            group = memory[GROUP_STONES + memory[GROUPS + black]] + memory[GROUP_STONES + memory[GROUPS + white]]
            stones = np.int64(state.stones[black]) + np.int64(state.stones[white])
            key = (group << _BITS + 1 | stones) << 2 * _BITS
            memory[PAIRS + n] = key | (_LAST - black) << _BITS | (_LAST - white)
            n += 1
        q = np.int64(state.next[np.uint64(q)])
        if q == black:
            return n


@kernel
def shared_liberties(memory: Memory, chain: int, n: int) -> int:
    """Return how many liberties of a chain are among the ``n`` at OWN_LIBERTIES."""
    shared = 0
    _, m = walk(memory, chain, np.int64(MAX_LIBERTIES))
    for i in range(m):
        for j in range(n):
            shared += memory[LIBERTIES + i] == memory[OWN_LIBERTIES + j]
    return shared

"""A bare board for reading capturing races: colours only, moves that are taken back, chains found by walking.

All memory is one array of integers, ``scratch.solver``; the constants below say what lies where. A walk writes the
stones of a chain to ``CHAIN`` and its liberties to ``LIBERTIES``.
"""

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS, State
from semeai.games.go.kernels.tables import BORDER, EMPTY
from semeai.jit import inlined, kernel

Memory = NDArray[np.int64]

ZONE_WORDS = MAX_POINTS // 32
LEVELS = 40
"""Deepest line, in moves and passes."""
MAX_CHOICES = 63
"""Limit of moves that the prover tries at one node."""

BOARD = 0
MARKS = BOARD + MAX_POINTS
CHAIN = MARKS + MAX_POINTS
LIBERTIES = CHAIN + MAX_POINTS
TAKEN = LIBERTIES + MAX_POINTS
"""A stack of captured points."""
_MAX_TAKEN = 2 * MAX_POINTS
ZONES = TAKEN + _MAX_TAKEN
TRIED = ZONES + (LEVELS + 2) * ZONE_WORDS
CHOICES = TRIED + (LEVELS + 2) * ZONE_WORDS
OWN_LIBERTIES = CHOICES + (LEVELS + 2) * (MAX_CHOICES + 1)
TARGET_LIBERTIES = OWN_LIBERTIES + MAX_CHOICES + 1
NUMBERS = TARGET_LIBERTIES + MAX_CHOICES + 1
"""Single numbers, whose names follow."""
STAMP, N_TAKEN, STRIDE, POINTS, HASH, NODES, LIMIT, FLAGS, PROVER, TARGET, OWN, SPARED, QUESTION, SPENT = range(
    NUMBERS, NUMBERS + 14
)  # fmt: skip
TABLE = NUMBERS + 16
TABLE_ENTRIES = 2048
ENTRY = ZONE_WORDS + 2
"""Words per entry of the table of positions: key, result and zone."""
GROUPS = TABLE + TABLE_ENTRIES * ENTRY
"""By chain: the first chain of its group, for chains that may race; 0 for others."""
MOST_CHAINS = MAX_POINTS // 2
WEAK = GROUPS + MAX_POINTS
"""The chains that may race."""
SHARED = WEAK + MOST_CHAINS
"""By chain: a count or a mark, see ``race_groups``."""
GROUP_STONES = SHARED + MAX_POINTS
PAIRS = GROUP_STONES + MAX_POINTS
"""Pairs of chains that touch: at most 3 V - 6, as the graph of V chains is planar."""
REFUTATION = PAIRS + 3 * MOST_CHAINS
"""A zone kept from one proof to the next."""
FOUND = REFUTATION + ZONE_WORDS
"""The races that were found, see ``races``, and one more that a search looks at."""
MAX_RACES, RACE_WORDS = 8, 12 + 4 * ZONE_WORDS
ONE_MORE = FOUND + MAX_RACES * RACE_WORDS
CACHE = ONE_MORE + RACE_WORDS
"""Races solved before: key, whether it is one, and its words."""
CACHE_ENTRIES, CACHE_WORDS = 512, RACE_WORDS + 2
END = CACHE + CACHE_ENTRIES * CACHE_WORDS

ZOBRIST = np.random.default_rng(20100408).integers(1, 2**62, size=(3, MAX_POINTS), dtype=np.int64)


@kernel
def set_up(state: State, memory: Memory) -> None:
    """Copy the stones of ``state``."""
    memory[STRIDE], memory[POINTS] = state.stride, state.points
    memory[N_TAKEN] = memory[HASH] = 0  # the hash tells positions of one question apart
    for p in range(state.points):
        memory[np.uint64(BOARD + p)] = np.int64(state.color[np.uint64(p)])


@inlined
def at(memory: Memory, p: int) -> int:
    return memory[np.uint64(BOARD + p)]


@inlined
def side_of(p: int, side: int, w: int) -> int:
    """Return the neighbour number ``side`` (0 to 3) of a point."""
    return p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w


@kernel
def walk(memory: Memory, start: int, most: int) -> tuple[int, int]:
    """Return the numbers of stones and liberties of a chain, both listed. It ends after ``most`` liberties + 1."""
    w = memory[STRIDE]
    color = at(memory, start)
    stamp = memory[STAMP] + 1
    memory[STAMP] = stamp
    memory[CHAIN] = start
    memory[np.uint64(MARKS + start)] = stamp
    n, i, liberties = 1, 0, 0
    while i < n:
        p = memory[np.uint64(CHAIN + i)]
        i += 1
        for side in range(4):
            q = side_of(p, side, w)
            c = at(memory, q)
            if (c != EMPTY and c != color) or memory[np.uint64(MARKS + q)] == stamp:
                continue
            memory[np.uint64(MARKS + q)] = stamp
            if c == color:
                memory[np.uint64(CHAIN + n)] = q
                n += 1
            else:
                memory[np.uint64(LIBERTIES + liberties)] = q
                liberties += 1
                if liberties > most:
                    return n, liberties
    return n, liberties


@inlined
def count(memory: Memory, start: int, most: int) -> int:
    """Return the number of liberties of a chain, at most ``most`` + 1."""
    return walk(memory, start, most)[1]


@inlined
def is_eye(memory: Memory, p: int, color: int) -> bool:
    """Return whether a point is surrounded by the chain of this colour that was just walked, and by nothing else."""
    w, stamp, n = memory[STRIDE], memory[STAMP], 0
    for side in range(4):
        q = side_of(p, side, w)
        n += at(memory, q) == BORDER or (at(memory, q) == color and memory[np.uint64(MARKS + q)] == stamp)
    return n == 4


@kernel
def put(memory: Memory, p: int, color: int) -> int:
    """Put a stone on an empty point and remove what it captures; return how many stones, or -1 for suicide (no move).

    Captured points are pushed on the stack at ``TAKEN``.
    """
    w = memory[STRIDE]
    memory[np.uint64(BOARD + p)] = color
    captured = 0
    for side in range(4):
        q = side_of(p, side, w)
        if at(memory, q) != 3 - color:
            continue
        n, liberties = walk(memory, q, np.int64(0))
        if liberties:
            continue
        top = memory[N_TAKEN]
        for i in range(n):
            r = memory[np.uint64(CHAIN + i)]
            memory[np.uint64(BOARD + r)] = EMPTY
            memory[HASH] ^= ZOBRIST[np.uint64(3 - color), np.uint64(r)]
            memory[np.uint64(TAKEN + top + i)] = r
        memory[N_TAKEN] = top + n
        captured += n
    if captured == 0 and count(memory, p, np.int64(0)) == 0:
        memory[np.uint64(BOARD + p)] = EMPTY
        return -1
    memory[HASH] ^= ZOBRIST[np.uint64(color), np.uint64(p)]
    return captured


@kernel
def take_back(memory: Memory, p: int, color: int, captured: int) -> None:
    """Undo the last ``put``."""
    memory[np.uint64(BOARD + p)] = EMPTY
    memory[HASH] ^= ZOBRIST[np.uint64(color), np.uint64(p)]
    top = memory[N_TAKEN] - captured
    memory[N_TAKEN] = top
    for i in range(captured):
        r = memory[np.uint64(TAKEN + top + i)]
        memory[np.uint64(BOARD + r)] = 3 - color
        memory[HASH] ^= ZOBRIST[np.uint64(3 - color), np.uint64(r)]


@inlined
def in_zone(memory: Memory, zone: int, p: int) -> bool:
    """Return whether the set of points that begins at ``zone`` holds ``p``."""
    return (memory[np.uint64(zone + (p >> 5))] >> (p & 31)) & 1 != 0


@inlined
def add(memory: Memory, zone: int, p: int) -> None:
    """Add a point to the set that begins at ``zone``."""
    memory[np.uint64(zone + (p >> 5))] |= np.int64(1) << (p & 31)


@inlined
def clear(memory: Memory, zone: int) -> None:
    for i in range((memory[POINTS] >> 5) + 1):
        memory[np.uint64(zone + i)] = 0


@inlined
def join(memory: Memory, zone: int, other: int) -> None:
    """Add the points of another set."""
    for i in range((memory[POINTS] >> 5) + 1):
        memory[np.uint64(zone + i)] |= memory[np.uint64(other + i)]


@inlined
def overlap(memory: Memory, zone: int, other: int) -> bool:
    """Return whether two sets have a point in common."""
    i, last = 0, memory[POINTS] >> 5
    while i < last and memory[np.uint64(zone + i)] & memory[np.uint64(other + i)] == 0:
        i += 1
    return memory[np.uint64(zone + i)] & memory[np.uint64(other + i)] != 0


@kernel
def add_chain(memory: Memory, zone: int, start: int, avoid: int) -> None:
    """Add the stones of a chain, and one liberty other than ``avoid`` if it has one: where possible, one in the set."""
    n, liberties = walk(memory, start, np.int64(MAX_POINTS))
    found = 0
    for i in range(n):
        add(memory, zone, memory[np.uint64(CHAIN + i)])
    for i in range(liberties):
        q = memory[np.uint64(LIBERTIES + i)]
        if q == avoid:
            continue
        if in_zone(memory, zone, q):
            return
        if found == 0:
            found = q
    if found:
        add(memory, zone, found)


@kernel
def add_around(memory: Memory, zone: int, start: int) -> None:
    """Add the stones of a chain and all points beside it."""
    n, _ = walk(memory, start, np.int64(MAX_POINTS))
    add_with_neighbours(memory, zone, np.int64(CHAIN), n)


@kernel
def add_with_neighbours(memory: Memory, zone: int, listed: int, n: int) -> None:
    """Add the ``n`` points that are listed from ``listed`` on, and all points beside them."""
    w = memory[STRIDE]
    for i in range(n):
        p = memory[np.uint64(listed + i)]
        add(memory, zone, p)
        for side in range(4):
            q = side_of(p, side, w)
            if at(memory, q) != BORDER:
                add(memory, zone, q)

"""Nested neighbourhoods of a point as numbers: one key for each size, the same in all symmetries and both colours.

A size holds all cells up to a gridcular distance |dx| + |dy| + max(|dx|, |dy|) (Stern et al. 2006, "Bayesian pattern
ranking for move prediction in Go"), so each size is the one before and a ring. A cell is what the player to move sees
there, and beside the move also whether a chain is in atari. A key is the least Zobrist hash of the turns that it is
read in: the hash of a size is that of the size before, xor the new ring; empty cells add nothing. Most often one or two
turns of the 3x3 neighbourhood come first in the order of its codes, and their hashes are enough; else all eight are
taken.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_SIZE, PASS, State, in_atari
from semeai.games.go.kernels.tables import EMPTY
from semeai.games.patterns.masks import believe_value
from semeai.games.protocol import MAX_WORDS, Record
from semeai.jit import inlined, kernel
from semeai.patterns.geometry import SQUARE
from semeai.rng import derive

OWN, OTHER, OFF_BOARD, OWN_IN_ATARI, OTHER_IN_ATARI = 1, 2, 3, 4, 5
N_CONTENTS = 6
"""Number of contents of a cell, EMPTY among them."""
DISTANCES = (3, 4, 5, 6, 7, 8, 9, 10)
"""The gridcular distance that each size reaches; the first size is the 3x3 neighbourhood."""
N_SIZES = len(DISTANCES)
REACH = 5
"""Rows and columns from the move to the farthest cell."""

WIDE = MAX_SIZE + 2 * REACH
"""The stride of a board with a border as wide as ``REACH``: one for all sizes, so that offsets are constants."""
WIDE_POINTS = WIDE * WIDE
assert WIDE_POINTS <= MAX_WORDS


def gridcular(dx: int, dy: int) -> int:
    return abs(dx) + abs(dy) + max(abs(dx), abs(dy))


CELLS = tuple(
    sorted((o for o in SQUARE.around(REACH) if gridcular(*o) <= DISTANCES[-1]), key=lambda o: (gridcular(*o), o))
)
"""All cells as (dx, dy), ring by ring."""


def _zobrist() -> NDArray[np.uint64]:
    """Return numbers by cell, content and turn, from named streams: they are the same in all versions of NumPy."""
    numbers = np.zeros((len(CELLS), N_CONTENTS), np.uint64)
    for i, (dx, dy) in enumerate(CELLS):
        numbers[i, 1:4] = [derive(0, "neighbourhood", dx, dy, content) for content in (OWN, OTHER, OFF_BOARD)]
        for content, plain in ((OWN_IN_ATARI, OWN), (OTHER_IN_ATARI, OTHER)):
            beside = abs(dx) + abs(dy) == 1  # elsewhere a chain in atari is a stone like any other
            numbers[i, content] = derive(0, "neighbourhood", dx, dy, content) if beside else numbers[i, plain]
    place = {cell: i for i, cell in enumerate(CELLS)}
    return np.stack([numbers[[place[SQUARE.turn(cell, turn)] for cell in CELLS]] for turn in range(8)], axis=2)


_OFFSETS = np.array([dy * WIDE + dx for dx, dy in CELLS], np.int64)
ENDS = np.array([sum(gridcular(*cell) <= d for cell in CELLS) for d in DISTANCES], np.int64)
SIZE_KEYS = np.array([derive(0, "size", d) for d in DISTANCES], np.uint64)
ZOBRIST = _zobrist()
_ZERO = np.uint64(0)
ALL_TURNS = 64


def _first_turns() -> NDArray[np.uint8]:
    """Return, by 3x3 code, the turns with the least code: ``one | two << 3``, or ALL_TURNS if there are more."""
    cells = CELLS[: ENDS[0]]
    codes = np.arange(1 << 2 * len(cells), dtype=np.uint32)
    turned = np.zeros((8, len(codes)), np.uint32)
    for turn in range(8):
        for i, cell in enumerate(cells):
            turned[turn] |= (codes >> 2 * i & 3) << 2 * cells.index(SQUARE.turn(cell, turn))
    least = turned == turned.min(axis=0)
    one, two = least.argmax(axis=0), 7 - least[::-1].argmax(axis=0)
    return np.where(least.sum(axis=0) <= 2, one | two << 3, ALL_TURNS).astype(np.uint8)


FIRST_TURNS = _first_turns()

# Files of databases hold keys made of these numbers. What they are made with lies outside the kernel sources, so that
# only this line tells the cache of kernels that they have changed.
_DIGEST = hashlib.sha256(b"".join(t.astype("<u8").tobytes() for t in (ZOBRIST, SIZE_KEYS, _OFFSETS, FIRST_TURNS)))
assert _DIGEST.hexdigest()[:16] == "9418d65866dc14fe", "the tables of neighbourhoods have changed"

Turns = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
"""The hash of a neighbourhood in each of its turns, or in the first one or two of them."""


@inlined
def wide_index(p: int, stride: int) -> int:
    """Return the index of a point on the wide board."""
    row = p // stride
    return (row - 1 + REACH) * WIDE + (p - row * stride) - 1 + REACH


@inlined
def clear_wide(wide: NDArray[np.uint64], size: int) -> None:
    for row in range(size + 2 * REACH):
        for column in range(size + 2 * REACH):
            wide[np.uint64(row * WIDE + column)] = OFF_BOARD


@kernel
def lay_out(state: State, mover: int, wide: NDArray[np.uint64]) -> None:
    """Write the board as ``mover`` sees it, with a border as wide as the largest size needs."""
    size, w = state.size, state.stride
    clear_wide(wide, size)
    for row in range(size):
        for column in range(size):
            p = (row + 1) * w + column + 1
            content = np.int64(state.color[np.uint64(p)])
            if content != EMPTY:
                word = state.liberties[np.uint64(state.chain[np.uint64(p)])]
                content = (OWN if content == mover else OTHER) + (3 if in_atari(word) else 0)
            wide[np.uint64((row + REACH) * WIDE + column + REACH)] = content


@inlined
def first_turns(wide: NDArray[np.uint64], at: int) -> np.uint64:
    """Return the turns in which the neighbourhood of index ``at`` is read, as ``FIRST_TURNS`` has them."""
    code = _ZERO
    for k in range(ENDS[0]):
        content = wide[np.uint64(at + _OFFSETS[np.uint64(k)])]
        code |= (content - np.uint64(3 * (content > OFF_BOARD))) << np.uint64(2 * k)  # in atari or not
    return np.uint64(FIRST_TURNS[code])


@inlined
def no_turns() -> Turns:
    """Return the hashes of an empty neighbourhood."""
    return _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO


@inlined
def add_ring(wide: NDArray[np.uint64], at: int, size: int, read_in: np.uint64, turns: Turns) -> Turns:
    """Return the hashes of size ``size`` around index ``at`` in the turns ``read_in``, from the size before."""
    a, b, c, d, e, f, g, h = turns
    first, end = 0 if size == 0 else ENDS[size - 1], ENDS[size]
    if read_in < ALL_TURNS:
        one, two = read_in & np.uint64(7), read_in >> np.uint64(3)
        for k in range(first, end):
            z = ZOBRIST[np.uint64(k), wide[np.uint64(at + _OFFSETS[np.uint64(k)])]]
            a ^= z[one]
            b ^= z[two]
        return a, b, c, d, e, f, g, h
    for k in range(first, end):
        content = wide[np.uint64(at + _OFFSETS[np.uint64(k)])]
        if content != _ZERO:
            z = ZOBRIST[np.uint64(k), content]
            a ^= z[0]
            b ^= z[1]
            c ^= z[2]
            d ^= z[3]
            e ^= z[4]
            f ^= z[5]
            g ^= z[6]
            h ^= z[7]
    return a, b, c, d, e, f, g, h


@inlined
def key_of(read_in: np.uint64, turns: Turns, size: int) -> np.uint64:
    """Return the key of a neighbourhood of that size; never 0."""
    a, b, c, d, e, f, g, h = turns
    least = min(a, b)
    if read_in >= ALL_TURNS:
        least = min(min(least, min(c, d)), min(min(e, f), min(g, h)))
    return (least ^ SIZE_KEYS[np.uint64(size)]) | np.uint64(1 << 63)


MAX_PATTERNS = 1 << 17
_SLOTS = 2 * MAX_PATTERNS

GO_DATABASE = np.dtype(
    [
        ("n", np.int64),
        ("mask", np.int64),  # slots in use minus one, a power of two minus one
        ("visits", np.float32),  # virtual visits of the best move
        ("heuristic", np.float32),  # H of the best move
        ("unknown", np.float32),  # the strength of a point that no pattern fits
        ("keys", np.uint64, _SLOTS),  # open addressing from a key's lowest bits on; 0 is free
        ("strength", np.float32, _SLOTS),  # gamma
    ],
    align=True,
)
"""A database as kernels read it, part of ``GO_POLICY``."""


def fill_table(table: Any, keys: NDArray[np.uint64], strength: NDArray[np.float32]) -> None:
    """Write patterns into ``table``, a zeroed record of GO_DATABASE."""
    slots = 1 << max(4, (2 * len(keys) - 1).bit_length())
    table["n"], table["mask"] = len(keys), slots - 1
    _insert(table["keys"], table["strength"], slots - 1, keys, strength)


@kernel
def _insert(
    slots: NDArray[np.uint64],
    values: NDArray[np.float32],
    mask: int,
    keys: NDArray[np.uint64],
    new: NDArray[np.float32],
) -> None:
    for i in range(len(keys)):
        at = np.int64(keys[i] & np.uint64(mask))
        while slots[at] != _ZERO:
            at = (at + 1) & mask
        slots[at], values[at] = keys[i], new[i]


@inlined
def strength_at(database: Record, wide: NDArray[np.uint64], at: int) -> np.float32:
    """Return the strength of the largest known pattern around index ``at``; all smaller ones are known too."""
    found = database.unknown
    read_in, turns = first_turns(wide, at), no_turns()
    for size in range(N_SIZES):
        turns = add_ring(wide, at, size, read_in, turns)
        key = key_of(read_in, turns, size)
        slot = np.int64(key & np.uint64(database.mask))
        while database.keys[np.uint64(slot)] != key:
            if database.keys[np.uint64(slot)] == _ZERO:
                return found
            slot = (slot + 1) & database.mask
        found = database.strength[np.uint64(slot)]
    return found


@kernel
def add_database(state: State, database: Record, scratch: Record, n: int) -> None:
    """Add to the ``n`` moves in ``scratch.moves`` their strength in the database, divided by the greatest."""
    w = state.stride
    lay_out(state, np.int64(state.to_move), scratch.words)
    best = np.float32(0.0)
    for i in range(n):
        p = np.int64(scratch.moves[np.uint64(i)])
        if p != PASS:
            strength = strength_at(database, scratch.words, wide_index(p, w))
            scratch.values[np.uint64(i)] = strength
            best = max(best, strength)
    for i in range(n):
        if scratch.moves[np.uint64(i)] != PASS:
            value = scratch.values[np.uint64(i)] / best
            believe_value(scratch, i, value, database.visits, database.heuristic)


@kernel
def value_moves(states: NDArray[Any], table: NDArray[Any], scratches: NDArray[Any], moves: NDArray[np.int64]) -> None:
    """Write what ``add_database`` adds to each of ``moves`` into ``scratches[0].heuristic``."""
    scratch = scratches[0]
    for i in range(len(moves)):
        scratch.moves[i] = moves[i]
        scratch.heuristic[i] = 0
    add_database(states[0], table[0], scratch, len(moves))

"""The table of positions in a proof: buckets in which the entry that cost least is replaced."""

import numpy as np

from semeai.games.havannah.kernels.bitboard import Cells
from semeai.jit import inlined, kernel

INFINITE = 1_000_000_000
"""Phi of a position that cannot be won, delta of one that cannot be lost."""
_BUCKET = 4

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("moves", np.uint64),  # those worth trying, in the orientation of the key; none: decided at sight
        ("phi", np.uint32),
        ("delta", np.uint32),
        ("work", np.uint32),  # positions looked at below, at all visits
        ("winning", np.uint32),  # bit of a move that wins, in the orientation of the key, plus one; 0: none is known
    ],
    align=True,
)


@inlined
def _bucket_of(table: np.ndarray, key: np.uint64) -> int:
    return np.int64(key & np.uint64(len(table) - _BUCKET))


@inlined
def find(table: np.ndarray, key: np.uint64) -> int:
    """Return the index of a position in the table, or -1."""
    start = _bucket_of(table, key)
    for i in range(start, start + _BUCKET):
        if table[i].key == key:
            return i
    return -1


@kernel
def store(table: np.ndarray, key: np.uint64, moves: Cells, phi: int, delta: int, work: int, winning: int) -> None:
    """Store an entry in place of the one in its bucket that cost least."""
    start = _bucket_of(table, key)
    best = start
    for i in range(start, start + _BUCKET):
        if table[i].key == key:
            best = i
            break
        if table[i].work < table[best].work:
            best = i
    entry = table[best]
    if entry.key == key:
        work += entry.work
    entry.key = key
    entry.moves = moves
    entry.phi = phi
    entry.delta = delta
    entry.work = min(work, INFINITE)
    entry.winning = winning

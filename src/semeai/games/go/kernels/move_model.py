"""The move model in the search: how likely a strong player chooses each move, as priors of a new node.

The strength of a move is exp of the sum of the weights of its features. Its probability is its share of the strengths
of all moves (generalised Bradley-Terry model, Coulom 2007, section 2).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import PASS, State
from semeai.games.go.kernels.features import (
    IDS,
    N_IDS,
    N_SLOTS,
    RESPONSES,
    WIDTH,
    before_key,
    key_at,
    prepare_features,
    response_key,
    write_ids,
)
from semeai.games.go.kernels.rings import (
    N_RINGS,
    READ_IN,
    first_hash,
    follow_board,
    in_all_turns,
    key_of_two,
    place_of,
)
from semeai.games.go.kernels.tables import seen_by
from semeai.games.patterns.masks import believe_value
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

MAX_SHAPES = 1 << 17
_SLOTS = 2 * MAX_SHAPES
_HALF = np.int64(1) << 31
WEIGHT_UNIT = 2.0**-20
"""Weights of shapes are kept as multiples of this."""
_UNIT = np.float32(WEIGHT_UNIT)

GO_MODEL = np.dtype(
    [
        ("n", np.int64),  # shapes; 0: there is no model
        ("mask", np.int64),  # slots in use minus one, a power of two minus one
        ("even", np.float32),  # virtual visits of every move, half of them won
        ("visits", np.float32),  # virtual visits, all won, of the most likely move
        ("heuristic", np.float32),  # H of the most likely move
        ("exponent", np.float32),  # of a move's probability, divided by the greatest one
        ("rows", np.float32, (N_IDS, WIDTH)),  # weight and factors of each value of each slot
        ("shapes", np.uint64, _SLOTS),  # key << 32 | weight; open addressing from a key's lowest bits on; 0 is free
    ],
    align=True,
)
"""A move model as kernels read it, part of ``GO_POLICY``."""


def fill_model(table: Any, rows: NDArray[np.float32], keys: NDArray[np.uint32], values: NDArray[np.float32]) -> None:
    """Write a model into ``table``, a zeroed record of GO_MODEL.

    The products of all pairs of factors are (square of the sum - sum of the squares) / 2. The sum of the squares is put
    into the weights.
    """
    slots = 1 << max(4, (2 * len(keys) - 1).bit_length())
    table["n"], table["mask"] = len(keys), slots - 1
    table["rows"] = rows
    table["rows"][:, 0] -= 0.5 * (rows[:, 1:] ** 2).sum(axis=1)
    units = np.round(values.astype(np.float64) / WEIGHT_UNIT).astype(np.int64) + (1 << 31)
    _insert(table["shapes"], slots - 1, keys.astype(np.uint64) << np.uint64(32) | units.astype(np.uint64))


@kernel
def _insert(slots: NDArray[np.uint64], mask: int, entries: NDArray[np.uint64]) -> None:
    for i in range(len(entries)):
        at = np.int64(entries[i] >> np.uint64(32)) & mask
        while slots[at] != np.uint64(0):
            at = (at + 1) & mask
        slots[at] = entries[i]


@inlined
def _look_up(model: Record, key: np.uint64) -> np.uint64:
    """Return the entry of a key, or 0."""
    at = np.int64(key) & model.mask
    while True:
        entry = model.shapes[np.uint64(at)]
        if entry == np.uint64(0) or entry >> np.uint64(32) == key:
            return entry
        at = (at + 1) & model.mask


@inlined
def _weight(entry: np.uint64) -> np.float32:
    return np.float32(np.int64(entry & np.uint64(0xFFFFFFFF)) - _HALF) * _UNIT


@kernel
def _shape_sum(state: State, p: int, color: int, w: int, model: Record, scratch: Record) -> np.float32:
    """Return the sum of weights of all known shapes around ``p``. If one is unknown, all that contain it are too."""
    total = np.float32(0.0)
    read_in = np.uint64(READ_IN[seen_by(state.code[np.uint64(p)], color)])
    symmetric = in_all_turns(read_in)
    one, two = read_in & np.uint64(7), read_in >> np.uint64(3)
    at = np.uint64(first_hash(p, color))
    kept = scratch.kept
    a, b = np.uint64(0), np.uint64(0)
    if not symmetric:
        a, b = kept[at + one], kept[at + two]
    for size in range(1, N_RINGS):
        if symmetric:
            key = key_at(state, p, color, size, -1, scratch)
        else:
            at += np.uint64(8)
            a ^= kept[at + one]
            b ^= kept[at + two]
            key = key_of_two(a, b, size)
        entry = _look_up(model, key)
        if entry == np.uint64(0):
            break
        total += _weight(entry)
    after = place_of(p, state.last, w)
    if after >= 0:
        for size in RESPONSES:
            entry = _look_up(model, response_key(state, p, color, size, after, scratch))
            if entry == np.uint64(0):
                break
            total += _weight(entry)
    before = place_of(p, state.last_but_one, w)
    if before >= 0:
        entry = _look_up(model, before_key(state, p, color, before, scratch))
        if entry != np.uint64(0):
            total += _weight(entry)
    return total


@inlined
def _slot_sum(model: Record, words: NDArray[np.uint64]) -> np.float32:
    """Return what the values of all slots add, alone and in pairs."""
    a, b, c, d = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    e, f, g, h = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for slot in range(N_SLOTS):
        row = model.rows[words[np.uint64(IDS + slot)]]
        a += row[0]
        b += row[1]
        c += row[2]
        d += row[3]
        e += row[4]
        f += row[5]
        g += row[6]
        h += row[7]
    return a + np.float32(0.5) * (b * b + c * c + d * d + e * e + f * f + g * g + h * h)


@kernel
def add_model(state: State, spare: State, model: Record, scratch: Record, n: int, answered: bool) -> None:
    """Add to the ``n`` moves in ``scratch.moves`` their probability divided by the greatest, raised to the exponent."""
    color, w = np.int64(state.to_move), state.stride
    follow_board(state, scratch)
    prepare_features(state, scratch, answered)
    words = scratch.words
    best = np.float32(-1e30)
    for i in range(n):
        p = np.int64(scratch.moves[np.uint64(i)])
        if p == PASS:
            continue
        write_ids(state, spare, p, color, w, scratch)
        total = _shape_sum(state, p, color, w, model, scratch) + _slot_sum(model, words)
        scratch.values[np.uint64(i)] = total
        best = max(best, total)
    for i in range(n):
        if scratch.moves[np.uint64(i)] != PASS:
            value = np.float32(math.exp(model.exponent * (scratch.values[np.uint64(i)] - best)))
            believe_value(scratch, i, value, model.visits, model.heuristic)

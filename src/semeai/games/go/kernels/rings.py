"""Hashes of the rings around every point, kept from one board to the next.

A ring is what a size of ``neighbourhoods`` adds to the size before. ``follow_board`` compares the board with the one
that the hashes belong to, and changes the hashes around the points that differ: the nodes that a search expands one
after another differ in a few stones. The hashes are kept in all eight turns and as both players see them, so a key
costs one load per ring. Here a chain in atari is a chain like any other.
"""

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import State
from semeai.games.go.kernels.neighbourhoods import (
    ALL_TURNS,
    CELLS,
    ENDS,
    FIRST_TURNS,
    N_SIZES,
    OFF_BOARD,
    OTHER,
    OWN,
    SIZE_KEYS,
    ZOBRIST,
)
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, SLOT_OFFSETS
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel
from semeai.patterns.geometry import SQUARE
from semeai.rng import derive

N_RINGS = N_SIZES
_TURNS = 8
_PER_VIEW = N_RINGS * _TURNS
PER_POINT = 2 * _PER_VIEW
"""Words per point in ``scratch.kept``: by view (Black's, White's), ring and turn."""
NEAR = 10
"""Gridcular distance up to which the place of an earlier move can be part of a key."""
_REACH = 5
_NEAR_RING = 4
"""The largest ring in which stones are counted."""

_DX = np.array([dx for dx, _ in CELLS], np.int64)
_DY = np.array([dy for _, dy in CELLS], np.int64)
_RING = np.array([sum(k >= end for end in ENDS) for k in range(len(CELLS))], np.int64)


def _by_board_code() -> tuple[NDArray[np.uint8], NDArray[np.uint16], int]:
    """Return, by the board's 3x3 code: the turns to read it in, and a number that all its turns share."""
    codes = np.arange(65536, dtype=np.uint32)
    cells = CELLS[: ENDS[0]]

    def turned(turn: int) -> NDArray[np.uint32]:
        found = np.zeros_like(codes)
        for slot, offset in enumerate(SLOT_OFFSETS):
            found |= (codes >> 2 * slot & 3) << 2 * cells.index(SQUARE.turn(offset, turn))
        return found

    least = np.minimum.reduce([turned(turn) for turn in range(_TURNS)])
    _, numbers = np.unique(least, return_inverse=True)
    return FIRST_TURNS[turned(0)], numbers.astype(np.uint16), int(numbers.max()) + 1


READ_IN, SHAPE_NUMBER, N_SHAPES = _by_board_code()


def _place_numbers() -> NDArray[np.uint64]:
    """Return numbers by (dx, dy) of an earlier move from the point, and turn; 0 if it is too far away."""
    found = np.zeros((2 * _REACH + 1, 2 * _REACH + 1, _TURNS), np.uint64)
    for dx, dy in CELLS:
        for turn in range(_TURNS):
            found[dx + _REACH, dy + _REACH, turn] = derive(0, "earlier move", *SQUARE.turn((dx, dy), turn))
    return found


_PLACES = _place_numbers()


@inlined
def _toggle(kept: NDArray[np.uint64], at: int, k: int, content: int) -> None:
    """Add the content of cell ``k`` to the hashes that begin at ``at``, or remove it."""
    for turn in range(_TURNS):
        kept[np.uint64(at + turn)] ^= ZOBRIST[np.uint64(k), np.uint64(content), np.uint64(turn)]


@kernel
def _toggle_stone(scratch: Record, p: int, color: int, size: int, w: int, amount: int) -> None:
    """Add the stone at ``p`` to all neighbourhoods that it lies in, or remove it; ``amount`` is 1 or -1."""
    kept, near = scratch.kept, scratch.kept_counts
    row, column = p // w - 1, p % w - 1
    first, second = (OWN, OTHER) if color == BLACK else (OTHER, OWN)
    for k in range(len(CELLS)):
        y, x = row - _DY[k], column - _DX[k]
        if 0 <= y < size and 0 <= x < size:
            q = p - _DY[k] * w - _DX[k]
            if _RING[k] <= _NEAR_RING:
                near[np.uint64(2 * q + color - 1)] += np.uint8(amount)
            at = q * PER_POINT + _RING[k] * _TURNS
            _toggle(kept, at, k, first)
            _toggle(kept, at + _PER_VIEW, k, second)


@kernel
def _forget(state: State, scratch: Record) -> None:
    """Write the hashes of an empty board: only the edge is seen."""
    size, w = state.size, state.stride
    scratch.kept_size = size
    for i in range((size + 2) * w * PER_POINT):
        scratch.kept[i] = 0
    for i in range(2 * state.points):
        scratch.kept_counts[i] = 0
    for p in range(state.points):
        scratch.kept_board[p] = BORDER if state.color[p] == BORDER else EMPTY
    for row in range(size):
        for column in range(size):
            at = ((row + 1) * w + column + 1) * PER_POINT
            for k in range(len(CELLS)):
                y, x = row + _DY[k], column + _DX[k]
                if not (0 <= y < size and 0 <= x < size):
                    _toggle(scratch.kept, at + _RING[k] * _TURNS, k, OFF_BOARD)
                    _toggle(scratch.kept, at + _PER_VIEW + _RING[k] * _TURNS, k, OFF_BOARD)


@kernel
def follow_board(state: State, scratch: Record) -> None:
    """Make the hashes in ``scratch.kept`` those of the board."""
    if scratch.kept_size != state.size:
        _forget(state, scratch)
    size, w = state.size, state.stride
    board = scratch.kept_board
    for p in range(w + 1, state.points - w - 1):
        new, old = state.color[np.uint64(p)], board[np.uint64(p)]
        if new != old:
            if old != EMPTY:
                _toggle_stone(scratch, p, np.int64(old), size, w, -1)
            if new != EMPTY:
                _toggle_stone(scratch, p, np.int64(new), size, w, 1)
            board[np.uint64(p)] = new


@inlined
def stones_near(scratch: Record, p: int, color: int) -> int:
    """Return the number of stones of ``color`` up to gridcular distance 7."""
    return np.int64(scratch.kept_counts[np.uint64(2 * p + color - 1)])


@inlined
def first_hash(p: int, color: int) -> int:
    """Return where the hashes of the point begin, as ``color`` sees it."""
    return p * PER_POINT + (0 if color == BLACK else _PER_VIEW)


@inlined
def short_key(whole: np.uint64) -> np.uint64:
    """Return the 32 bits of a key that tables keep; never 0."""
    key = whole >> np.uint64(20) & np.uint64(0xFFFFFFFF)
    return key if key != np.uint64(0) else np.uint64(1)


@inlined
def key_of_two(a: np.uint64, b: np.uint64, size: int) -> np.uint64:
    """Return the key of a neighbourhood that is read in one or two turns."""
    return short_key(min(a, b) ^ SIZE_KEYS[np.uint64(size)])


@inlined
def place_of(p: int, earlier: int, w: int) -> int:
    """Return the index of the earlier move's place as seen from ``p``, for ``place_number``; -1 if it is far away."""
    if earlier == 0:
        return -1
    dx, dy = earlier % w - p % w, earlier // w - p // w
    if abs(dx) + abs(dy) + max(abs(dx), abs(dy)) > NEAR:
        return -1
    return (dx + _REACH) * (2 * _REACH + 1) + dy + _REACH


@inlined
def place_number(place: int, turn: np.uint64) -> np.uint64:
    return _PLACES[np.uint64(place // (2 * _REACH + 1)), np.uint64(place % (2 * _REACH + 1)), turn]


@kernel
def key_in_all_turns(kept: NDArray[np.uint64], at: int, size: int, place: int) -> np.uint64:
    """Return the key of a symmetric neighbourhood, together with the place of an earlier move if that is not -1."""
    least = np.uint64(0xFFFFFFFFFFFFFFFF)
    for turn in range(_TURNS):
        found = np.uint64(0)
        for ring in range(size + 1):
            found ^= kept[np.uint64(at + ring * _TURNS + turn)]
        if place >= 0:
            found ^= place_number(place, np.uint64(turn))
        least = min(least, found)
    return short_key(least ^ SIZE_KEYS[np.uint64(size)])


@inlined
def in_all_turns(read_in: np.uint64) -> bool:
    return read_in >= np.uint64(ALL_TURNS)

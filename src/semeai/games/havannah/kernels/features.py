"""Features of a move in Havannah, as the move model reads them: one number per slot.

Shapes are seen by the player to move and equal in all twelve turns and reflections of the hexagon, so each comes from a
table. A response shape is the ring of six neighbours together with the place of a move that was just made.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from semeai.games.havannah.kernels.board import MAX_POINTS, OFF_BOARD, State, empty_around, find, own_around, step
from semeai.games.havannah.kernels.playout import bridge_replies, is_reply
from semeai.games.havannah.kernels.tables import (
    BORDER,
    COUNT,
    DIRECTIONS,
    EMPTY,
    FIRST_RUN,
    MAX_BASE,
    MIN_BASE,
    RUNS,
    SECOND_RUN,
    SIDE_BITS,
    THIRD_RUN,
    cells,
)
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

# What lies in one of six places around a move, two bits per place.
_NOTHING, OWN, OTHER, OFF = 0, 1, 2, 3
_CODES = 4**6
_PLACES = 18
"""Places within two steps of a move: six neighbours, six straight behind them, and six over two cells (bridges)."""
_FAR = 8
_PHASES = 4
_LINES, _OTHERS = 6, 10
_REACHED = 12
_SIZES = 5


def _turns() -> list[tuple[int, int]]:
    """Return the twelve symmetries: how far to turn, and whether to reflect."""
    return [(turn, mirror) for turn in range(6) for mirror in (1, -1)]


def _on_ring(k: int, turn: int, mirror: int) -> int:
    return (turn + mirror * k) % 6


def _on_bridges(k: int, turn: int, mirror: int) -> int:
    """Turn the place between the directions ``k`` and ``k + 1``."""
    return (turn + (k if mirror == 1 else -k - 1)) % 6


def _turned(place: Callable[[int, int, int], int]) -> NDArray[np.int64]:
    """Return, by symmetry and code, the code of the turned shape."""
    codes = np.arange(_CODES)
    found = np.zeros((12, _CODES), np.int64)
    for row, (turn, mirror) in zip(found, _turns(), strict=True):
        for k in range(6):
            row |= (codes >> 2 * k & 3) << 2 * place(k, turn, mirror)
    return found


def _numbered(least: NDArray[np.int64]) -> tuple[NDArray[np.uint16], int]:
    """Number the classes that are named by their least member."""
    kept, numbers = np.unique(least, return_inverse=True)
    return numbers.reshape(least.shape).astype(np.uint16), len(kept)


def _make_responses() -> tuple[NDArray[np.uint16], int]:
    """Return the numbers of shapes of neighbours with a place, by place and code."""
    turned = _turned(_on_ring)
    least = np.full((_PLACES, _CODES), 1 << 30)
    for (kind, k), (row, (turn, mirror)) in product(product(range(3), range(6)), enumerate(_turns())):
        place = 6 * kind + (_on_bridges if kind == 2 else _on_ring)(k, turn, mirror)
        least[6 * kind + k] = np.minimum(least[6 * kind + k], place * _CODES + turned[row])
    return _numbered(least)


SHAPES, _N_SHAPES = _numbered(_turned(_on_ring).min(axis=0))
BRIDGES, _N_BRIDGES = _numbered(_turned(_on_bridges).min(axis=0))
RESPONSES, _N_RESPONSES = _make_responses()
SPREAD = np.array([sum((s >> k & 1) << 2 * k for k in range(6)) for s in range(64)], np.uint16)
"""Six bits, each on two."""


def _make_places() -> NDArray[np.int8]:
    """Return, by (dy + 2, dx + 2), the place of a cell seen from a move; -1 for farther ones."""
    found = np.full((5, 5), -1, np.int8)
    for k, (dx, dy) in enumerate(DIRECTIONS):
        ex, ey = DIRECTIONS[(k + 1) % 6]
        found[dy + 2, dx + 2] = k
        found[2 * dy + 2, 2 * dx + 2] = 6 + k
        found[dy + ey + 2, dx + ex + 2] = 12 + k
    return found


def _make_lines() -> NDArray[np.uint8]:
    """Return, by base and point, the number for the distances from the nearest edge and from the next one."""
    found = np.zeros((MAX_BASE + 1, MAX_POINTS), np.uint8)
    for base in range(MIN_BASE, MAX_BASE + 1):
        top = 2 * base - 2
        for x, y in cells(base):
            near, second = sorted((y, top - y, x, top - x, base - 1 - x + y, base - 1 - y + x))[:2]
            found[base, (y + 1) * 2 * base + x + 1] = min(near, _LINES - 1) * _OTHERS + min(second, _OTHERS - 1)
    return found


PLACES = _make_places()
LINES = _make_lines()

SLOTS = {
    "shape": _N_SHAPES,  # the six neighbours
    "response": _N_RESPONSES + 1,  # the same with the place of the last move, if it is near
    "response_own": _N_RESPONSES + 1,  # and with that of the player's own last move
    "bridges": _N_BRIDGES,  # stones of both players, and edges, over two empty cells
    "line": _PHASES * _LINES * _OTHERS,  # from the nearest and the next edge, by phase of the game
    "groups": 4 * _REACHED,  # own groups that are joined, and the sides and corners that they touch together
    "other_groups": 4 * _REACHED,  # the same for the opponent
    "sizes": _SIZES * _SIZES,  # of the largest group of both beside the move
    "distance": _FAR + 1,  # from the last move
    "distance_own": _FAR + 1,  # from the player's own last move
    "reply": 2,  # what a playout's bridge reply would be
}
"""Number of values of each slot."""
N_SLOTS = len(SLOTS)
FIRST_ID = np.cumsum([0, *SLOTS.values()]).astype(np.int64)
"""Number of the first value of each slot, so that all values of all slots have different numbers."""
N_IDS = int(FIRST_ID[-1])
(
    _SHAPE, _RESPONSE, _RESPONSE_OWN, _BRIDGES, _LINE, _GROUPS, _OTHER_GROUPS, _SIZES_SLOT, _DISTANCE, _DISTANCE_OWN,
    _REPLY,
) = range(N_SLOTS)  # fmt: skip

# Places in ``scratch.words``: the numbers of a move, then what all moves of a position share.
IDS, _PHASE, _REPLIES = 0, 32, 33


@kernel
def prepare_features(state: State, scratch: Record) -> None:
    """Write what all moves of a position share."""
    cells = 3 * state.base * (state.base - 1) + 1
    filled = cells - state.n_empty
    scratch.words[_PHASE] = 0 if 10 * filled < cells else 1 if 4 * filled < cells else 2 if 2 * filled < cells else 3
    scratch.words[_REPLIES] = bridge_replies(state, np.int64(state.to_move)) if state.last else 0


@inlined
def _from(x: int, y: int, q: int, w: int) -> tuple[int, int]:
    """Return the place of the move ``q`` seen from a cell, or -1, and the steps between them; 0 without such a move."""
    if q == 0:
        return -1, 0
    dx, dy = q % w - x, q // w - y
    place = np.int64(PLACES[dy + 2, dx + 2]) if -3 < dx < 3 and -3 < dy < 3 else -1
    return place, min(max(abs(dx), abs(dy), abs(dx - dy)), _FAR)


@inlined
def _reached(state: State, p: int, around: int, w: int) -> tuple[int, int]:
    """Return the number for the groups at the cells ``around`` together with ``p``, and the size of the largest."""
    runs = np.int64(RUNS[np.uint64(around)])
    n = runs & 3
    touched = np.int64(state.touches[np.uint64(p)])
    largest = 0
    for i in range(n):
        k = runs >> (FIRST_RUN if i == 0 else SECOND_RUN if i == 1 else THIRD_RUN) & 7
        root = np.uint64(find(state, p + step(k, w)))
        touched |= np.int64(state.touches[root])
        largest = max(largest, np.int64(state.stones[root]))
    sides, corners = np.int64(COUNT[np.uint64(touched & 63)]), np.int64(COUNT[np.uint64(touched >> SIDE_BITS)])
    return n * _REACHED + 3 * (sides if sides < 3 else 3) + (corners if corners < 2 else 2), largest


@inlined
def _size_class(n: int) -> int:
    return 0 if n == 0 else 1 if n == 1 else 2 if n < 4 else 3 if n < 10 else 4


@inlined
def _bridges_code(state: State, p: int, color: int, w: int) -> int:
    """Return what lies over two empty cells in each of the six places between two directions."""
    empty = empty_around(state, p)
    both = empty & (empty >> 1 | empty << 5)
    code = 0
    if both:
        for k in range(6):
            if both >> k & 1:
                c = np.int64(state.color[np.uint64(p + step(k, w) + step(k + 1 if k < 5 else 0, w))])
                if c != EMPTY:
                    code |= (OFF if c == BORDER else OWN if c == color else OTHER) << 2 * k
    return code


@kernel
def write_ids(state: State, p: int, color: int, w: int, scratch: Record) -> None:
    """Write the number of each slot's value for the move ``p``."""
    words = scratch.words
    own, other = own_around(state, p, color), own_around(state, p, 3 - color)
    off = np.int64(state.code[np.uint64(p)]) >> OFF_BOARD & 63
    code = (
        np.int64(SPREAD[np.uint64(own)]) | np.int64(SPREAD[np.uint64(other)]) << 1
        | np.int64(SPREAD[np.uint64(off)]) * 3
    )  # fmt: skip
    words[IDS + _SHAPE] = FIRST_ID[_SHAPE] + np.int64(SHAPES[np.uint64(code)])
    y = p // w
    x = p - y * w
    place, steps = _from(x, y, np.int64(state.last), w)
    words[IDS + _RESPONSE] = FIRST_ID[_RESPONSE]
    if place >= 0:
        words[IDS + _RESPONSE] += np.uint64(1) + np.uint64(RESPONSES[np.uint64(place), np.uint64(code)])
    words[IDS + _DISTANCE] = FIRST_ID[_DISTANCE] + steps
    place, steps = _from(x, y, np.int64(state.last_but_one), w)
    words[IDS + _RESPONSE_OWN] = FIRST_ID[_RESPONSE_OWN]
    if place >= 0:
        words[IDS + _RESPONSE_OWN] += np.uint64(1) + np.uint64(RESPONSES[np.uint64(place), np.uint64(code)])
    words[IDS + _DISTANCE_OWN] = FIRST_ID[_DISTANCE_OWN] + steps
    bridges = np.int64(BRIDGES[np.uint64(_bridges_code(state, p, color, w))])
    words[IDS + _BRIDGES] = FIRST_ID[_BRIDGES] + bridges
    line = np.int64(words[_PHASE]) * (_LINES * _OTHERS) + np.int64(LINES[np.uint64(state.base), np.uint64(p)])
    words[IDS + _LINE] = FIRST_ID[_LINE] + line
    number, size = _reached(state, p, own, w)
    words[IDS + _GROUPS] = FIRST_ID[_GROUPS] + number
    number, other_size = _reached(state, p, other, w)
    words[IDS + _OTHER_GROUPS] = FIRST_ID[_OTHER_GROUPS] + number
    words[IDS + _SIZES_SLOT] = FIRST_ID[_SIZES_SLOT] + _size_class(size) * _SIZES + _size_class(other_size)
    words[IDS + _REPLY] = FIRST_ID[_REPLY] + is_reply(state, p, np.int64(words[_REPLIES]))


@kernel
def write_cells(state: State, scratch: Record, ids: NDArray[np.uint16], at: int) -> int:
    """Write the features of all empty cells from row ``at`` on, and the cells. Returns the row after the last one.

    There are none if a player could win at once: then the search asks no model.
    """
    if state.n_wins[0] or state.n_wins[1]:
        return at
    color, w = np.int64(state.to_move), np.int64(state.stride)
    prepare_features(state, scratch)
    for i in range(state.n_empty):
        p = np.int64(state.empties[i])
        write_ids(state, p, color, w, scratch)
        for slot in range(N_SLOTS):
            ids[at + i, slot] = scratch.words[IDS + slot]
        scratch.moves[i] = p
    return at + state.n_empty

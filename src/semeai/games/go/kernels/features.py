"""Features of a move, as the move model reads them: one number per slot, and the keys of the shapes around the move.

Coulom 2007 ("Computing Elo ratings of move patterns in the game of Go") has most of these features. Shapes of all sizes
count together. A response shape is a shape together with the place of the last move in it.
"""

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import State, color_at, in_atari
from semeai.games.go.kernels.nakade import kills_inside
from semeai.games.go.kernels.rings import (
    N_RINGS,
    N_SHAPES,
    READ_IN,
    SHAPE_NUMBER,
    first_hash,
    in_all_turns,
    key_in_all_turns,
    key_of_two,
    place_number,
    place_of,
    stones_near,
)
from semeai.games.go.kernels.tables import BORDER, EMPTY, SIDES, seen_by
from semeai.games.go.kernels.tactics import catches, gains_liberties, is_self_atari, runs_out, two_liberties
from semeai.games.protocol import MAX_CODES, Record
from semeai.jit import inlined, kernel

FAR = 7
"""Distances in the common fate graph above this one are not told apart."""
_GRIDS = 20
_LINES, _OTHERS, _REMOTE = 10, 12, 4
_N_PHASES = 5

SLOTS = {
    "shape": N_SHAPES,  # the 3x3 neighbourhood
    "capture": 17,  # by size, whether it saves an own chain, whether it is the chain just played
    "extend": 17,  # an own chain in atari: whether a ladder catches it, by size, whether the last move gave the atari
    "self_atari": 9,  # by size, and whether it kills a group from inside
    "atari": 18,  # on a chain with two liberties: whether a ladder catches it, by size, whether it was just played
    "two_liberties": 17,  # an own chain with two: whether it gets more, by size, whether the last move touches it
    "double_atari": 2,
    "attack_three": 17,  # an enemy with three liberties: whether the new stone has three itself, size, just played
    "defend_three": 17,  # an own chain with three liberties, likewise
    "liberties": 28,  # liberties of the new chain at most, and how many chains it connects
    "distance": FAR + 2,  # from the last move, in the common fate graph
    "answer": 15,  # whether the playout would answer the last move here, or elsewhere
    "grid": _GRIDS,  # gridcular distance from the last move
    "distance_before": FAR + 2,  # from the last move but one
    "grid_before": _GRIDS,
    "line": _N_PHASES * _LINES * (_REMOTE + 1),  # by phase of the game, and how far the next stone is
    "place": _N_PHASES * _LINES * _OTHERS,  # line and other line, by phase
    "ko": 3,  # in a ko fight: a threat or not
    "region": 18,  # the empty region: whose stones touch it, by its size
    "stones": 2 * 64,  # own and other stones up to distance 7, early or late in the game
}
"""Number of values of each slot. In the slots about chains, 0 stands for a move without the feature."""
N_SLOTS = len(SLOTS)
FIRST_ID = np.cumsum([0, *SLOTS.values()]).astype(np.int64)
"""Number of the first value of each slot, so that all values of all slots have different numbers."""
N_IDS = int(FIRST_ID[-1])
(
    _SHAPE, _CAPTURE, _EXTEND, _SELF_ATARI, _ATARI, _TWO, _DOUBLE, _ATTACK, _DEFEND, _LIBERTIES, _DISTANCE, _ANSWER,
    _GRID, _DISTANCE_BEFORE, _GRID_BEFORE, _LINE, _PLACE, _KO, _REGION, _STONES,
) = range(N_SLOTS)  # fmt: skip

WIDTH = 8
"""Numbers per value of a slot: its weight, and the factors that make pairs of features count."""

N_SIZES = N_RINGS - 1
"""Sizes of shapes beyond the 3x3 neighbourhood."""
RESPONSES = (0, 2, 4)
"""The sizes, 0 for 3x3, that count together with the place of the last move."""
N_KEYS = N_SIZES + len(RESPONSES) + 1
"""Keys per move: shapes, response shapes, and the 3x3 shape with the place of the last move but one."""
_AFTER_LAST, _AFTER_BEFORE = N_SIZES, N_SIZES + len(RESPONSES)
_LAST_MARK, _BEFORE_MARK = np.uint64(0x5A5A5A5A), np.uint64(0x3C3C3C3C)

# Places in ``scratch.words``:
IDS, KEYS = 0, 64
_FROM_LAST, _FROM_BEFORE, _CHAIN_LIBERTIES, _REGIONS = MAX_CODES, 2 * MAX_CODES, 3 * MAX_CODES, 4 * MAX_CODES
_COMMON = 100  # what all moves of a position share
_PHASE, _ANSWERED = _COMMON, _COMMON + 1


@kernel
def prepare_features(state: State, scratch: Record, answered: bool) -> None:
    """Write what all moves of a position share. ``scratch`` has the board's hashes, remoteness and marked answers."""
    words = scratch.words
    _measure_from(state, state.last, scratch, _FROM_LAST)
    _measure_from(state, state.last_but_one, scratch, _FROM_BEFORE)
    _count_liberties(state, words)
    _mark_regions(state, words, scratch.candidates)
    area = state.size * state.size
    stones = (area - state.n_empty) * 361 // area
    words[_PHASE] = 0 if stones < 20 else 1 if stones < 50 else 2 if stones < 100 else 3 if stones < 160 else 4
    words[_ANSWERED] = answered


@kernel
def _count_liberties(state: State, words: NDArray[np.uint64]) -> None:
    """Write the number of liberties of every chain."""
    w, chain = state.stride, state.chain
    for p in range(state.points):
        words[np.uint64(_CHAIN_LIBERTIES + p)] = 0
    for i in range(state.n_empty):
        p = np.int64(state.empties[np.uint64(i)])
        if SIDES[np.uint64(state.code[np.uint64(p)] & np.uint16(0xFF))] == 0:
            continue
        a, b = np.int64(chain[np.uint64(p - w)]), np.int64(chain[np.uint64(p - 1)])
        c, d = np.int64(chain[np.uint64(p + 1)]), np.int64(chain[np.uint64(p + w)])
        words[np.uint64(_CHAIN_LIBERTIES + a)] += np.uint64(1)
        if b != a:
            words[np.uint64(_CHAIN_LIBERTIES + b)] += np.uint64(1)
        if c != a and c != b:
            words[np.uint64(_CHAIN_LIBERTIES + c)] += np.uint64(1)
        if d != a and d != b and d != c:
            words[np.uint64(_CHAIN_LIBERTIES + d)] += np.uint64(1)


@kernel
def _mark_regions(state: State, words: NDArray[np.uint64], queue: NDArray[np.uint16]) -> None:
    """Write for every empty point what it belongs to: size of the region, and the colours that touch it, as bits."""
    w = state.stride
    for i in range(state.n_empty):
        words[np.uint64(_REGIONS + np.int64(state.empties[np.uint64(i)]))] = 0
    for i in range(state.n_empty):
        start = np.int64(state.empties[np.uint64(i)])
        if words[np.uint64(_REGIONS + start)] != 0:
            continue
        words[np.uint64(_REGIONS + start)] = 1
        queue[0] = start
        n, k, colors = 1, 0, 0
        while k < n:
            p = np.int64(queue[np.uint64(k)])
            k += 1
            colors |= np.int64(SIDES[np.uint64(state.code[np.uint64(p)] & np.uint16(0xFF))])
            for side in range(4):
                q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
                if color_at(state, q) == EMPTY and words[np.uint64(_REGIONS + q)] == 0:
                    words[np.uint64(_REGIONS + q)] = 1
                    queue[np.uint64(n)] = q
                    n += 1
        for k in range(n):
            words[np.uint64(_REGIONS + np.int64(queue[np.uint64(k)]))] = n << 2 | colors


@kernel
def _measure_from(state: State, start: int, scratch: Record, base: int) -> None:
    """Write the distance of every point from ``start`` in the common fate graph to ``scratch.words[base + p]``."""
    w, words, queue = state.stride, scratch.words, scratch.candidates
    for p in range(state.points):
        words[np.uint64(base + p)] = FAR + 1
    if start == 0:
        return
    n, i = _reach(state, start, 0, 0, words, queue, base), 0
    while i < n:
        p = np.int64(queue[np.uint64(i)])
        i += 1
        d = np.int64(words[np.uint64(base + p)]) + 1
        if d > FAR:
            return
        for side in range(4):
            q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
            if color_at(state, q) != BORDER and np.int64(words[np.uint64(base + q)]) > d:
                n = _reach(state, q, d, n, words, queue, base)


@kernel
def _reach(
    state: State, p: int, d: int, n: int, words: NDArray[np.uint64], queue: NDArray[np.uint16], base: int
) -> int:
    """Give the point, or its whole chain, the distance ``d`` and queue it."""
    if color_at(state, p) == EMPTY:
        words[np.uint64(base + p)] = d
        queue[np.uint64(n)] = p
        return n + 1
    q = p
    while True:
        words[np.uint64(base + q)] = d
        queue[np.uint64(n)] = q
        n += 1
        q = np.int64(state.next[np.uint64(q)])
        if q == p:
            return n


@inlined
def _note(words: NDArray[np.uint64], slot: int, value: int) -> None:
    words[np.uint64(IDS + slot)] = np.uint64(FIRST_ID[np.uint64(slot)] + value)


@kernel
def write_ids(state: State, spare: State, p: int, color: int, w: int, scratch: Record) -> None:
    """Write the number of each slot's value for the move ``p`` to ``scratch.words[IDS:]``."""
    words = scratch.words
    code = state.code[np.uint64(p)]
    _note(words, _SHAPE, np.int64(SHAPE_NUMBER[seen_by(code, color)]))
    if SIDES[np.uint64(code & np.uint16(0xFF))] == 0:
        for slot in range(_CAPTURE, _DISTANCE):
            _note(words, slot, 0)
        _note(words, _KO, 2 if state.ko else 0)
    else:
        _write_contacts(state, spare, p, color, w, words)
    _write_places(state, p, w, scratch)
    region = np.int64(words[np.uint64(_REGIONS + p)])
    touching, points = region & 3, region >> 2
    whose = 0 if touching == color else 1 if touching == 3 - color else 2
    length = (
        0 if points == 1 else 1 if points == 2 else 2 if points < 5 else 3 if points < 8 else 4 if points < 16 else 5
    )
    _note(words, _REGION, whose * 6 + length)
    own, other = stones_near(scratch, p, color), stones_near(scratch, p, 3 - color)
    late = 0 if words[_PHASE] < np.uint64(3) else 64
    _note(words, _STONES, late + (own if own < 7 else 7) * 8 + (other if other < 7 else 7))


@kernel
def _write_contacts(state: State, spare: State, p: int, color: int, w: int, words: NDArray[np.uint64]) -> None:
    """Write the slots that depend on the chains beside the move."""
    last = state.last
    last_chain = np.int64(state.chain[np.uint64(last)]) if last else -1
    capture, extend, atari, two, attack, defend = 0, 0, 0, 0, 0, 0
    n_ataris, n_own, liberties = 0, 0, 0
    self_atari = is_self_atari(state, p, color, 1, w)
    c0, c1, c2 = np.int64(0), np.int64(0), np.int64(0)
    for side in range(4):
        n = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        c = color_at(state, n)
        if c == EMPTY:
            liberties += 1
        if c == EMPTY or c == BORDER:
            continue
        chain = np.int64(state.chain[np.uint64(n)])
        if chain == c0 or chain == c1 or chain == c2:
            continue
        c0, c1, c2 = chain, c0, c1
        has = np.int64(words[np.uint64(_CHAIN_LIBERTIES + chain)])
        size = _size_class(np.int64(state.stones[np.uint64(chain)]))
        if c == color:
            n_own += 1
            liberties += has - 1
            if has > 3:
                continue
            touched = _touches(state, last, chain, w)
            if has == 1:
                out = np.int64(not self_atari and runs_out(state, spare, p, n, color, w))
                extend = max(extend, 1 + (out * 4 + size) * 2 + touched)
            elif has == 2:
                a, b = two_liberties(state, n, w)
                gains = np.int64(gains_liberties(state, p, b if a == p else a, chain, w))
                two = max(two, 1 + (gains * 4 + size) * 2 + touched)
            else:
                defend = max(defend, 1 + size * 2 + touched)
        elif has == 1:
            saves = _is_beside_atari(state, n, w)
            capture = max(capture, 1 + (saves * 4 + size) * 2 + np.int64(chain == last_chain))
        elif has == 2:
            if self_atari:
                atari = max(atari, 1)
            else:
                n_ataris += 1
                caught = np.int64(catches(state, spare, p, n, color, w))
                atari = max(atari, 2 + (caught * 4 + size) * 2 + np.int64(chain == last_chain))
        elif has == 3:
            attack = max(attack, 1 + size * 2 + np.int64(chain == last_chain))
    if attack and liberties >= 3:  # all sides have been counted
        attack += 8
    if defend and liberties > 3:
        defend += 8
    _note(words, _CAPTURE, capture)
    _note(words, _EXTEND, extend)
    _note(words, _SELF_ATARI, _self_atari_value(state, p, color, w) if self_atari else 0)
    _note(words, _ATARI, atari)
    _note(words, _TWO, two)
    _note(words, _DOUBLE, np.int64(n_ataris > 1))
    _note(words, _ATTACK, attack)
    _note(words, _DEFEND, defend)
    _note(words, _LIBERTIES, min(n_own, 3) * 7 + min(liberties, 6))
    _note(words, _KO, 0 if state.ko == 0 else 1 if atari > 1 or capture > 0 else 2)


@inlined
def _size_class(stones: int) -> int:
    return 0 if stones == 1 else 1 if stones == 2 else 2 if stones <= 4 else 3


@kernel
def _self_atari_value(state: State, p: int, color: int, w: int) -> int:
    value = 1
    if is_self_atari(state, p, color, 2, w):
        value = 2
        if is_self_atari(state, p, color, 3, w):
            value = 4 if is_self_atari(state, p, color, 6, w) else 3
    return value + (4 if kills_inside(state, p, color, w) else 0)


@inlined
def _touches(state: State, last: int, chain: int, w: int) -> int:
    """Return 1 if the stone ``last`` lies beside the chain, else 0."""
    if last == 0:
        return 0
    return np.int64(
        np.int64(state.chain[np.uint64(last - w)]) == chain
        or np.int64(state.chain[np.uint64(last - 1)]) == chain
        or np.int64(state.chain[np.uint64(last + 1)]) == chain
        or np.int64(state.chain[np.uint64(last + w)]) == chain
    )


@kernel
def _is_beside_atari(state: State, start: int, w: int) -> int:
    """Return 1 if a chain in atari of the other colour lies beside the chain at ``start``, else 0."""
    color = color_at(state, start)
    q = start
    while True:
        for side in range(4):
            n = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
            if color_at(state, n) == 3 - color and in_atari(state.liberties[np.uint64(state.chain[np.uint64(n)])]):
                return 1
        q = np.int64(state.next[np.uint64(q)])
        if q == start:
            return 0


@inlined
def _write_places(state: State, p: int, w: int, scratch: Record) -> None:
    """Write the slots that depend on where the move lies."""
    words = scratch.words
    distance = np.int64(words[np.uint64(_FROM_LAST + p)])
    _note(words, _DISTANCE, distance)
    kind = 0 if not words[_ANSWERED] else 1 if scratch.marked[np.uint64(p)] else 2
    _note(words, _ANSWER, kind * 5 + (distance if distance < 4 else 4))
    _note(words, _DISTANCE_BEFORE, np.int64(words[np.uint64(_FROM_BEFORE + p)]))
    row, column = p // w, p % w
    _note(words, _GRID, _grid(row, column, state.last, w))
    _note(words, _GRID_BEFORE, _grid(row, column, state.last_but_one, w))
    x, y = min(row, w - row), min(column, w - column)
    line, other = min(min(x, y), _LINES) - 1, min(max(x, y), _OTHERS) - 1
    remote = np.int64(min(scratch.remoteness[np.uint64(p)], np.uint8(_REMOTE)))
    phase = np.int64(words[_PHASE])
    _note(words, _LINE, (phase * _LINES + line) * (_REMOTE + 1) + remote)
    _note(words, _PLACE, (phase * _LINES + line) * _OTHERS + other)


@inlined
def _grid(row: int, column: int, earlier: int, w: int) -> int:
    """Return the gridcular distance from an earlier move, at most 18; 19 if there is none."""
    if earlier == 0:
        return _GRIDS - 1
    dx, dy = abs(column - earlier % w), abs(row - earlier // w)
    return min(dx + dy + max(dx, dy), _GRIDS - 2)


@kernel
def write_keys(state: State, p: int, color: int, w: int, scratch: Record) -> None:
    """Write all keys of the move ``p`` to ``scratch.words[KEYS:]``; 0 stands for no key."""
    words = scratch.words
    for k in range(_AFTER_LAST, N_KEYS):
        words[np.uint64(KEYS + k)] = 0
    after, before = place_of(p, state.last, w), place_of(p, state.last_but_one, w)
    for size in range(N_RINGS):
        if size > 0:
            words[np.uint64(KEYS + size - 1)] = key_at(state, p, color, size, -1, scratch)
        if after >= 0 and (size == 0 or size == 2 or size == 4):
            words[np.uint64(KEYS + _AFTER_LAST + size // 2)] = response_key(state, p, color, size, after, scratch)
    if before >= 0:
        words[np.uint64(KEYS + _AFTER_BEFORE)] = before_key(state, p, color, before, scratch)


@kernel
def key_at(state: State, p: int, color: int, size: int, place: int, scratch: Record) -> np.uint64:
    """Return the key of the shape of that size around ``p``, with the place of an earlier move if that is not -1."""
    at = first_hash(p, color)
    read_in = np.uint64(READ_IN[seen_by(state.code[np.uint64(p)], color)])
    if in_all_turns(read_in):
        return key_in_all_turns(scratch.kept, at, size, place)
    one, two = read_in & np.uint64(7), read_in >> np.uint64(3)
    a, b = np.uint64(0), np.uint64(0)
    for ring in range(size + 1):
        a ^= scratch.kept[np.uint64(at + ring * 8) + one]
        b ^= scratch.kept[np.uint64(at + ring * 8) + two]
    if place >= 0:
        a ^= place_number(place, one)
        b ^= place_number(place, two)
    return key_of_two(a, b, size)


@inlined
def before_key(state: State, p: int, color: int, place: int, scratch: Record) -> np.uint64:
    """Return the key of the 3x3 shape together with the place of the last move but one."""
    return key_at(state, p, color, 0, place, scratch) ^ _BEFORE_MARK


@inlined
def response_key(state: State, p: int, color: int, size: int, place: int, scratch: Record) -> np.uint64:
    """Return the key of a shape together with the place of the last move."""
    return key_at(state, p, color, size, place, scratch) ^ _LAST_MARK

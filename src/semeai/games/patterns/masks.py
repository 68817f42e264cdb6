"""Match patterns of any radius in kernels: bitboards, shifted once per cell and then only combined.

Each different (cell, offset) that some pattern names is a plane: one bit per point, set where the point at that offset
is what the cell says. A pattern in one symmetry is a mask, a list of planes, and matches where all their bits are set;
so hundreds of masks cost a few machine words each, whatever the board. The rows of the bitboard are ``reach`` bits
apart: a shift never leads from one row into the next.

It serves every board that lies in one dimension as Go's and Havannah's do: (row, column) at ``(row + 1) * stride +
column + 1``, 0 for empty, the player to move 1 or 2, 3 off the board.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.games.protocol import MAX_WORDS, Record
from semeai.jit import inlined, kernel
from semeai.patterns.pattern import MAX_RADIUS, Cell, Cells, Pattern

MAX_LINES = 25
MAX_PLANES, MAX_CELLS, MAX_PATTERNS = 1000, 32768, 2048
_OWN, _OTHER, _STONE, _EMPTY, _ON_BOARD = 0, 1, 2, 3, 4
_N_KINDS = 5
_KINDS = {Cell.BLACK: _OWN, Cell.WHITE: _OTHER, Cell.STONE: _STONE, Cell.EMPTY: _EMPTY, Cell.OFF_BOARD: _ON_BOARD}
"""The bitboard that a cell is read from; OFF_BOARD is read from the negated board."""
_LAST_MASK = 1 << 15
"""Flag in the number before a mask's planes: this is the pattern's last mask."""

_COUNT_BITS = MAX_PATTERNS.bit_length()
_MARGIN = 9
"""Words of zeros around a bitboard: no shift of MAX_RADIUS rows leads farther."""
_MOST_WORDS = -(-MAX_LINES * (MAX_LINES + MAX_RADIUS) // 128) * 2

assert _N_KINDS * (_MOST_WORDS + 2 * _MARGIN) + MAX_PLANES * _MOST_WORDS + 2 * _COUNT_BITS <= MAX_WORDS
assert MAX_RADIUS * (MAX_LINES + MAX_RADIUS + 1) < 64 * (_MARGIN - 1)

MASKS = np.dtype(
    [
        ("n_planes", np.int64),
        ("n_cells", np.int64),
        ("reach", np.int64),
        ("plane_kind", np.uint8, MAX_PLANES),
        ("plane_dx", np.int8, MAX_PLANES),
        ("plane_dy", np.int8, MAX_PLANES),
        ("cells", np.uint16, MAX_CELLS),  # a mask after the other: how many planes, and the planes
        ("bias", np.float32, MAX_PATTERNS),
    ],
    align=True,
)
"""Compiled patterns, read by kernels and never written."""

PATTERNS = np.dtype(
    [
        ("n", np.int64),
        ("visits", np.float32),  # virtual visits of a bias of 1
        ("heuristic", np.float32),  # H of a bias of 1
        ("masks", MASKS),
    ],
    align=True,
)
"""A game's compiled patterns and their weights, part of the record of its policy."""

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_ONE, _58, _63 = np.uint64(1), np.uint64(58), np.uint64(63)
_LOWEST = np.zeros(64, np.uint8)
for _bit in range(64):
    _LOWEST[(int(_DE_BRUIJN) << _bit & (1 << 64) - 1) >> 58] = _bit


def compile_patterns(table: Any, patterns: Sequence[Pattern], visits: float, heuristic: float) -> None:
    """Write ``patterns`` into ``table``, one record of PATTERNS."""
    table["n"], table["visits"], table["heuristic"] = len(patterns), visits, heuristic
    compile_masks(table["masks"], patterns)


def compile_masks(table: Any, patterns: Sequence[Pattern]) -> None:
    """Write ``patterns`` into ``table``, one record of MASKS. Raises ConfigError if they do not fit."""
    # Those of one bias are counted together, and masks of one length in a row keep the processor's guesses right.
    patterns = sorted(patterns, key=lambda pattern: (pattern.bias, len(pattern.cells)))
    planes: dict[tuple[int, int, int], int] = {}
    stream: list[int] = []
    for pattern in patterns:
        masks = [_planes_of(cells, planes) for cells in pattern.variants]
        for i, mask in enumerate(masks):
            stream += [len(mask) | (_LAST_MASK if i == len(masks) - 1 else 0), *mask]
    used = (("patterns", len(patterns), MAX_PATTERNS), ("cells", len(stream), MAX_CELLS))
    for what, n, most in (*used, ("different cells", len(planes), MAX_PLANES)):
        if n > most:
            raise ConfigError(f"{len(patterns)} patterns need {n} {what} in all symmetries, and {most} are the most")
    table["n_planes"], table["n_cells"] = len(planes), len(stream)
    table["reach"] = max((abs(dx) for _, dx, _ in planes), default=0)
    for name, values in zip(("plane_kind", "plane_dx", "plane_dy"), zip(*planes, strict=True), strict=False):
        table[name][: len(planes)] = values
    table["cells"][: len(stream)] = stream
    table["bias"][: len(patterns)] = [pattern.bias for pattern in patterns]


def _planes_of(cells: Cells, planes: dict[tuple[int, int, int], int]) -> list[int]:
    """Return the planes of a mask; new ones are added to ``planes``."""
    return [planes.setdefault((_KINDS[cell], dx, dy), len(planes)) for (dx, dy), cell in cells]


@inlined
def bit_of(p: int, stride: int, width: int) -> int:
    """Return the bit of a point of the board."""
    row = p // stride
    return (row - 1) * width + (p - row * stride) - 1


@kernel
def match_masks(masks: Record, color: NDArray[np.uint8], stride: int, mover: int, scratch: Record) -> int:
    """Write the sum of the biases that match each empty point into ``scratch.values``. Returns ``bit_of``'s width."""
    lines = stride - 1
    width = lines + masks.reach
    bits = lines * width
    n_words = (bits + 127) >> 7 << 1
    whole = n_words + 2 * _MARGIN
    _lay_out(color, stride, width, whole, mover, scratch.words)
    planes = _N_KINDS * whole
    for i in range(masks.n_planes):
        kind = np.int64(masks.plane_kind[np.uint64(i)])
        shift = np.int64(masks.plane_dy[np.uint64(i)]) * width + np.int64(masks.plane_dx[np.uint64(i)])
        negated = np.uint64(0) - np.uint64(kind == _ON_BOARD)
        _shift(scratch.words, kind * whole + _MARGIN, planes + i * n_words, shift, n_words, negated)
    for b in range(bits):
        scratch.values[np.uint64(b)] = 0
    counts = planes + masks.n_planes * n_words
    for i in range(2 * _COUNT_BITS):
        scratch.words[np.uint64(counts + i)] = 0
    empty = _EMPTY * whole + _MARGIN
    if n_words == 2:
        _combine(masks, scratch, empty, planes, counts, 2, 0)  # a constant is worth its own copy
    else:
        for i in range(0, n_words, 2):
            _combine(masks, scratch, empty, planes, counts, n_words, i)
    return width


@inlined
def _lay_out(
    color: NDArray[np.uint8], stride: int, width: int, whole: int, mover: int, words: NDArray[np.uint64]
) -> None:
    """Write a bitboard of each kind, as the player to move sees the board, with a margin of zeros around each."""
    for i in range(_N_KINDS * whole):
        words[np.uint64(i)] = 0
    lines = stride - 1
    for row in range(lines):
        p = (row + 1) * stride + 1
        own, other, empty = np.uint64(0), np.uint64(0), np.uint64(0)
        for column in range(lines):
            c = np.int64(color[np.uint64(p + column)])
            own |= np.uint64(c == mover) << np.uint64(column)
            other |= np.uint64(c == 3 - mover) << np.uint64(column)
            empty |= np.uint64(c == 0) << np.uint64(column)
        _put_row(words, _OWN * whole + _MARGIN, row * width, own)
        _put_row(words, _OTHER * whole + _MARGIN, row * width, other)
        _put_row(words, _STONE * whole + _MARGIN, row * width, own | other)
        _put_row(words, _EMPTY * whole + _MARGIN, row * width, empty)
        _put_row(words, _ON_BOARD * whole + _MARGIN, row * width, own | other | empty)


@inlined
def _put_row(words: NDArray[np.uint64], start: int, b: int, row: np.uint64) -> None:
    """Put the bits of a row at bit ``b`` of the bitboard that starts at ``start``."""
    place, near = start + (b >> 6), np.uint64(b & 63)
    words[np.uint64(place)] |= row << near
    words[np.uint64(place + 1)] |= row >> _ONE >> (_63 - near)  # two steps, because a shift by 64 means nothing


@inlined
def _shift(words: NDArray[np.uint64], source: int, target: int, shift: int, n_words: int, negated: np.uint64) -> None:
    """Make bit b of ``target`` bit b + shift of ``source``, or 0 beyond it; all ones in ``negated`` negate it."""
    start = source + (shift >> 6)
    near = np.uint64(shift & 63)
    low = words[np.uint64(start)]
    for i in range(n_words):
        high = words[np.uint64(start + i + 1)]
        words[np.uint64(target + i)] = (low >> near | high << _ONE << (_63 - near)) ^ negated
        low = high


@inlined
def _combine(masks: Record, scratch: Record, empty: int, planes: int, counts: int, n_words: int, i: int) -> None:
    """Count the patterns that match each point of words ``i`` and ``i + 1``, once per pattern, not per mask.

    Two words at a time stay in registers; on 9x9 there are no more. Most masks have two or three planes, so the first
    two are written out.
    """
    words, cells = scratch.words, masks.cells
    empty_a, empty_b = words[np.uint64(empty + i)], words[np.uint64(empty + i + 1)]
    all_a, all_b = np.uint64(0), np.uint64(0)
    first = planes + i
    at, pattern, end_of_all = 0, 0, masks.n_cells
    while at < end_of_all:
        head = np.int64(cells[np.uint64(at)])
        end = at + 1 + (head & (_LAST_MASK - 1))
        plane = first + np.int64(cells[np.uint64(at + 1)]) * n_words
        a, b = words[np.uint64(plane)], words[np.uint64(plane + 1)]
        if end > at + 2:
            plane = first + np.int64(cells[np.uint64(at + 2)]) * n_words
            a &= words[np.uint64(plane)]
            b &= words[np.uint64(plane + 1)]
            for k in range(at + 3, end):
                plane = first + np.int64(cells[np.uint64(k)]) * n_words
                a &= words[np.uint64(plane)]
                b &= words[np.uint64(plane + 1)]
        all_a |= a
        all_b |= b
        at = end
        if head & _LAST_MASK:
            _count(words, counts, all_a & empty_a)
            _count(words, counts + 1, all_b & empty_b)
            all_a, all_b = np.uint64(0), np.uint64(0)
            bias = masks.bias[np.uint64(pattern)]
            pattern += 1
            if at == end_of_all or masks.bias[np.uint64(pattern)] != bias:
                _note_sums(scratch, counts, i << 6, bias)


@inlined
def _count(words: NDArray[np.uint64], place: int, found: np.uint64) -> None:
    """Add one to the counts of all bits that are set; bit k of every count lies in every second word."""
    while found != np.uint64(0):
        before = words[np.uint64(place)]
        words[np.uint64(place)] = before ^ found
        found &= before
        place += 2


@kernel
def _note_sums(scratch: Record, counts: int, first: int, bias: np.float32) -> None:
    """Add bias times count to the values from bit ``first`` on, and count from 0 again."""
    value = bias
    for k in range(0, 2 * _COUNT_BITS, 2):
        _spread(scratch, scratch.words[np.uint64(counts + k)], first, value)
        _spread(scratch, scratch.words[np.uint64(counts + k + 1)], first + 64, value)
        scratch.words[np.uint64(counts + k)] = 0
        scratch.words[np.uint64(counts + k + 1)] = 0
        value *= np.float32(2.0)


@inlined
def _spread(scratch: Record, found: np.uint64, first: int, value: np.float32) -> None:
    """Add ``value`` to the values of all bits that are set."""
    while found != np.uint64(0):
        lowest = found & (np.uint64(0) - found)
        b = np.int64(_LOWEST[(lowest * _DE_BRUIJN) >> _58])
        scratch.values[np.uint64(first + b)] += value
        found ^= lowest


@inlined
def believe_value(scratch: Record, i: int, value: np.float32, visits: np.float32, heuristic: np.float32) -> None:
    """Add the weight of a sum of biases to entry ``i`` of a new node's moves: virtual wins or losses, and H."""
    worth = value * visits
    scratch.prior_visits[np.uint64(i)] += abs(worth)
    scratch.prior_wins[np.uint64(i)] += max(worth, np.float32(0.0))
    scratch.heuristic[np.uint64(i)] += value * heuristic


@kernel
def add_patterns(patterns: Record, color: NDArray[np.uint8], stride: int, mover: int, scratch: Record, n: int) -> None:
    """Add the biases of matching patterns to the ``n`` moves in ``scratch.moves``; move 0 is no point of the board."""
    width = match_masks(patterns.masks, color, stride, mover, scratch)
    for i in range(n):
        p = np.int64(scratch.moves[np.uint64(i)])
        if p != 0:
            value = scratch.values[np.uint64(bit_of(p, stride, width))]
            if value != 0:
                believe_value(scratch, i, value, patterns.visits, patterns.heuristic)

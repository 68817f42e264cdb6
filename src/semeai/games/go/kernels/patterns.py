"""A player's own patterns in the tree: their biases become virtual visits and H of a new node's moves.

All patterns of radius 1 together cost one look into a table by the board's 3x3 code; larger ones are masks
(``games.patterns.masks``). A pattern counts once where several of its symmetries match; different patterns add up.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import GO_STATE, PASS, State
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, SLOT_OFFSETS, WHITE, seen_by
from semeai.games.patterns.masks import MASKS, believe_value, bit_of, compile_masks, match_masks
from semeai.games.protocol import SCRATCH, Record
from semeai.jit import kernel
from semeai.patterns.pattern import Cell, Pattern

GO_PATTERNS = np.dtype(
    [
        ("n", np.int64),
        ("n_large", np.int64),  # of radius 2 and more
        ("visits", np.float32),  # virtual visits of a bias of 1
        ("heuristic", np.float32),  # H of a bias of 1
        ("near", np.float32, 65536),  # the sum of biases by 3x3 code, as Black sees it
        ("masks", MASKS),
    ],
    align=True,
)
"""Compiled patterns and what they mean, part of ``GO_POLICY``."""

_COLORS = {
    Cell.BLACK: [BLACK], Cell.WHITE: [WHITE], Cell.STONE: [BLACK, WHITE], Cell.EMPTY: [EMPTY], Cell.OFF_BOARD: [BORDER],
}  # fmt: skip


def compile_patterns(table: Any, patterns: Sequence[Pattern], visits: float, heuristic: float) -> None:
    """Write ``patterns`` into ``table``, a zeroed record of GO_PATTERNS."""
    large = [pattern for pattern in patterns if pattern.radius > 1]
    table["n"], table["n_large"] = len(patterns), len(large)
    table["visits"], table["heuristic"] = visits, heuristic
    near = table["near"].reshape((4,) * 8)
    for pattern in patterns:
        if pattern.radius == 1:
            near[_codes(pattern)] += pattern.bias
    compile_masks(table["masks"], large)


def _codes(pattern: Pattern) -> NDArray[np.bool_]:
    """Return the 3x3 codes that match in any symmetry, with one axis per neighbour, the highest bits first."""
    found = np.zeros((4,) * 8, np.bool_)
    for cells in pattern.variants:
        named = dict(cells)
        colors = [_COLORS[named[offset]] if offset in named else [0, 1, 2, 3] for offset in reversed(SLOT_OFFSETS)]
        found[np.ix_(*colors)] = True
    return found


@kernel
def add_patterns(state: State, patterns: Record, scratch: Record, n: int) -> None:
    """Add the biases of matching patterns to the ``n`` moves in ``scratch.moves``."""
    color, w = np.int64(state.to_move), state.stride
    width = 0
    if patterns.n_large > 0:
        width = match_masks(patterns.masks, state.color, w, color, scratch)
    for i in range(n):
        p = np.int64(scratch.moves[np.uint64(i)])
        if p == PASS:
            continue
        value = patterns.near[np.uint64(seen_by(state.code[np.uint64(p)], color))]
        if width:
            value += scratch.values[np.uint64(bit_of(p, w, width))]
        if value != 0:
            believe_value(scratch, i, value, patterns.visits, patterns.heuristic)


@kernel
def _values(states: NDArray[Any], table: NDArray[Any], scratches: NDArray[Any], moves: NDArray[np.int64]) -> None:
    scratch = scratches[0]
    for i in range(len(moves)):
        scratch.moves[i] = moves[i]
        scratch.heuristic[i] = 0
    add_patterns(states[0], table[0], scratch, len(moves))


def pattern_values(states: NDArray[Any], patterns: Sequence[Pattern], moves: Sequence[int]) -> NDArray[np.float32]:
    """Return the sum of biases that match each of ``moves``, as kernels see it; ``states`` belongs to a position."""
    assert states.dtype == GO_STATE
    table, scratch = np.zeros(1, GO_PATTERNS), np.zeros(1, SCRATCH)
    compile_patterns(table[0], patterns, 0.0, 1.0)
    _values(states, table, scratch, np.array(moves, np.int64))
    values: NDArray[np.float32] = scratch[0]["heuristic"][: len(moves)]
    return values

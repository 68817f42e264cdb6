"""Tromp-Taylor area: a point belongs to a colour if only that colour can be reached from it over empty points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS, copy_board
from semeai.games.go.kernels.playout import play_out
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, WHITE
from semeai.jit import kernel


@kernel
def area_owners(color: NDArray[np.uint8], size: int) -> NDArray[np.int8]:
    """Return the owners of a padded board's points as (size, size): 1 Black, -1 White, 0 nobody."""
    w = size + 1
    owner = np.zeros((size, size), np.int8)
    seen = np.zeros(MAX_POINTS, np.bool_)
    region = np.empty(size * size, np.int64)
    for row in range(size):
        for column in range(size):
            start = (row + 1) * w + column + 1
            if color[start] == BLACK:
                owner[row, column] = 1
            elif color[start] == WHITE:
                owner[row, column] = -1
            elif not seen[start]:
                seen[start] = True
                region[0] = start
                n, i, reached = 1, 0, 0
                while i < n:
                    p = region[i]
                    i += 1
                    for q in (p - w, p - 1, p + 1, p + w):
                        c = color[q]
                        if c == EMPTY:
                            if not seen[q]:
                                seen[q] = True
                                region[n] = q
                                n += 1
                        elif c != BORDER:
                            reached |= np.int64(c)
                value = 1 if reached == BLACK else -1 if reached == WHITE else 0
                for k in range(n):
                    owner[region[k] // w - 1, region[k] % w - 1] = value
    return owner


@kernel
def count_owners(
    states: NDArray[Any], policy: NDArray[Any], scratches: NDArray[Any], n: int, counts: NDArray[np.int64]
) -> None:
    """Add to ``counts``, for each point, the playouts of ``n`` that end with it Black's minus those with it White's."""
    root, state, scratch = states[0], states[1], scratches[0]
    for k in range(n):
        copy_board(state, root)
        state.passes = 0
        state.last = state.last_but_one = 0  # half of the playouts begin with the player who made the last move
        state.to_move = 1 + k % 2
        scratch.n_played = 0
        play_out(state, policy[0], scratch)
        owners = area_owners(state.color, state.size)
        for row in range(state.size):
            for column in range(state.size):
                counts[(row + 1) * state.stride + column + 1] += owners[row, column]

"""Tromp-Taylor area: a point belongs to the colour that alone is reached from it over empty points."""

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, WHITE
from semeai.jit import kernel


@kernel
def area_owners(color: NDArray[np.uint8], size: int) -> NDArray[np.int8]:
    """The owner of each point as (size, size), for the colours of a padded board: 1 Black, -1 White, 0 nobody."""
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

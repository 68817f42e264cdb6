"""The expected owner of each point at the end of the game, by playouts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.scoring import count_owners
from semeai.games.go.kernels.tables import BLACK
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH

PLAYOUTS = 200
ALIVE = 0.5
"""A chain is dead if its stones stand at the end of fewer playouts than this share."""


def expected_owners(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> NDArray[np.float64]:
    """Return, by point of the padded board, +1 for always Black's to -1 for always White's. Needs no seed."""
    states = position.states.repeat(2)
    scratch = np.zeros(1, SCRATCH)
    scratch[0]["rng"] = np.uint64(88172645463325252)
    counts = np.zeros(MAX_POINTS, np.int64)
    count_owners(states, policy, scratch, playouts, counts)
    return counts / playouts


def dead_stones(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> list[int]:
    """Return the stones of chains whose points mostly belong to the opponent at the end of playouts."""
    owners = expected_owners(position, policy, playouts)
    state = position.states[0]
    dead: list[int] = []
    for chain in {int(c) for c in state["chain"] if c}:
        stones = np.flatnonzero(state["chain"] == chain)
        side = 1.0 if state["color"][chain] == BLACK else -1.0
        if side * float(owners[stones].mean()) < 2 * ALIVE - 1:
            dead += [int(p) for p in stones]
    return sorted(dead)

"""Who owns a point at the end: counted over many playouts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS, copy_board
from semeai.games.go.kernels.playout import play_out
from semeai.games.go.kernels.scoring import area_owners
from semeai.games.go.kernels.tables import BLACK
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel

PLAYOUTS = 200
ALIVE = 0.5
"""A chain whose stones stand at the end of a smaller share of the playouts is dead."""


@kernel
def count_owners(
    states: NDArray[Any], policy: NDArray[Any], scratches: NDArray[Any], n: int, counts: NDArray[np.int64]
) -> None:
    """Add to ``counts`` how often each point was Black's at the end of ``n`` playouts, minus White's."""
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


def expected_owners(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> NDArray[np.float64]:
    """By point of the padded board: +1 always Black's, -1 always White's. The same for the same position."""
    states = position.states.repeat(2)
    scratch = np.zeros(1, SCRATCH)
    scratch[0]["rng"] = np.uint64(88172645463325252)
    counts = np.zeros(MAX_POINTS, np.int64)
    count_owners(states, policy, scratch, playouts, counts)
    return counts / playouts


def dead_stones(position: GoPosition, policy: NDArray[Any], playouts: int = PLAYOUTS) -> list[int]:
    """Stones of chains that mostly belong to the enemy at the end of playouts."""
    owners = expected_owners(position, policy, playouts)
    state = position.states[0]
    dead: list[int] = []
    for chain in {int(c) for c in state["chain"] if c}:
        stones = np.flatnonzero(state["chain"] == chain)
        side = 1.0 if state["color"][chain] == BLACK else -1.0
        if side * float(owners[stones].mean()) < 2 * ALIVE - 1:
            dead += [int(p) for p in stones]
    return sorted(dead)

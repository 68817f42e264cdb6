"""Playouts alone, for any game: how fast they are and how they end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import copy_state, playout, reward
from semeai.jit import kernel


@kernel
def run_playouts(
    states: NDArray[Any], policy: NDArray[Any], scratches: NDArray[Any], n: int, results: NDArray[np.int64]
) -> float:
    """Play ``n`` games out from ``states[0]``, with ``states[1]`` to work on; the sum of player 0's rewards.

    ``results`` gets the number of moves, and a hash of all lengths and rewards in their order.
    """
    root, state, scratch = states[0], states[1], scratches[0]
    total = 0.0
    digest = np.uint64(0)
    n_moves = 0
    for _ in range(n):
        copy_state(state, root)
        scratch.n_played = 0
        playout(state, policy[0], scratch)
        gained = reward(state)
        total += gained
        n_moves += scratch.n_played
        digest = digest * np.uint64(1099511628211) + np.uint64(scratch.n_played * 4 + np.int64(2.0 * gained))
    results[0] = n_moves
    results[1] = np.int64(digest >> np.uint64(1))
    return total

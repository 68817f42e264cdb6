"""What the toy games share: listing a move, and a playout that draws from the list."""

import numpy as np

from semeai.games.protocol import CHANCE, MAX_PLAYED, Record, expand, is_over, mover, play
from semeai.jit import kernel
from semeai.rng_kernels import below

NO_POLICY = np.zeros(1, np.dtype([("unused", np.int64)]))
"""The policy of games whose playouts have no settings."""

_RESOLUTION = 1 << 30


@kernel
def list_move(scratch: Record, n: int, move: int, heuristic: float) -> None:
    """Write entry ``n`` of the moves that ``expand`` finds, without a prior."""
    scratch.moves[n] = move
    scratch.prior_visits[n] = 0
    scratch.prior_wins[n] = 0
    scratch.heuristic[n] = heuristic


@kernel
def play_at_random(state: Record, policy: Record, scratch: Record) -> None:
    """Play uniformly random moves to the end, or until no more fit in ``scratch``; chance by its probabilities."""
    while not is_over(state) and scratch.n_played < MAX_PLAYED:
        n = expand(state, state, policy, scratch)
        who = mover(state)
        i = below(scratch, n)
        if who == CHANCE:
            u = below(scratch, _RESOLUTION) / _RESOLUTION
            i = 0
            while i < n - 1 and u >= scratch.heuristic[i]:
                u -= scratch.heuristic[i]
                i += 1
        move = np.int64(scratch.moves[i])
        scratch.played[scratch.n_played] = move
        scratch.played_by[scratch.n_played] = who + 1
        scratch.n_played += 1
        play(state, move)

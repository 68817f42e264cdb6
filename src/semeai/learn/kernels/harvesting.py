"""Replay a game and write the features of all legal points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import PASS, is_legal, play_move, play_point, reset
from semeai.games.go.kernels.points import write_points
from semeai.jit import kernel


@kernel
def add_examples(
    states: NDArray[Any],
    scratches: NDArray[Any],
    policies: NDArray[Any],
    size: int,
    setup: NDArray[np.int64],
    moves: NDArray[np.int64],
    take: NDArray[np.bool_],
    ids: NDArray[np.uint16],
    keys: NDArray[np.uint32],
    starts: NDArray[np.int64],
    winners: NDArray[np.int64],
    numbers: NDArray[np.int64],
    n: int,
) -> int:
    """Add the examples of a game. Returns the number of all positions so far."""
    state, spare, scratch = states[0], states[1], scratches[0]
    points = scratch.moves
    reset(state, size, 7.5)
    for i in range(len(setup)):
        play_point(state, setup[i, 1], setup[i, 0])
    state.last, state.last_but_one, state.ko = PASS, PASS, 0
    for t in range(len(moves)):
        color, move = moves[t, 0], moves[t, 1]
        state.to_move = color
        if take[t] and move != PASS and is_legal(state, move, color):
            starts[n + 1] = write_points(state, spare, scratch, policies[0], ids, keys, points, starts[n])
            for i in range(starts[n], starts[n + 1]):
                if points[i - starts[n]] == move:
                    winners[n] = i
            numbers[n] = t + 1
            n += 1
        play_move(state, move, color)
    return n

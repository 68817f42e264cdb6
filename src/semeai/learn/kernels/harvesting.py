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
    size: int,
    setup: NDArray[np.int64],
    moves: NDArray[np.int64],
    take: NDArray[np.bool_],
    rows: NDArray[np.int64],
    shares: NDArray[np.float32],
    ids: NDArray[np.uint16],
    keys: NDArray[np.uint32],
    targets: NDArray[np.float32],
    starts: NDArray[np.int64],
    winners: NDArray[np.int64],
    numbers: NDArray[np.int64],
    n: int,
) -> int:
    """Add the examples of a game. Returns the number of all positions so far.

    Row ``rows[t]`` of ``shares`` has the target of each point before move ``t``; -1: the point played has all.
    """
    state, spare, scratch = states[0], states[1], scratches[0]
    points = scratch.moves
    reset(state, size, 7.5)
    for i in range(len(setup)):
        play_point(state, setup[i, 1], setup[i, 0])
    state.last, state.last_but_one, state.ko = PASS, PASS, 0
    for t in range(len(moves)):
        color, move = moves[t, 0], moves[t, 1]
        state.to_move = color
        row = rows[t]
        if take[t] and (row >= 0 or (move != PASS and is_legal(state, move, color))):
            starts[n + 1] = write_points(state, spare, scratch, ids, keys, points, starts[n])
            most = np.float32(0.0)
            for i in range(starts[n], starts[n + 1]):
                p = points[i - starts[n]]
                targets[i] = np.float32(p == move) if row < 0 else shares[row, p]
                if targets[i] > most:
                    most, winners[n] = targets[i], i
            numbers[n] = t + 1
            n += 1
        play_move(state, move, color)
    return n

"""Replay a game and write the features of all its moves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import copy_state, play, write_features
from semeai.jit import kernel


@kernel
def add_examples(
    states: NDArray[Any],
    scratches: NDArray[Any],
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
    """Add the examples of a game that begins with ``states[0]``. Returns the number of all positions so far.

    Row ``rows[t]`` of ``shares`` has the target of each move before move ``t``; -1: the move played has all. A move
    without features, such as a pass, gives no example.
    """
    state, spare, scratch = states[1], states[2], scratches[0]
    copy_state(state, states[0])
    for t in range(len(moves)):
        color, move = moves[t, 0], moves[t, 1]
        state.to_move = color
        if take[t]:
            first, row = starts[n], rows[t]
            end = write_features(state, spare, scratch, ids, keys, first)
            most = np.float32(0.0)
            for i in range(first, end):
                p = scratch.moves[i - first]
                targets[i] = np.float32(p == move) if row < 0 else shares[row, p]
                if targets[i] > most:
                    most, winners[n] = targets[i], i
            if most > 0:
                numbers[n] = t + 1
                n += 1
                starts[n] = end
        play(state, move)
    return n

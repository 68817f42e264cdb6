"""The features of all legal points of a position, for learning and for explanations."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import State, is_legal
from semeai.games.go.kernels.features import IDS, KEYS, N_KEYS, N_SLOTS, prepare_features, write_ids, write_keys
from semeai.games.go.kernels.playout import ALL_RULES
from semeai.games.go.kernels.priors import REMOTE, mark_answers
from semeai.games.go.kernels.rings import follow_board
from semeai.games.go.kernels.tactics import measure_remoteness
from semeai.games.protocol import Record
from semeai.jit import kernel


@kernel
def write_points(
    state: State,
    spare: State,
    scratch: Record,
    ids: NDArray[np.uint16],
    keys: NDArray[np.uint32],
    at: int,
) -> int:
    """Write the features of all legal points from row ``at`` on, and the points. Returns the row after the last one."""
    color, w = state.to_move, state.stride
    measure_remoteness(state, scratch, REMOTE)
    answered = mark_answers(state, color, ALL_RULES, scratch)
    follow_board(state, scratch)
    prepare_features(state, scratch, answered)
    n = 0
    for i in range(state.n_empty):
        p = np.int64(state.empties[i])
        if is_legal(state, p, color):
            write_ids(state, spare, p, color, w, scratch)
            write_keys(state, p, color, w, scratch)
            for slot in range(N_SLOTS):
                ids[at + n, slot] = scratch.words[IDS + slot]
            for k in range(N_KEYS):
                keys[at + n, k] = scratch.words[KEYS + k]
            scratch.moves[n] = p
            n += 1
    return at + n


@kernel
def write_position(
    states: NDArray[Any],
    scratches: NDArray[Any],
    ids: NDArray[np.uint16],
    keys: NDArray[np.uint32],
) -> int:
    """Write the features of the position ``states[0]``; ``states[1]`` is a state for trying moves."""
    return write_points(states[0], states[1], scratches[0], ids, keys, 0)

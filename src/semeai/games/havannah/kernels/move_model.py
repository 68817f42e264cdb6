"""The move model in the search: how likely a strong player chooses each cell, as priors of a new node.

The strength of a move is exp of the sum of the weights of its features. Its probability is its share of the strengths
of all moves (generalised Bradley-Terry model, Coulom 2007, section 2).
"""

import math

import numpy as np

from semeai.games.havannah.kernels.board import SWAP, State
from semeai.games.havannah.kernels.features import IDS, N_IDS, N_SLOTS, prepare_features, write_ids
from semeai.games.patterns.masks import believe_value
from semeai.games.protocol import Record
from semeai.jit import kernel

HAVANNAH_MODEL = np.dtype(
    [
        ("n", np.int64),  # 1: there is a model
        ("even", np.float32),  # virtual visits of every move, half of them won
        ("visits", np.float32),  # virtual visits, all won, of the most likely move
        ("heuristic", np.float32),  # H of the most likely move
        ("exponent", np.float32),  # of a move's probability, divided by the greatest one
        ("weights", np.float32, N_IDS),  # of each value of each slot
    ],
    align=True,
)
"""A move model as kernels read it, part of ``HAVANNAH_POLICY``."""


@kernel
def add_model(state: State, model: Record, scratch: Record, n: int) -> None:
    """Add to the ``n`` moves in ``scratch.moves`` their probability divided by the greatest, raised to the exponent."""
    color, w = np.int64(state.to_move), np.int64(state.stride)
    prepare_features(state, scratch)
    words, weights = scratch.words, model.weights
    best = np.float32(-1e30)
    for i in range(n):
        p = np.int64(scratch.moves[np.uint64(i)])
        if p == SWAP:
            continue
        write_ids(state, p, color, w, scratch)
        total = np.float32(0.0)
        for slot in range(N_SLOTS):
            total += weights[words[np.uint64(IDS + slot)]]
        scratch.values[np.uint64(i)] = total
        best = max(best, total)
    for i in range(n):
        if scratch.moves[np.uint64(i)] != SWAP:
            value = np.float32(math.exp(model.exponent * (scratch.values[np.uint64(i)] - best)))
            believe_value(scratch, i, value, model.visits, model.heuristic)

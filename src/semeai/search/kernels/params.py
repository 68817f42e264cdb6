"""The numbers that steer the search: one record, read by kernels and never written."""

import numpy as np

SEARCH_PARAMS = np.dtype(
    [
        ("exploration", np.float32),  # C of C * sqrt(log N / n); Algorithm 1: sqrt(2)
        ("first_play_urgency", np.float32),  # the value of a move without visits, RAVE or prior
        ("rave", np.int64),  # 0: no RAVE updates; 1: minimum-MSE schedule; 2: hand-picked schedule
        ("rave_bias", np.float32),  # 4 b^2 of the minimum-MSE schedule
        ("rave_equivalence", np.float32),  # k of the hand-picked schedule
        ("rave_per_move", np.float32),  # visits by which RAVE lasts longer, for each move of the node
        ("rave_horizon", np.float32),  # share of a simulation's remaining moves that RAVE looks at
        ("rave_fade", np.float32),  # how much less the last move of a simulation counts for RAVE than the first
        ("plain_every", np.int64),  # every so many visits of a node RAVE has no say, 0: never
        ("plain_visits", np.float32),  # what the heuristic counts for then
        ("bias_constant", np.float32),  # gamma of (gamma + c / log(2 + n)) H
        ("bias_decay", np.float32),  # c
        ("heuristic_visits", np.float32),  # what H counts for in a move's own mean
        ("heuristic_exploration", np.float32),  # C_H of C_H * H * sqrt(N) / (1 + n)
        ("widening", np.float32),  # K of PW(n) = K n^(1/4), 0: off
        ("expansion_threshold", np.float32),  # visits before a node gets children
        ("proof_backup", np.int64),  # 1: ends of the game in the tree are proofs, and moves that lose by one are left
    ],
    align=True,
)

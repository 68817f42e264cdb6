"""The numbers that steer Go's playouts and priors: one record, read by kernels and never written."""

import numpy as np

CERTAIN = 1 << 32
"""Probabilities are thresholds for 32 random bits."""

GO_RULES = np.dtype(
    [
        ("mogo", np.int64),  # 0: light playouts, everything below is ignored
        # Probabilities of the playout's rules, in the order in which they are tried:
        ("capture", np.int64),
        ("save", np.int64),
        ("nakade", np.int64),
        ("low_liberties", np.int64),
        ("shape", np.int64),
        ("shape_before", np.int64),
        ("capture_anywhere", np.int64),
        ("refuse_self_atari", np.int64),
        ("self_atari_stones", np.int64),
        ("mercy", np.int64),
        # Priors of a new node, in virtual visits:
        ("prior_even", np.float64),
    ],
    align=True,
)

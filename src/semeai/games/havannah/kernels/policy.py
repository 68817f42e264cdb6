"""The numbers that steer Havannah's playouts and priors: one record, read by kernels and never written."""

import numpy as np

from semeai.games.havannah.kernels.move_model import HAVANNAH_MODEL
from semeai.games.patterns.masks import PATTERNS

HAVANNAH_POLICY = np.dtype(
    [
        ("slow", np.int64),  # 0: fast playouts, which ignore the next four
        # Probabilities of the playout's rules, see rng_kernels.CERTAIN:
        ("win", np.int64),
        ("block", np.int64),
        ("bridge_reply", np.int64),
        ("last_good_reply", np.int64),
        # The tree:
        ("decisive", np.int64),  # 1: where a move wins, a node has no other
        ("anti_decisive", np.int64),  # 1: where the opponent would win, a node has only moves that prevent it
        # Virtual visits of a new node's moves, won ones:
        ("prior_even", np.float32),  # half of them won
        ("prior_near", np.float32, 4),  # by distance to the last move, 0 unused
        ("prior_near_own", np.float32, 4),  # and to the last but one, which is the player's own
        ("prior_join", np.float32),  # a group that is joined with another
        ("prior_own", np.float32),  # a stone of one's own beside the move
        ("prior_other", np.float32),  # a stone of the opponent's
        ("prior_virtual", np.float32),  # a stone of one's own two cells away with both cells between them empty
        ("prior_reply", np.float32),  # a bridge reply
        ("patterns", PATTERNS),
        ("model", HAVANNAH_MODEL),
    ],
    align=True,
)

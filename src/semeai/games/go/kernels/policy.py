"""The numbers that steer Go's playouts and priors: one record, read by kernels and never written."""

from typing import Any

import numpy as np

from semeai.games.go.kernels.move_model import GO_MODEL
from semeai.games.go.kernels.neighbourhoods import GO_DATABASE
from semeai.games.go.kernels.patterns import GO_PATTERNS

_FIELDS: list[Any] = [
    ("mogo", np.int64),  # 0: light playouts, which ignore all of the following
    # Probabilities of the playout's rules, see rng_kernels.CERTAIN:
    ("capture", np.int64),
    ("save", np.int64),
    ("nakade", np.int64),
    ("two_liberties", np.int64),
    ("shape", np.int64),
    ("shape_before", np.int64),  # shapes around the last move but one
    ("capture_anywhere", np.int64),
    ("refuse_self_atari", np.int64),
    ("self_atari_stones", np.int64),  # chains smaller than this may be thrown in
    # Virtual visits of a new node's moves; won ones if the name says something good:
    ("prior_even", np.float32),  # half of them won
    ("prior_capture", np.float32),  # a move
    ("prior_capture_stone", np.float32),  # and a captured stone
    ("prior_save", np.float32),
    ("prior_save_stone", np.float32),
    ("prior_atari", np.float32),
    ("prior_shape", np.float32),
    ("prior_near", np.float32, 4),  # by distance to the last move, 0 unused
    ("prior_answer", np.float32),  # what the playout's rules would answer to the last move
    ("prior_tenuki", np.float32),  # lost ones: all other moves, where the playout has an answer
    ("prior_self_atari", np.float32),  # lost ones
    ("prior_edge", np.float32),  # lost ones: first line with nothing around
    ("prior_second_line", np.float32),  # lost ones
    ("prior_third_line", np.float32),  # with nothing around
    ("prior_fourth_line", np.float32),
    ("prior_corner", np.float32),  # on a large board: third or fourth line from both sides, with nothing around
    ("prior_centre", np.float32),  # lost ones, on a large board: fifth line or farther in, with nothing around
    ("prior_pass", np.float32),  # lost ones
    ("skip_empty_edges", np.int64),  # 1: no node for points on the first two lines with no stone near
    ("pass_in_tree", np.int64),  # 0: a pass is considered only where no point is playable
    ("patterns", GO_PATTERNS),
    ("database", GO_DATABASE),
    ("model", GO_MODEL),
]

GO_POLICY = np.dtype(_FIELDS, align=True)

GO_RACING_POLICY = np.dtype(
    [
        ("race_playouts", np.int64),  # a probability
        ("semeai_conditioning", np.int64),  # replays of a playout that contradicts the solver of races
        ("semeai_expertise", np.float32),  # won visits: necessary moves of a capturing race
        ("race_nodes", np.int64),  # positions that the solver reads per question
        *_FIELDS,  # last: numba takes a record for a subtype of one that it begins with
    ],
    align=True,
)
"""The policy of players that know capturing races. It is a type of its own, so that the solver, which takes a minute to
compile, is compiled only for them."""

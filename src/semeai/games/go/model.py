"""Go's move model: its features, the model that comes with semeai, and how kernels read a model."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.features import N_KEYS, N_SIZES, SLOTS, WIDTH
from semeai.games.go.kernels.move_model import GO_MODEL, MAX_SHAPES, fill_model
from semeai.games.learnt import OWN
from semeai.games.move_model import Features, MoveModel

OWN_MODEL = f"f8561330afc5df71@{OWN}"
FEATURES = Features(
    "go",
    SLOTS,
    {
        "shapes": (("shape",), range(N_SIZES)),
        "tactics": (("capture", "extend", "self_atari", "atari", "two_liberties", "double_atari", "attack_three",
                     "defend_three", "liberties", "ko"), ()),
        "last move": (("distance", "grid"), ()),
        "last move but one": (("distance_before", "grid_before"), ()),
        "lines": (("line", "place"), ()),
        "regions and stones around": (("region", "stones"), ()),
        "playout's answers": (("answer",), ()),
        "response shapes": ((), range(N_SIZES, N_KEYS)),
    },
    WIDTH,
    tuple(k in (0, N_SIZES, N_KEYS - 1) for k in range(N_KEYS)),
    MAX_SHAPES,
    OWN_MODEL,
    {
        "model_shapes": ("shapes", "response shapes"),
        "model_tactics": ("tactics",),
        "model_last_move": ("last move",),
        "model_last_but_one": ("last move but one",),
        "model_lines": ("lines",),
        "model_regions": ("regions and stones around",),
        "model_answers": ("playout's answers",),
    },
)  # fmt: skip


@lru_cache(maxsize=8)
def _table(model: MoveModel) -> NDArray[Any]:
    """The record that kernels read, of shape (1,); to copy it is faster than to fill it."""
    record = np.zeros(1, GO_MODEL)
    fill_model(record[0], model.rows, model.keys, model.shapes)
    return record


def compile_model(model: MoveModel, policy: Any) -> None:
    """Write the weights into ``policy``, a record of GO_POLICY."""
    policy["model"] = _table(model)[0]

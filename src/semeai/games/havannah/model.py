"""Havannah's move model: its features, the model that comes with semeai, and how kernels read a model."""

from typing import Any

from semeai.games.havannah.kernels.features import SLOTS
from semeai.games.learnt import OWN
from semeai.games.move_model import Features, MoveModel

OWN_MODEL = f"44e1dca6037627f4@{OWN}"
FEATURES = Features(
    "havannah",
    SLOTS,
    {
        "shape": (("shape",), ()),
        "bridges": (("bridges",), ()),
        "edges": (("line",), ()),
        "groups": (("groups", "other_groups", "sizes"), ()),
        "last move": (("distance", "response", "reply"), ()),
        "own last move": (("distance_own", "response_own"), ()),
    },
    own_model=OWN_MODEL,
    factors={
        "model_shape": ("shape",),
        "model_bridges": ("bridges",),
        "model_edges": ("edges",),
        "model_groups": ("groups",),
        "model_last_move": ("last move",),
        "model_own_last_move": ("own last move",),
    },
)


def compile_model(model: MoveModel, policy: Any) -> None:
    """Write the weights into ``policy``, a record of HAVANNAH_POLICY."""
    policy["model"]["n"], policy["model"]["weights"] = 1, model.rows[:, 0]

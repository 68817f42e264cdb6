"""Why the move model likes a move: its probability, and what each feature adds."""

from dataclasses import dataclass

import numpy as np

from semeai.games.go.kernels.board import GO_STATE
from semeai.games.go.kernels.features import FIRST_ID, N_KEYS, N_SIZES, N_SLOTS, RESPONSES, SLOTS
from semeai.games.go.kernels.neighbourhoods import DISTANCES
from semeai.games.go.kernels.points import write_position
from semeai.games.go.position import GoPosition
from semeai.games.move_model import MoveModel
from semeai.games.protocol import SCRATCH

KEY_NAMES = (
    *(f"shape up to distance {distance}" for distance in DISTANCES[1:]),
    *(f"last move in the shape up to distance {DISTANCES[size]}" for size in RESPONSES),
    "last move but one in the 3x3 shape",
)
"""What each key of a move stands for."""
PAIRS = "pairs of features"
CONTACTS = ("capture", "extend", "self_atari", "atari", "two_liberties", "double_atari", "attack_three", "defend_three")
"""Slots that are shown only if the move has the feature."""


@dataclass(frozen=True)
class JudgedMove:
    """A legal move as the model sees it."""

    move: int
    probability: float
    parts: tuple[tuple[str, float], ...]
    """What each feature adds to the logarithm of the strength, the largest amount first."""


def judge_moves(position: GoPosition, model: MoveModel) -> list[JudgedMove]:
    """Return all legal points, the most likely first. The weights of a slot are given relative to their mean there."""
    states = np.concatenate([position.states[:1], np.zeros(1, GO_STATE)])
    most = position.size**2
    ids, keys = np.zeros((most, N_SLOTS), np.uint16), np.zeros((most, N_KEYS), np.uint32)
    scratch = np.zeros(1, SCRATCH)
    n = write_position(states, scratch, ids, keys)
    if n == 0:
        return []
    rows = model.rows[ids[:n]]
    slots = rows[:, :, 0].astype(np.float64)
    sums = rows[:, :, 1:].sum(axis=1)
    pairs = 0.5 * (sums**2 - (rows[:, :, 1:] ** 2).sum(axis=1)).sum(axis=1)
    shapes = _shape_weights(keys[:n], model)
    strength = slots.sum(axis=1) + pairs + shapes.sum(axis=1)
    chances = np.exp(strength - strength.max())
    chances /= chances.sum()
    parts = np.column_stack([slots - slots.mean(axis=0), shapes, pairs - pairs.mean()])
    names = [*(name.replace("_", " ") for name in SLOTS), *KEY_NAMES, PAIRS]
    features = (ids[:n] != FIRST_ID[:-1]) | ~np.isin(list(SLOTS), CONTACTS)
    shown = np.column_stack([features, shapes != 0, np.ones(n, np.bool_)])
    found = []
    for i in np.argsort(-chances, kind="stable"):
        own = [(name, float(part)) for name, part, show in zip(names, parts[i], shown[i], strict=True) if show]
        found.append(
            JudgedMove(int(scratch[0]["moves"][i]), float(chances[i]), tuple(sorted(own, key=lambda p: -abs(p[1]))))
        )
    return found


def _shape_weights(keys: "np.typing.NDArray[np.uint32]", model: MoveModel) -> "np.typing.NDArray[np.float64]":
    """Return the weight of each key; 0 for shapes that are unknown, or have an unknown one inside."""
    at = np.minimum(np.searchsorted(model.keys, keys), len(model.keys) - 1)
    known = (model.keys[at] == keys) & (keys != 0)
    for first, end in ((0, N_SIZES), (N_SIZES, N_KEYS - 1)):
        known[:, first:end] = np.logical_and.accumulate(known[:, first:end], axis=1)
    return np.where(known, model.shapes[at], 0.0).astype(np.float64)

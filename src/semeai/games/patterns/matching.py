"""Prepare positions of games for ``patterns.matcher``."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semeai.games.position import Position
from semeai.patterns.matcher import PatternMatcher


def board_of(position: Position) -> NDArray[np.uint8]:
    """Return the board with its border in two dimensions; move p lies at ``divmod(p, stride)``, see ``masks``."""
    state = position.states[0]
    stride = int(state["stride"])
    board: NDArray[np.uint8] = state["color"][: (stride + 1) * stride].reshape(stride + 1, stride)
    return board


def add_moves(
    surroundings: PatternMatcher, position: Position, moves: Sequence[int], player: int | None = None
) -> list[int]:
    """Add those ``moves`` of ``player`` (default: the player to move) that are points. Returns the points."""
    stride = int(position.states[0]["stride"])
    points = [int(move) for move in moves if move != 0]
    surroundings.add(
        board_of(position), 1 + (position.to_move if player is None else player), [divmod(p, stride) for p in points]
    )
    return points

"""An artificial tree for two players: its leaves are won, lost or drawn by a hash, so that minimax knows its value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.protocol import Record
from semeai.games.toys.common import list_move, play_at_random
from semeai.jit import implements, kernel

ARTIFICIAL_TREE = np.dtype(
    [
        ("branching", np.int64),
        ("height", np.int64),
        ("depth", np.int64),
        ("path", np.int64),
        ("key", np.uint64),
        ("eighths_drawn", np.int64),  # of the leaves
    ],
    align=True,
)


def new_tree(branching: int, height: int, key: int, eighths_drawn: int = 0) -> NDArray[Any]:
    """Return the root of a uniform tree; ``key`` chooses which leaves player 0 wins."""
    states = np.zeros(1, ARTIFICIAL_TREE)
    states["branching"], states["height"], states["key"] = branching, height, key
    states["eighths_drawn"] = eighths_drawn
    return states


@kernel
def leaf_reward(key: np.uint64, path: int, eighths_drawn: int) -> float:
    """Return 0, 1 or a half by a 64-bit mix of the leaf's number."""
    x = np.uint64(path) * np.uint64(0x9E3779B97F4A7C15) + key
    x ^= x >> np.uint64(31)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    if np.int64((x >> np.uint64(41)) & np.uint64(7)) < eighths_drawn:
        return 0.5
    return float((x >> np.uint64(40)) & np.uint64(1))


def minimax(state: Record) -> float:
    """Return the value for player 0, computed from every leaf."""
    branching, height, key = int(state["branching"]), int(state["height"]), np.uint64(state["key"])
    eighths = int(state["eighths_drawn"])

    def value(depth: int, path: int) -> float:
        if depth == height:
            return leaf_reward(key, path, eighths)
        values = [value(depth + 1, path * branching + i) for i in range(branching)]
        return max(values) if depth % 2 == 0 else min(values)

    return value(int(state["depth"]), int(state["path"]))


@implements(protocol.copy_state, ARTIFICIAL_TREE)
def copy_state(target: Record, source: Record) -> None:
    target.branching, target.height, target.key = source.branching, source.height, source.key
    target.depth, target.path = source.depth, source.path
    target.eighths_drawn = source.eighths_drawn


@implements(protocol.mover, ARTIFICIAL_TREE)
def mover(state: Record) -> int:
    return state.depth % 2


@implements(protocol.is_over, ARTIFICIAL_TREE)
def is_over(state: Record) -> bool:
    return state.depth == state.height


@implements(protocol.reward, ARTIFICIAL_TREE)
def reward(state: Record) -> float:
    return leaf_reward(state.key, state.path, state.eighths_drawn)


@implements(protocol.play, ARTIFICIAL_TREE)
def play(state: Record, move: int) -> None:
    state.path = state.path * state.branching + move
    state.depth += 1


@implements(protocol.expand, ARTIFICIAL_TREE)
def expand(state: Record, spare: Record, policy: Record, scratch: Record) -> int:
    for i in range(state.branching):
        list_move(scratch, i, i, 0.0)
    return state.branching


@implements(protocol.playout, ARTIFICIAL_TREE)
def playout(state: Record, policy: Record, scratch: Record) -> None:
    play_at_random(state, policy, scratch)

"""A one-player problem: take or leave each item; the reward is the value taken, nothing if it weighs too much."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.protocol import PLAYER_ONE, Record
from semeai.games.toys.common import list_move, play_at_random
from semeai.jit import implements

MAX_ITEMS = 32

KNAPSACK = np.dtype(
    [
        ("weights", np.int64, MAX_ITEMS),
        ("values", np.int64, MAX_ITEMS),
        ("n_items", np.int64),
        ("next_item", np.int64),
        ("room", np.int64),
        ("value", np.int64),
        ("total", np.int64),
    ],
    align=True,
)


def new_knapsack(weights: Sequence[int], values: Sequence[int], room: int) -> NDArray[Any]:
    """Return an empty knapsack and the items to come."""
    states = np.zeros(1, KNAPSACK)
    states[0]["weights"][: len(weights)] = weights
    states[0]["values"][: len(values)] = values
    states["n_items"], states["room"], states["total"] = len(weights), room, sum(values)
    return states


@implements(protocol.copy_state, KNAPSACK)
def copy_state(target: Record, source: Record) -> None:
    for i in range(source.n_items):
        target.weights[i] = source.weights[i]
        target.values[i] = source.values[i]
    target.n_items, target.next_item, target.room = source.n_items, source.next_item, source.room
    target.value, target.total = source.value, source.total


@implements(protocol.mover, KNAPSACK)
def mover(state: Record) -> int:
    return PLAYER_ONE


@implements(protocol.is_over, KNAPSACK)
def is_over(state: Record) -> bool:
    return state.next_item == state.n_items


@implements(protocol.reward, KNAPSACK)
def reward(state: Record) -> float:
    return state.value / state.total


@implements(protocol.play, KNAPSACK)
def play(state: Record, move: int) -> None:
    """Leave the next item by an even move, take it by an odd one; each item has its own two, as RAVE needs."""
    item = state.next_item
    if move % 2:
        state.room -= state.weights[item]
        state.value += state.values[item]
    state.next_item += 1


@implements(protocol.expand, KNAPSACK)
def expand(state: Record, spare: Record, policy: Record, scratch: Record) -> int:
    item = state.next_item
    list_move(scratch, 0, 2 * item, 0.0)
    if state.weights[item] > state.room:
        return 1
    list_move(scratch, 1, 2 * item + 1, 0.0)
    return 2


@implements(protocol.playout, KNAPSACK)
def playout(state: Record, policy: Record, scratch: Record) -> None:
    play_at_random(state, policy, scratch)

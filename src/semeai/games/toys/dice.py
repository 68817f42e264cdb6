"""A stochastic problem: roll as often as you dare. A one loses all, any other number is added; or stop and keep."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.protocol import CHANCE, PLAYER_ONE, Record
from semeai.games.toys.common import list_move, play_at_random
from semeai.jit import implements

STOP, ROLL = 10, 11
_DECIDING, _ROLLING, _OVER = 0, 1, 2

DICE = np.dtype([("points", np.int64), ("goal", np.int64), ("phase", np.int64)], align=True)


def new_dice(points: int, goal: int) -> NDArray[Any]:
    """Return a game with ``points`` so far; the reward is points / goal, at most 1."""
    states = np.zeros(1, DICE)
    states["points"], states["goal"] = points, goal
    return states


@cache
def best_value(points: int, goal: int) -> tuple[float, int]:
    """Return the expected reward of perfect play and its move, computed from every roll."""
    stop = min(points / goal, 1.0)
    if points >= goal:
        return stop, STOP
    roll = sum(best_value(points + k, goal)[0] for k in range(2, 7)) / 6
    return max((stop, STOP), (roll, ROLL))


@implements(protocol.copy_state, DICE)
def copy_state(target: Record, source: Record) -> None:
    target.points, target.goal, target.phase = source.points, source.goal, source.phase


@implements(protocol.mover, DICE)
def mover(state: Record) -> int:
    return CHANCE if state.phase == _ROLLING else PLAYER_ONE


@implements(protocol.is_over, DICE)
def is_over(state: Record) -> bool:
    return state.phase == _OVER


@implements(protocol.reward, DICE)
def reward(state: Record) -> float:
    return min(state.points / state.goal, 1.0)


@implements(protocol.play, DICE)
def play(state: Record, move: int) -> None:
    if move == STOP:
        state.phase = _OVER
    elif move == ROLL:
        state.phase = _ROLLING
    elif move == 1:
        state.points = 0
        state.phase = _OVER
    else:
        state.points += move
        state.phase = _DECIDING


@implements(protocol.expand, DICE)
def expand(state: Record, spare: Record, policy: Record, scratch: Record) -> int:
    if state.phase == _DECIDING:
        list_move(scratch, 0, STOP, 0.0)
        list_move(scratch, 1, ROLL, 0.0)
        return 2
    for k in range(6):
        list_move(scratch, k, k + 1, 1.0 / 6.0)
    return 6


@implements(protocol.playout, DICE)
def playout(state: Record, policy: Record, scratch: Record) -> None:
    play_at_random(state, policy, scratch)

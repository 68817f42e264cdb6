"""A bandit: one decision, then chance says whether the arm paid. The best arm is known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.protocol import CHANCE, PLAYER_ONE, Record
from semeai.games.toys.common import list_move, play_at_random
from semeai.jit import implements

MAX_ARMS = 64
_LOSES, _PAYS = 0, 1

BANDIT = np.dtype(
    [("pays", np.float32, MAX_ARMS), ("n_arms", np.int64), ("arm", np.int64), ("paid", np.int64)], align=True
)


def new_bandit(probabilities: Sequence[float]) -> NDArray[Any]:
    """Return a bandit whose arms pay with these probabilities."""
    states = np.zeros(1, BANDIT)
    states["n_arms"], states["arm"], states["paid"] = len(probabilities), -1, -1
    states[0]["pays"][: len(probabilities)] = probabilities
    return states


@implements(protocol.copy_state, BANDIT)
def copy_state(target: Record, source: Record) -> None:
    for i in range(source.n_arms):
        target.pays[i] = source.pays[i]
    target.n_arms, target.arm, target.paid = source.n_arms, source.arm, source.paid


@implements(protocol.mover, BANDIT)
def mover(state: Record) -> int:
    return PLAYER_ONE if state.arm < 0 else CHANCE


@implements(protocol.is_over, BANDIT)
def is_over(state: Record) -> bool:
    return state.paid >= 0


@implements(protocol.reward, BANDIT)
def reward(state: Record) -> float:
    return float(state.paid)


@implements(protocol.play, BANDIT)
def play(state: Record, move: int) -> None:
    if state.arm < 0:
        state.arm = move
    else:
        state.paid = move


@implements(protocol.expand, BANDIT)
def expand(state: Record, spare: Record, policy: Record, scratch: Record) -> int:
    if state.arm < 0:
        for i in range(state.n_arms):
            list_move(scratch, i, i, 0.0)
        return state.n_arms
    list_move(scratch, 0, _LOSES, 1.0 - state.pays[state.arm])
    list_move(scratch, 1, _PAYS, state.pays[state.arm])
    return 2


@implements(protocol.playout, BANDIT)
def playout(state: Record, policy: Record, scratch: Record) -> None:
    play_at_random(state, policy, scratch)

"""Havannah as the search sees it: the functions of ``games.protocol`` for records of ``HAVANNAH_STATE``."""

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.havannah.kernels.board import HAVANNAH_STATE, State, copy_board
from semeai.games.havannah.kernels.features import write_cells
from semeai.games.havannah.kernels.moves import play_move
from semeai.games.havannah.kernels.playout import play_out
from semeai.games.havannah.kernels.priors import expand_node
from semeai.games.protocol import Record
from semeai.jit import implements


@implements(protocol.copy_state, HAVANNAH_STATE)
def copy_state(target: State, source: State) -> None:
    copy_board(target, source)


@implements(protocol.mover, HAVANNAH_STATE)
def mover(state: State) -> int:
    return state.to_move - 1


@implements(protocol.is_over, HAVANNAH_STATE)
def is_over(state: State) -> bool:
    return state.winner != 0 or state.n_empty == 0


@implements(protocol.reward, HAVANNAH_STATE)
def reward(state: State) -> float:
    return 1.0 if state.winner == 1 else 0.0 if state.winner == 2 else 0.5


@implements(protocol.play, HAVANNAH_STATE)
def play(state: State, move: int) -> None:
    play_move(state, np.int64(move), np.int64(state.to_move))


@implements(protocol.expand, HAVANNAH_STATE)
def expand(state: State, spare: State, policy: Record, scratch: Record) -> int:
    return expand_node(state, policy, scratch)


@implements(protocol.write_features, HAVANNAH_STATE)
def write_features(
    state: State, spare: State, scratch: Record, ids: NDArray[np.uint16], keys: NDArray[np.uint32], at: int
) -> int:
    return write_cells(state, scratch, ids, at)


@implements(protocol.playout, HAVANNAH_STATE)
def playout(state: State, policy: Record, scratch: Record) -> None:
    play_out(state, policy, scratch)

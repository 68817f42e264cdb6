"""Go as the search sees it: the functions of ``games.protocol`` for records of ``GO_STATE``."""

import numpy as np
from numpy.typing import NDArray

from semeai.games import protocol
from semeai.games.go.kernels.board import GO_STATE, State, area_margin, copy_board, play_move
from semeai.games.go.kernels.playout import play_out
from semeai.games.go.kernels.points import write_points
from semeai.games.go.kernels.priors import expand_node
from semeai.games.go.kernels.race_playouts import ends_races
from semeai.games.go.kernels.race_policy import look, replays
from semeai.games.protocol import Record
from semeai.jit import implements


@implements(protocol.copy_state, GO_STATE)
def copy_state(target: State, source: State) -> None:
    copy_board(target, source)


@implements(protocol.mover, GO_STATE)
def mover(state: State) -> int:
    return state.to_move - 1


@implements(protocol.is_over, GO_STATE)
def is_over(state: State) -> bool:
    return state.passes >= 2


@implements(protocol.reward, GO_STATE)
def reward(state: State) -> float:
    margin = area_margin(state) - state.komi
    return 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0


@implements(protocol.play, GO_STATE)
def play(state: State, move: int) -> None:
    play_move(state, np.int64(move), np.int64(state.to_move))


@implements(protocol.expand, GO_STATE)
def expand(state: State, spare: State, policy: Record, scratch: Record) -> int:
    return expand_node(state, spare, policy, scratch)


@implements(protocol.playout, GO_STATE)
def playout(state: State, policy: Record, scratch: Record) -> None:
    play_out(state, policy, scratch)


@implements(protocol.write_features, GO_STATE)
def write_features(
    state: State, spare: State, scratch: Record, ids: NDArray[np.uint16], keys: NDArray[np.uint32], at: int
) -> int:
    return write_points(state, spare, scratch, ids, keys, at)


@implements(protocol.look_at_root, GO_STATE)
def look_at_root(state: State, policy: Record, scratch: Record) -> None:
    look(policy, state, scratch)


@implements(protocol.predict, GO_STATE)
def predict(state: State, policy: Record, scratch: Record) -> int:
    return replays(policy, state, scratch)


@implements(protocol.contradicts, GO_STATE)
def contradicts(state: State, policy: Record, scratch: Record) -> bool:
    return not ends_races(state, scratch)

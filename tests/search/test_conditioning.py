"""Conditioning, with a toy game: one decision, then a coin is thrown, and the game predicts that it shows heads."""

import numpy as np
import pytest

from semeai.games import protocol
from semeai.games.protocol import PLAYER_ONE
from semeai.games.toys.common import list_move
from semeai.jit import implements
from semeai.rng_kernels import below
from semeai.search.config import SearchConfig
from semeai.search.kernels.tree import ROOT
from semeai.search.search import Search

COIN = np.dtype([("moves", np.int64), ("heads", np.int64), ("thrown", np.int64), ("looked", np.int64)])
COIN_POLICY = np.dtype([("replays", np.int64)])


@implements(protocol.copy_state, COIN)
def copy_state(target, source):
    target.moves, target.heads, target.thrown = source.moves, source.heads, source.thrown


@implements(protocol.mover, COIN)
def mover(state):
    return PLAYER_ONE


@implements(protocol.is_over, COIN)
def is_over(state):
    return state.moves == 2


@implements(protocol.reward, COIN)
def reward(state):
    return 1.0 if state.heads else 0.0


@implements(protocol.play, COIN)
def play(state, move):
    state.moves += 1


@implements(protocol.expand, COIN)
def expand(state, spare, policy, scratch):
    list_move(scratch, 0, 0, 0.0)
    return 1


@implements(protocol.playout, COIN)
def playout(state, policy, scratch):
    state.heads = below(scratch, 2)
    state.moves = 2
    scratch.solver[1] += 1
    scratch.played[scratch.n_played] = 1
    scratch.played_by[scratch.n_played] = 1
    scratch.n_played += 1


@implements(protocol.look_at_root, COIN)
def look_at_root(state, policy, scratch):
    scratch.solver[0] += 1


@implements(protocol.predict, COIN)
def predict(state, policy, scratch):
    return policy.replays


@implements(protocol.contradicts, COIN)
def contradicts(state, policy, scratch):
    return not state.heads


def searched(replays: int, simulations: int) -> Search:
    policy = np.zeros(1, COIN_POLICY)
    policy["replays"] = replays
    config = SearchConfig(rave="off", expansion_threshold=1000000)
    search = Search(config.to_record(), policy, 100)
    search.seed(1)
    search.set_state(np.zeros(1, COIN))
    search.run(simulations)
    return search


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("replays", [0, 1, 3])
def test_playouts_that_contradict_are_replayed_so_often_and_no_more(replays):
    n = 4000
    search = searched(replays, n)
    tails = 0.5 ** (replays + 1)
    # The limits are five standard deviations: a false alarm has probability 6e-7.
    assert abs(1 - search.nodes[ROOT]["wins"] / n - tails) < 5 * (tails * (1 - tails) / n) ** 0.5
    throws = (1 - tails) / 0.5
    assert abs(int(search._scratch[0]["solver"][1]) / n - throws) < 5 * 2 / n**0.5
    assert search._scratch[0]["n_played"] == 2, "the moves of a replayed playout are forgotten"


@pytest.mark.slow
def test_the_game_looks_at_each_root_once():
    search = searched(0, 10)
    assert search._scratch[0]["solver"][0] == 1
    search.set_state(np.zeros(1, COIN))
    assert search._scratch[0]["solver"][0] == 2

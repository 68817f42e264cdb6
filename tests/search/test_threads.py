"""Threads that search one tree lose no simulations; a single thread grows the same tree as a plain search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.uct import Game

from semeai.games.toys.common import NO_POLICY
from semeai.games.toys.tree import minimax, new_tree
from semeai.search.config import SearchConfig
from semeai.search.kernels.tree import OPEN, ROOT, UNEXPANDED
from semeai.search.leaf_search import LeafSearch
from semeai.search.search import Search
from tests.search.test_simulation import CONFIGS, assert_same, grow_both


def opened(search: Search, game: Game, seed: int) -> Search:
    search.seed(seed)
    search.set_state(new_tree(game.branching, game.height, game.key, game.eighths_drawn))
    return search


GAMES = st.builds(Game, st.integers(1, 4), st.integers(1, 6), st.integers(0, 2**62), st.sampled_from([0, 0, 3, 7]))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(CONFIGS, GAMES, st.integers(0, 2**31))
def test_one_thread_of_many_grows_the_same_tree_as_the_reference(config, game, seed):
    _, reference = grow_both(config, game, 150, seed)
    search = opened(Search(config.to_record(), NO_POLICY, 200_000), game, seed)
    search._run_thread(search._pools, 0, 150)
    assert_same(search._nodes, 0, reference.root)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(CONFIGS, GAMES, st.integers(0, 2**31))
def test_one_leaf_at_a_time_grows_the_same_tree_as_the_reference(config, game, seed):
    _, reference = grow_both(config, game, 150, seed)
    search = opened(LeafSearch(config.to_record(), NO_POLICY, 200_000, 4), game, seed)
    for _ in range(150):
        search.back_up([search.play_out(leaf) for leaf in search.pick(1)])
    assert_same(search._nodes, 0, reference.root)


def assert_nothing_lost(search: Search, extra: int) -> None:
    """Visits of a node are those of its children, and those that ended at it before it had any."""
    nodes = search._nodes
    fringe = [ROOT]
    while fringe:
        node = nodes[fringe.pop()]
        if node["first_child"] != UNEXPANDED and node["n_children"]:
            children = np.arange(node["first_child"], node["first_child"] + node["n_children"])
            ended_here = node["visits"] - nodes[children]["visits"].sum()
            assert 0 <= ended_here <= extra
            fringe += children.tolist()
        assert 0 <= node["wins"] <= node["visits"]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("rave", ["off", "minimum_mse"])
def test_no_simulation_is_lost_or_orphaned(threads, rave):
    config = SearchConfig(exploration=0.5, rave=rave, expansion_threshold=1)
    search = opened(Search(config.to_record(), NO_POLICY, 3_000_000, threads), Game(6, 12, 99), 1)
    for n in (1, 999, 99_000):
        assert search.run(n) == n
    assert search.simulations == search.visits == 100_000
    assert search.children()["visits"].sum() == 100_000
    root = search._nodes[ROOT]
    assert root["wins"] == search.children()["wins"].sum()
    # At the moment of its expansion every thread may be on its way through a node as its leaf.
    assert_nothing_lost(search, threads)
    assert search.helper_seconds > 0
    search.close()


def test_threads_with_a_full_tree_go_on():
    config = SearchConfig(exploration=1.0)
    search = opened(Search(config.to_record(), NO_POLICY, 500, 2), Game(4, 10, 7), 1)
    assert search.run(20_000) == 20_000
    assert search.is_full
    assert search.children()["visits"].sum() == 20_000
    search.close()


@pytest.mark.parametrize("key", range(6))
def test_threads_prove_what_minimax_knows(key):
    config = SearchConfig(exploration=1.0, proof_backup=True)
    states = new_tree(branching=3, height=5, key=key, eighths_drawn=key % 2 * 4)
    search = Search(config.to_record(), NO_POLICY, 200_000, 3)
    search.seed(key)
    search.set_state(states)
    search.run(50_000)
    assert search.is_solved
    assert search.win_rate(search.best_move()) == minimax(states[0])
    assert search.simulations == search.visits
    assert search._nodes[ROOT]["proof"] != OPEN
    search.close()

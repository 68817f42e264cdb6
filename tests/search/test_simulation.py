"""The search agrees with a slow reference node by node, and finds the known results of toy games."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.uct import Game, Node, Uct, Xorshift

from semeai.games.toys.bandit import new_bandit
from semeai.games.toys.common import NO_POLICY
from semeai.games.toys.dice import ROLL, STOP, best_value, new_dice
from semeai.games.toys.knapsack import new_knapsack
from semeai.games.toys.tree import minimax, new_tree
from semeai.search.config import SearchConfig
from semeai.search.kernels.tree import DRAWN, LOST, OPEN, WON
from semeai.search.search import Search, uct

ALGORITHM_1 = SearchConfig(exploration=math.sqrt(2), first_play_urgency=1e9, rave="off", expansion_threshold=1)


def as_reference(config: SearchConfig) -> dict:
    values = config.model_dump()
    return {name: value if isinstance(value, str) else np.float32(value) for name, value in values.items()}


def assert_same(nodes: np.ndarray, index: int, node: Node) -> int:
    """Compare whole trees; how many nodes there are."""
    found = nodes[index]
    for name in ("visits", "wins", "rave_visits", "rave_wins"):
        assert found[name] == getattr(node, name), (index, name)
    assert found["proof"] == {"": OPEN, "won": WON, "lost": LOST, "drawn": DRAWN}[node.proof]
    assert found["n_children"] == len(node.children)
    return 1 + sum(assert_same(nodes, int(found["first_child"]) + i, child) for i, child in enumerate(node.children))


def grow_both(config: SearchConfig, game: Game, simulations: int, seed: int) -> tuple[Search, Uct]:
    search = Search(config.to_record(), NO_POLICY, 200_000)
    search.seed(seed)
    reference = Uct(game, as_reference(config), Xorshift(int(search._scratch[0]["rng"])))
    search.set_state(new_tree(game.branching, game.height, game.key, game.eighths_drawn))
    reference.root.children = [Node(i) for i in range(game.branching)]
    search.run(simulations)
    for _ in range(simulations):
        reference.simulate()
    return search, reference


CONFIGS = st.builds(
    SearchConfig,
    exploration=st.sampled_from([0.0, 0.2, math.sqrt(2)]),
    first_play_urgency=st.sampled_from([0.5, 1.1, 1e9]),
    rave=st.sampled_from(["off", "minimum_mse", "hand_picked"]),
    rave_bias=st.sampled_from([0.0, 0.001, 0.1]),
    rave_equivalence=st.sampled_from([10.0, 1000.0]),
    rave_per_move=st.sampled_from([0.0, 0.0, 3.0, 200.0]),
    rave_horizon=st.sampled_from([0.3, 1.0]),
    rave_fade=st.sampled_from([0.0, 0.5]),
    plain_every=st.sampled_from([0, 1, 5]),
    plain_visits=st.sampled_from([1.0, 4.0]),
    bias_decay=st.sampled_from([0.0, 0.5]),
    widening=st.sampled_from([0.0, 1.0, 2.5]),
    expansion_threshold=st.sampled_from([1, 2, 7]),
    proof_backup=st.booleans(),
)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    CONFIGS, st.integers(1, 4), st.integers(1, 6), st.integers(0, 2**62), st.integers(0, 2**31),
    st.sampled_from([0, 0, 3, 7]),
)  # fmt: skip
def test_grows_the_same_tree_as_the_reference(config, branching, height, key, seed, drawn):
    search, reference = grow_both(config, Game(branching, height, key, drawn), 150, seed)
    n = assert_same(search._nodes, 0, reference.root)
    assert n == search.n_nodes


@pytest.mark.parametrize("key", range(12))
def test_algorithm_1_finds_the_minimax_move_of_a_small_tree(key):
    states = new_tree(branching=3, height=4, key=key)
    found = uct(states, ALGORITHM_1.to_record(), NO_POLICY, 20_000, seed=1).best_move()
    values = []
    for move in range(3):
        child = states.copy()
        child["path"], child["depth"] = move, 1
        values.append(minimax(child[0]))
    assert values[found] == max(values)


@pytest.mark.parametrize("drawn", [0, 4])
@pytest.mark.parametrize("key", range(12))
def test_proof_backup_solves_a_small_tree(key, drawn):
    """What is proven is the minimax value, of the root and of every child; then nothing is left to search."""
    config = SearchConfig(exploration=1.0, proof_backup=True)
    states = new_tree(branching=3, height=5, key=key, eighths_drawn=drawn)
    search = uct(states, config.to_record(), NO_POLICY, 20_000, seed=1)
    assert search.is_solved
    assert search.is_decided(10**6)
    assert search.simulations < 10_000
    assert search.run(100) == 0
    assert search.win_rate(search.best_move()) == minimax(states[0])
    assert search.report()[0].move == search.best_move()
    for child in search.children():
        after = states.copy()
        after["path"], after["depth"] = child["move"], 1
        if child["proof"] != OPEN:
            assert {WON: 1.0, LOST: 0.0, DRAWN: 0.5}[int(child["proof"])] == minimax(after[0])


@pytest.mark.parametrize("key", range(6))
def test_nothing_is_proven_by_default(key):
    search = uct(new_tree(2, 4, key), SearchConfig().to_record(), NO_POLICY, 2000, seed=1)
    assert not search.is_solved
    assert not search._nodes["proof"][: search.n_nodes].any()
    assert search.simulations == 2000


def test_proofs_of_one_player_and_of_chance():
    """Taking everything is proven to be the best where it fits; a die proves nothing."""
    config = SearchConfig(exploration=1.0, proof_backup=True).to_record()
    fits = uct(new_knapsack(weights=[1, 1, 1], values=[1, 1, 1], room=3), config, NO_POLICY, 1000, seed=1)
    assert fits.is_solved
    assert fits.win_rate(fits.best_move()) == 1.0
    dice = uct(new_dice(0, 60), config, NO_POLICY, 3000, seed=1)
    assert not dice.is_solved
    assert dice.win_rate(STOP) == 0.0


@pytest.mark.parametrize("rave", ["off", "minimum_mse"])
def test_pulls_the_best_arm_of_a_bandit_most(rave):
    config = ALGORITHM_1.model_copy(update={"rave": rave})
    search = uct(new_bandit([0.3, 0.5, 0.7, 0.4]), config.to_record(), NO_POLICY, 4000, seed=3)
    best = search.report()[0]
    assert best.move == 2
    # 0.7 by at least 2,000 pulls: five standard errors are 0.05.
    assert best.visits > 2000
    assert best.win_rate == pytest.approx(0.7, abs=0.05)


def test_packs_a_knapsack():
    states = new_knapsack(weights=[3, 4, 5, 9, 2, 6], values=[3, 4, 4, 10, 1, 8], room=15)
    packed = []
    while states["next_item"][0] < 6:
        move = uct(states, ALGORITHM_1.to_record(), NO_POLICY, 20_000, seed=1).best_move()
        packed.append(move % 2)
        item = int(states["next_item"][0])
        states["room"] -= states["weights"][0][item] * (move % 2)
        states["value"] += states["values"][0][item] * (move % 2)
        states["next_item"] += 1
    assert packed == [0, 0, 0, 1, 0, 1]  # 18 of 30, the optimum


@pytest.mark.parametrize("points", [0, 5, 10, 14, 26, 32])
def test_rolls_and_stops_where_dynamic_programming_does(points):
    value, move = best_value(points, 60)
    search = uct(new_dice(points, 60), ALGORITHM_1.to_record(), NO_POLICY, 30_000, seed=2)
    assert search.best_move() == move
    assert {r.move for r in search.report()} == {STOP, ROLL}
    assert search.report()[0].win_rate == pytest.approx(value, abs=0.05)


def test_widening_admits_moves_in_the_order_of_the_heuristic():
    config = SearchConfig(widening=1.0, rave="off", first_play_urgency=1e9, exploration=1.0, expansion_threshold=1)
    search = uct(new_bandit([0.1] * 20), config.to_record(), NO_POLICY, 10_001, seed=1)
    tried = [r for r in search.report() if r.visits]
    assert len(tried) == 10  # 10,000 ** (1/4), reached at the last simulation


def test_a_full_tree_goes_on_without_growing():
    search = Search(ALGORITHM_1.to_record(), NO_POLICY, max_nodes=50)
    search.seed(1)
    search.set_state(new_tree(4, 10, 7))
    assert search.run(5000) == 5000
    assert search.is_full
    assert search.n_nodes <= 50
    assert sum(r.visits for r in search.report()) == 5000


def test_nothing_to_search_at_the_end_of_a_game():
    search = Search(ALGORITHM_1.to_record(), NO_POLICY, max_nodes=50)
    search.seed(1)
    over = new_tree(4, 10, 7)
    over["depth"] = 10
    search.set_state(over)
    assert search.run(10) == 0
    assert search.report() == []


def test_random_ties_are_uniform():
    firsts = np.zeros(8)
    for seed in range(400):
        search = uct(new_bandit([0.5] * 8), ALGORITHM_1.to_record(), NO_POLICY, 1, seed)
        firsts[search.best_move()] += 1
    # Chi-square with 7 degrees of freedom: above 29.9 with probability 1e-4.
    assert ((firsts - 50) ** 2 / 50).sum() < 29.9

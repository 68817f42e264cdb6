"""Ranks of a virtual cluster grow the same trees as the slow reference, node by node."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.sharing import Rank, SlowTree
from reference.uct import Game, Node, Uct, Xorshift

from semeai.games.toys.common import NO_POLICY
from semeai.games.toys.tree import new_tree
from semeai.parallel.comm import virtual_cluster
from semeai.parallel.config import ParallelConfig
from semeai.parallel.program import Budget
from semeai.parallel.slow import SlowSharing
from semeai.search.search import Search
from tests.search.test_simulation import CONFIGS, as_reference, assert_same

PERIOD, SHARES = 12, 8
PARALLEL = st.builds(
    ParallelConfig,
    scheme=st.sampled_from(["slow_tree", "slow_root"]),
    ranks=st.sampled_from([2, 3, 8]),
    share_fraction=st.sampled_from([0.05, 0.3]),
    share_depth=st.integers(0, 4),
    share_period=st.just(PERIOD),
    share_rule=st.sampled_from(["mean", "sum"]),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    CONFIGS.map(lambda config: config.model_copy(update={"proof_backup": False})),
    PARALLEL,
    st.builds(Game, st.integers(1, 4), st.integers(1, 6), st.integers(0, 2**62), st.sampled_from([0, 3])),
)
def test_slow_sharing_grows_the_same_trees_as_the_reference(config, parallel, game):
    programs, ranks = [], []
    for comm in virtual_cluster(parallel.ranks):
        tree = Search(config.to_record(), NO_POLICY, 100_000)
        tree.seed(comm.rank)
        reference = Uct(game, as_reference(config), Xorshift(int(tree._scratch[0]["rng"])))
        reference.root.children = [Node(i) for i in range(game.branching)]
        ranks.append(Rank(reference))
        tree.set_state(new_tree(game.branching, game.height, game.key, game.eighths_drawn))
        programs.append(SlowSharing(tree, comm, parallel, proofs=False))
        programs[-1].begin(Budget(PERIOD * SHARES))
    slow_tree = SlowTree(ranks, parallel.share_fraction, parallel.depth, parallel.weight)
    for _ in range(SHARES):
        for rank in ranks:
            for _ in range(PERIOD):
                rank.uct.simulate()
        slow_tree.share()
    slow_tree.receive()
    running = programs
    while running:
        running = [program for program in running if program.step()]
    for program, rank in zip(programs, ranks, strict=True):
        assert assert_same(program.search._nodes, 0, rank.uct.root) == program.search.n_nodes

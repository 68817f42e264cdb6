"""The schemes on a virtual cluster: nothing is counted twice or lost, and one rank plays like the plain player."""

import numpy as np
import pytest

from semeai.errors import ConfigError, RankFailed
from semeai.games.catalog import game_named
from semeai.games.protocol import MAX_CODES
from semeai.games.toys.bandit import new_bandit
from semeai.games.toys.common import NO_POLICY
from semeai.parallel.comm import virtual_cluster
from semeai.parallel.config import ParallelConfig
from semeai.parallel.program import Budget
from semeai.parallel.slow import SlowSharing
from semeai.parallel.team import rank_seed
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.config import SearchConfig
from semeai.search.kernels.sharing import SHARED_CHILD
from semeai.search.kernels.tree import WON
from semeai.search.search import Search

SLOW = ("slow_tree", "slow_root", "voting")
SCHEMES = (*SLOW, "fast_tree")


def player(scheme="slow_tree", ranks=4, game="go", simulations=100, **settings):
    parallel = {key: settings.pop(key) for key in list(settings) if key.startswith("share_")}
    changes = {f"parallel.{key}": value for key, value in {"scheme": scheme, "ranks": ranks, **parallel}.items()}
    config = PlayerConfig.from_preset("default", game)
    return MctsPlayer(config.with_changes({**changes, "simulations": simulations, "memory_mb": 4, **settings}))


def self_play(player, seed, size=5, moves=8):
    player.start(game_named(player.config.game).new_position(size), seed)
    while not player.position.is_over and len(player.position.moves) < moves:
        player.observe(player.choose().move)
    return player.position.moves


def visits_of(team, rank):
    children = team.programs[rank].search.children()
    return dict(zip(children["move"].tolist(), children["visits"].tolist(), strict=True))


@pytest.mark.parametrize("game", ["go", "havannah"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_rank_is_the_player_without_ranks(scheme, game):
    plain = MctsPlayer(PlayerConfig.from_preset("default", game).with_changes({"simulations": 100, "memory_mb": 4}))
    assert self_play(player(scheme, 1, game), 3) == self_play(plain, 3)


@pytest.mark.parametrize("game", ["go", "havannah"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_same_seed_gives_the_same_game_even_to_a_used_player(scheme, game):
    used = player(scheme, 4, game, share_period=20)
    first = self_play(used, 1)
    assert any(self_play(used, seed) != first for seed in range(2, 6))
    assert self_play(used, 1) == first


@pytest.mark.parametrize("rule", ["mean", "sum"])
@pytest.mark.parametrize("scheme", SLOW)
def test_every_simulation_of_every_rank_counts_once(scheme, rule):
    """At each move of a game the root's children have the visits of all ranks, by the rule, on every rank."""
    ranks = 4
    parallel = player(scheme, ranks, share_period=10, share_rule=rule, reuse_tree=False)
    parallel.start(game_named("go").new_position(5), 1)
    for _ in range(4):
        choice = parallel.choose()
        team = parallel._team
        assert choice.simulations == team.simulations == 100 * ranks
        expected = 100 * (ranks if rule == "sum" else 1)
        for rank in range(ranks):
            assert sum(visits_of(team, rank).values()) == pytest.approx(expected, abs=0.01)
            assert visits_of(team, rank) == pytest.approx(visits_of(team, 0), abs=1e-3)
            assert team.programs[rank].search.visits == pytest.approx(expected, abs=1)
        parallel.observe(choice.move)


@pytest.mark.parametrize("rule", ["mean", "sum"])
@pytest.mark.parametrize("scheme", SLOW)
def test_a_reused_tree_shares_what_it_brings_along_once(scheme, rule):
    """All simulations through the move that was played, and all new ones: neither lost nor counted for each rank."""
    ranks = 4
    parallel = player(scheme, ranks, share_period=10, share_rule=rule)
    parallel.start(game_named("go").new_position(5), 5)
    team, brought, fresh = parallel._team, 0.0, 100 * (ranks if rule == "sum" else 1)
    for _ in range(8):
        move = parallel.choose().move
        after = [sum(visits_of(team, rank).values()) for rank in range(ranks)]
        # A rank's first visits of a node end there, and are no visits of a child.
        ended = ranks * parallel.config.search.expansion_threshold
        assert after == pytest.approx([brought + fresh] * ranks, abs=ended)
        brought = visits_of(team, 0)[move]
        parallel.observe(move)
    assert brought > 0


def bandit_ranks(size, config=None, **parallel):
    settings = ParallelConfig(scheme="slow_tree", ranks=size, **{"share_period": 10, **parallel})
    search = config or SearchConfig(exploration=1.0, rave="off", first_play_urgency=1e9)
    programs = []
    for comm in virtual_cluster(size):
        tree = Search(search.to_record(), NO_POLICY, 5000)
        programs.append(SlowSharing(tree, comm, settings, search.proof_backup))
        programs[-1].seed(rank_seed(1, comm.rank))
        tree.set_state(new_bandit([0.3, 0.7, 0.5]))
    return programs


def run(programs, budget):
    for program in programs:
        program.begin(budget)
    running = programs
    while running:
        running = [program for program in running if program.step()]


def test_wins_add_up_exactly_by_hand():
    """What each rank has is the sum of what all have found; their own sums are kept beside, by replaying alone."""
    programs = bandit_ranks(4, share_period=1000)
    alone = bandit_ranks(4, share_period=1000)
    run(programs, Budget(200))
    for program in alone:
        program.search.run(200)
    for name in ("visits", "wins"):
        total = np.sum([program.search.children()[name] for program in alone], axis=0)
        for program in programs:
            assert program.search.children()[name] == pytest.approx(total, abs=1e-4)


def test_priors_are_not_shared_and_rave_is():
    """RAVE's sums are every rank's own priors and the mean of what the ranks' simulations added to them."""
    parallel, ranks = player("voting", 3), 3
    position = game_named("go").new_position(5)
    parallel.start(position, 1)
    parallel.choose()
    rows = rows_of(parallel._search, ())
    moves, priors = rows["move"], rows["seen"][:, 2:]
    singles = []
    for rank in range(ranks):
        tree = Search(parallel.config.search.to_record(), parallel._policy, 5000)
        tree.seed(rank_seed(1, rank))
        tree.set_position(position)
        tree.run(100)
        singles.append({int(c["move"]): (c["rave_visits"], c["rave_wins"]) for c in tree.children()})
    assert priors.sum() > 0
    for child in parallel._search.children():
        found = float(child["rave_visits"]), float(child["rave_wins"])
        prior = priors[moves.tolist().index(int(child["move"]))]
        grown = np.sum([np.array(single[int(child["move"])]) - prior for single in singles], axis=0)
        assert found == pytest.approx(prior + grown, abs=1e-3)


def rows_of(search, path):
    rows = np.empty(MAX_CODES, SHARED_CHILD)
    return rows[: search.list_children(path, rows, 0)]


def test_slow_tree_shares_deeper_nodes_and_slow_root_does_not():
    deep, flat = player("slow_tree", 4, share_period=10), player("slow_root", 4, share_period=10)
    for chosen in (deep, flat):
        chosen.start(game_named("go").new_position(5), 1)
        chosen.choose()
    paths = deep._team.program._shared.paths
    assert paths[0] == ()
    assert {len(path) for path in paths} == {0, 1, 2, 3}
    assert flat._team.program._shared.paths == [()]
    assert deep._team.program.bytes_sent > flat._team.program.bytes_sent > 0
    for path in paths[1:]:
        mine, yours = (rows_of(rank.search, path) for rank in deep._team.programs[:2])
        assert mine["move"].tolist() == yours["move"].tolist()


def test_voting_sends_one_message():
    voting = player("voting", 4)
    voting.start(game_named("go").new_position(5), 1)
    voting.choose()
    assert [program.n_shares for program in voting._team.programs] == [1] * 4


def test_thinking_in_pieces_shares_as_often_and_counts_all():
    """What GTP does: pieces of any length, a report between, a choice at the end, and another position at any time."""
    parallel = player("slow_tree", 3, share_period=20)
    position = game_named("go").new_position(5)
    parallel.start(position, 1)
    for n in (16, 1, 33, 50):
        assert parallel.think(n) == n
    assert parallel.conclude().simulations == 300
    assert parallel.think(7) == 7
    assert sum(report.visits for report in parallel.report()) <= 321
    parallel.think(30)
    position.play(int(position.legal_moves()[3]))
    parallel.set_position(position)
    parallel.think(5)
    assert parallel.choose().move is not None


def test_a_win_that_one_rank_proves_is_known_to_all():
    programs = bandit_ranks(3, SearchConfig(rave="off", exploration=1.0, proof_backup=True))
    programs[2].search.children()["proof"][1] = WON
    run(programs, Budget(40))
    for program in programs:
        assert program.search.children()["proof"].tolist() == [0, WON, 0]
        assert program.search.best_move() == 1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("simulations", [4, 100])
def test_ranks_play_on_where_some_of_them_have_proven_the_end(scheme, simulations):
    """On a small board of Havannah ranks solve the game, one earlier than the other, and in the middle of a run."""
    for seed in range(3):
        parallel = player(scheme, 6, "havannah", simulations, share_period=10, memory_mb=2)
        moves = self_play(parallel, seed, size=3, moves=30)
        assert parallel.position.is_over or len(moves) == 30


def test_ranks_of_different_positions_are_found_out():
    first, second = bandit_ranks(2)
    second.search.set_state(new_bandit([0.5, 0.5]))
    with pytest.raises(RankFailed):
        run([first, second], Budget(30))


def test_many_ranks_fit():
    parallel = player("slow_tree", 256, simulations=8, share_period=4, memory_mb=1)
    parallel.start(game_named("go").new_position(5), 1)
    assert parallel.choose().simulations == 256 * 8


@pytest.mark.parametrize("scheme", ["slow_tree", "voting"])
def test_threads_inside_ranks(scheme):
    parallel = player(scheme, 3, threads=2, share_period=32)
    parallel.start(game_named("go").new_position(5), 1)
    assert parallel.choose().simulations == 300
    parallel.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parallel.ranks=4", "4 ranks need a scheme"),
        ("parallel.scheme=slow", "slow_tree"),
        ("parallel.scheme=slow_tree,parallel.ranks=0", "parallel.ranks"),
        ("parallel.scheme=slow_tree,parallel.share_period=2.5", "no whole number"),
        ("parallel.scheme=fast_tree,threads=2", "one thread"),
        ("threads=0", "threads"),
        ("parallel.share_dept=1", "parallel.share_depth"),
    ],
)
def test_wrong_settings_are_refused(text, words):
    with pytest.raises(ConfigError, match=words):
        PlayerConfig.from_text(text)


def test_a_virtual_cluster_has_no_clock():
    by_time = PlayerConfig.from_text("parallel.scheme=slow_tree,parallel.ranks=2,parallel.share_unit=seconds")
    with pytest.raises(ConfigError, match="mpiexec"):
        MctsPlayer(by_time)
    timed = MctsPlayer(PlayerConfig.from_text("parallel.scheme=slow_tree,parallel.ranks=2,seconds=0.1,memory_mb=4"))
    timed.start(game_named("go").new_position(5), 1)
    with pytest.raises(ConfigError, match="counted in simulations"):
        timed.choose()

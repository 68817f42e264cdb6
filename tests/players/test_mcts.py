import numpy as np
import pytest

from semeai.games.go.position import GoPosition
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from tests.games.go.test_tactics import position_of

QUICK = PlayerConfig(simulations=200, memory_mb=20)


def self_play(player, seed, size=5, moves=40):
    player.start(GoPosition(size), seed)
    while not player.position.is_over and len(player.position.moves) < moves:
        player.observe(player.choose().move)
    return player.position.moves


def test_the_same_seed_gives_the_same_game_even_to_a_used_player():
    player = MctsPlayer(QUICK)
    first = self_play(player, 1)
    assert self_play(player, 2) != first
    assert self_play(player, 1) == first
    assert self_play(MctsPlayer(QUICK), 1) == first


def test_a_budget_is_new_simulations_whatever_the_tree_brings_along():
    player = MctsPlayer(QUICK)
    player.start(GoPosition(7), 1)
    reused = 0
    for _ in range(6):
        choice = player.choose()
        assert choice.simulations == 200
        reused += player._search.visits - 200
        player.observe(choice.move)
    assert reused > 0


def test_a_reused_tree_is_the_tree_of_the_position():
    """Every child of the root is legal there, and visits below are not more than above."""
    player = MctsPlayer(QUICK)
    player.start(GoPosition(5), 3)
    for _ in range(20):
        if player.position.is_over:
            break
        choice = player.choose()
        legal = set(player.position.legal_moves().tolist())
        assert {report.move for report in player.report()} <= legal
        assert sum(r.visits for r in player.report()) <= player._search.visits
        player.observe(choice.move)


def test_undo_and_other_games_do_not_use_a_stale_tree():
    player = MctsPlayer(QUICK)
    position = GoPosition(5)
    player.start(position, 1)
    player.think(100)
    handicap = GoPosition(5)
    handicap.place(0, [handicap.point(2, 2)])
    player.set_position(handicap)
    assert handicap.point(2, 2) not in {r.move for r in player.report()}
    assert player._search.visits == 0


def test_answers_a_pass_with_a_pass_where_that_wins():
    position = position_of(
        """
        .X.O.
        XXXO.
        .XOOO
        XXXO.
        .X.O.
        """
    )
    position.komi = -5.5
    position.play(0, 1)
    player = MctsPlayer(QUICK)
    player.start(position, 1)
    assert position.to_move == 0
    assert player.choose().move == 0


@pytest.mark.parametrize("seed", range(5))
def test_finds_a_reply_that_looks_bad_in_playouts(seed):
    """White lives by a self-atari at A4, which playouts refuse: RAVE alone never tries it."""
    position = position_of(
        """
        X....OOX.
        XOO.OOXX.
        .XXO.OX..
        XXOOOXX..
        .O.OOOX..
        .OOXXXXX.
        OXXOXXOXX
        OXXOOXOOX
        .X.OOO.O.
        """
    )
    position.set_to_move(1)
    found = []
    for every in (0, 16):
        player = MctsPlayer(PlayerConfig.from_text(f"default,database=none,search.plain_every={every}"))
        player.start(position, seed)
        player.think(3000)
        found.append(player.report()[0])
    starved, best = found
    assert starved.win_rate < 0.05
    assert position.move_to_text(best.move) == "A4"
    assert best.win_rate > 0.5


def test_resigns_only_below_its_limit():
    position = position_of("X....\n.....\n..X..\n.....\n....X")
    position.komi = 100.0
    position.set_to_move(0)
    stubborn, sober = (MctsPlayer(PlayerConfig(simulations=100, resign_below=r)) for r in (0.0, 0.05))
    for player in (stubborn, sober):
        player.start(position, 1)
    assert stubborn.choose().move is not None
    assert sober.choose().move is None


def test_a_tiny_memory_limits_the_tree_and_not_the_game():
    player = MctsPlayer(PlayerConfig(simulations=3000, memory_mb=1))
    moves = self_play(player, 5, size=9, moves=10)
    assert len(moves) == 10
    assert player._search.n_nodes <= PlayerConfig(memory_mb=1).max_nodes


@pytest.mark.parametrize("size", [2, 3, 25])
def test_any_size_and_one_simulation(size):
    player = MctsPlayer(PlayerConfig(simulations=1, memory_mb=2))
    player.start(GoPosition(size), 1)
    for _ in range(30):
        if player.position.is_over:
            break
        player.observe(player.choose().move)


def test_dead_stones_are_those_that_playouts_capture():
    position = position_of(
        """
        .X.O...
        XXXO.X.
        ..XO...
        .OXO...
        ..XOOOO
        XXX.O..
        .X.OO..
        """
    )
    player = MctsPlayer(QUICK)
    player.start(position, 1)
    dead = player.dead_stones()
    assert position.point(3, 1) in dead
    assert position.point(1, 5) in dead
    assert not set(dead) & {position.point(0, 1), position.point(0, 3)}
    assert np.isclose(position.margin(dead), position.margin([position.point(3, 1), position.point(1, 5)]))

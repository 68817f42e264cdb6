"""The board kernels agree exactly with ``reference.go`` on more than ten thousand random positions."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.go import BLACK, WHITE, Board
from scipy.stats import chisquare

from semeai.games.go.kernels.board import MAX_SIZE, MIN_SIZE
from semeai.games.go.kernels.scoring import area_owners
from tests.games.go.faces import (
    COLORS,
    POLICIES,
    assert_same,
    base_rules,
    copy_first,
    light_move,
    margin_of_playout,
    new_scratch,
    new_states,
    play,
    positions,
    run_playout,
    to_move,
    to_point,
)

# How many positions are compared, by size, for each policy.
COMPARED = {2: 60, 3: 150, 4: 250, 5: 700, 6: 700, 7: 600, 8: 400, 9: 400, 13: 50, 19: 30, 25: 12}
QUICK = (3, 4)
CASES = [
    pytest.param(policy, size, marks=[] if size in QUICK else pytest.mark.slow)
    for size in COMPARED
    for policy in POLICIES
]


def test_there_are_ten_thousand():
    assert sum(COMPARED.values()) * len(POLICIES) >= 10_000


@pytest.mark.parametrize(("policy", "size"), CASES)
def test_positions_agree_with_the_reference(policy, size):
    shuffle = random.Random(f"{policy} {size}")
    # Late positions are the hard ones; on large boards many moves are played for each that is compared.
    every = 2 if size < 10 else 17
    compared = seed = 0
    while compared < COMPARED[size]:
        seed += 1
        for n, pair in enumerate(positions(size, seed, shuffle, policy)):
            if n % every == seed % every and compared < COMPARED[size]:
                assert_same(pair.states, pair.board)
                compared += 1


@pytest.mark.slow
@given(st.integers(MIN_SIZE, 9), st.integers(1, 2**32), st.randoms(use_true_random=False), st.sampled_from([*POLICIES]))
@settings(max_examples=40)
def test_whole_games_agree_with_the_reference(size, seed, shuffle, policy):
    for n, pair in enumerate(positions(size, seed, shuffle, policy)):
        if n % 7 == seed % 7 or pair.passes == 2 or pair.board.ko:
            assert_same(pair.states, pair.board)


@given(st.integers(3, 9), st.data())
@settings(max_examples=60)
def test_any_order_of_colours_agrees_with_the_reference(size, data):
    """Kernels do not care whose turn it is."""
    states, board = new_states(size), Board(size)
    points = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    for point, color in data.draw(st.lists(st.tuples(points, st.sampled_from([BLACK, WHITE])), max_size=80)):
        if board.is_legal(point, color):
            board = board.after(point, color)
            play(states, to_move(point, size), COLORS[color])
            assert states[0]["to_move"] == 3 - COLORS[color]
            assert states[0]["last"] == to_move(point, size)
    assert_same(states, board)


@pytest.mark.parametrize("size", range(MIN_SIZE, MAX_SIZE + 1))
def test_the_empty_board(size):
    states = new_states(size, 6.5)
    assert_same(states, Board(size))
    assert states[0]["n_empty"] == size * size
    assert states[0]["to_move"] == COLORS[BLACK]
    assert states[0]["komi"] == 6.5


@pytest.mark.parametrize("size", [2, 5, 9, 25])
def test_a_copy_is_the_same_board_whatever_was_there(size):
    *_, pair = positions(size, 3, random.Random(1), "mogo")
    states = pair.states
    states[1:] = new_states(MAX_SIZE)[:1]
    copy_first(states)
    assert_same(states[1:], pair.board)
    for name in ("to_move", "last", "last_but_one", "passes", "komi", "size", "stride", "points"):
        assert states[1][name] == states[0][name], name
    play(states[1:], to_move(None, size), COLORS[BLACK])
    assert states[1]["passes"] == states[0]["passes"] + 1


def test_random_points_are_all_playable_points_equally_often():
    """By a chi-square test that a sound generator fails once in 100,000 seeds."""
    board = Board.drawn(".XO.. XXOO. ..XXX .OX.. O.OX.")
    states = new_states(5)
    for color in (BLACK, WHITE):
        for point in board.all_of(color):
            play(states, to_move(point, 5), COLORS[color])
    playable = [p for p in board.all_of(".") if board.is_legal(p, BLACK) and not board.is_eye(p, BLACK)]
    scratches, n = new_scratch(7), 20_000
    counts = dict.fromkeys(playable, 0)
    for _ in range(n):
        counts[to_point(light_move(states, COLORS[BLACK], scratches), 5)] += 1
    assert len(counts) == 10
    assert chisquare(list(counts.values())).pvalue > 1e-5


@pytest.mark.parametrize("mogo", [False, True])
@pytest.mark.parametrize("size", [2, 3, 5, 9, 13])
def test_the_quick_margin_is_the_area_where_a_playout_ends(size, mogo):
    states, scratches, ended = np.zeros(0), new_scratch(11), 0
    for _ in range(200 if size < 13 else 50):
        states = new_states(size)
        n = run_playout(states, base_rules(mogo), scratches)
        assert scratches[0]["n_played"] == n <= 3 * size * size
        if states[0]["passes"] == 2:
            ended += 1
            assert margin_of_playout(states) == area_owners(states[0]["color"], size).sum()
    assert ended

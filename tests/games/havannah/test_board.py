"""The board kernels agree with flood fill (``reference.havannah``) and with OpenSpiel, move by move."""

import random

import numpy as np
import pytest
from reference.havannah import Board, perft

from semeai.games.havannah.kernels.tables import MAX_BASE, MIN_BASE, cells, n_cells, touches
from tests.games.havannah.faces import (
    CHOICES,
    assert_lists_are_right,
    assert_same,
    copy_first,
    kind_names,
    listed_wins,
    new_states,
    perft_kernel,
    play,
    positions,
    to_cell,
    to_move,
)

BASES = range(MIN_BASE, MAX_BASE + 1)
QUICK = (2, 4)
GAMES = {2: 60, 3: 40, 4: 24, 5: 16, 6: 12, 7: 8, 8: 6, 9: 5, 10: 4}
PERFT = {2: [(7, 0), (42, 0), (210, 60), (600, 168), (1296, 1152), (288, 216), (72, 72)],
         3: [(19, 0), (342, 0), (5814, 0), (93024, 0), (1395360, 8640)]}  # fmt: skip
DRAW = "a1 a2 b2 c1 c2 c3 a3 b4 c4 e5 e4 e3 d2 b3 d4 d5 b1 d3 c5"


@pytest.mark.parametrize("policy", CHOICES)
@pytest.mark.parametrize(
    "base", [pytest.param(base, marks=[] if base in QUICK else pytest.mark.slow) for base in BASES]
)
def test_games_agree_with_the_reference(policy, base):
    """Who has won, and how, after every move; what every cell would do, in a part of the positions."""
    compared = random.Random(base)
    for seed in range(GAMES[base]):
        for n, (states, board, color, _) in enumerate(positions(base, seed, policy)):
            kinds = kind_names(states[0]["kind"])
            if n % base == 0 or kinds:
                assert kinds == board.kinds(color), (policy, base, seed, n)
            if kinds:
                assert states[0]["winner"] == {"O": 1, "X": 2}[color]
            else:
                assert states[0]["winner"] == 0
                assert_lists_are_right(states)
                if base < 4 or n % (3 * base) == seed % (3 * base):
                    assert_same(states, board, None if base < 6 else compared)
        assert kinds or not board.empties()


@pytest.mark.parametrize("policy", CHOICES)
@pytest.mark.parametrize("base", BASES)
def test_games_agree_with_openspiel(policy, base):
    """After every move, and for every cell that the next player could take."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel cannot be imported here")
    game = pyspiel.load_game(f"havannah(board_size={base})")
    for seed in range(100, 100 + GAMES[base]):
        theirs = game.new_initial_state()
        for n, (states, _, color, (x, y)) in enumerate(positions(base, seed, policy)):
            theirs.apply_action(y * (2 * base - 1) + x)
            assert theirs.is_terminal() == bool(states[0]["winner"] or states[0]["n_empty"] == 0)
            assert theirs.returns()[0] == {0: 0, 1: 1, 2: -1}[int(states[0]["winner"])]
            if not theirs.is_terminal() and (base < 8 or n % 4 == seed % 4):
                winning = []
                for action in theirs.legal_actions():
                    row, column = divmod(action, 2 * base - 1)
                    if any(theirs.child(action).returns()):
                        winning.append(to_move((column, row), base))
                assert listed_wins(states[0], {"O": 2, "X": 1}[color]) == winning


def test_thousands_of_positions_are_compared():
    plies = {2: 4, 3: 12, 4: 25, 5: 45, 6: 70, 7: 95, 8: 120, 9: 150, 10: 180}  # of a random game
    assert 2 * sum(GAMES[base] * plies[base] for base in BASES) > 8_000


@pytest.mark.parametrize("base", BASES)
def test_the_empty_board(base):
    states = new_states(base)
    assert states[0]["n_empty"] == n_cells(base) == len(cells(base))
    assert_same(states, board := Board(base))
    assert_lists_are_right(states)
    bits = {cell: int(states[0]["touches"][to_move(cell, base)]) for cell in cells(base)}
    assert bits == {(x, y): touches(base, x, y) for x, y in cells(base)}
    assert {cell for cell, b in bits.items() if b >= 64} == set(board.corners)
    for i in range(6):
        assert {cell for cell, b in bits.items() if b == 1 << i} in [*board.sides, set()]


@pytest.mark.parametrize("base", [2, 5, 10])
def test_a_copy_is_the_same_board_whatever_was_there(base):
    for states, board, _, _ in positions(base, 3, "clumpy"):
        if len(board.empties()) < n_cells(base) // 2 or states[0]["n_wins"].any():
            break
    states[1:] = new_states(MAX_BASE)[:1]
    copy_first(states)
    assert_same(states[1:], board, random.Random(1))
    assert_lists_are_right(states[1:])
    for name in ("to_move", "last", "last_but_one", "n_moves", "base", "stride", "points", "swap", "winner"):
        assert states[1][name] == states[0][name], name


@pytest.mark.parametrize("base", PERFT)
def test_perft(base):
    for depth, expected in enumerate(PERFT[base], start=1):
        counts = np.zeros(2, np.int64)
        perft_kernel(new_states(base, n=depth + 1), 1, depth, counts)
        assert tuple(counts) == expected
        if expected[0] < 1500:
            assert perft(base, depth) == expected


def test_a_draw_on_base_3():
    states = new_states(3)
    for n, name in enumerate(DRAW.split()):
        assert not states[0]["winner"]
        play(states, to_move((ord(name[0]) - ord("a"), int(name[1]) - 1), 3), 1 + n % 2)
    assert states[0]["n_empty"] == 0
    assert not states[0]["winner"]
    assert to_cell(states[0]["last"], 3) == (2, 4)

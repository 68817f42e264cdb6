"""Positions of Go in Python: superko, undo, illegal moves, placed stones, names of points."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.go import BLACK, OTHER, WHITE, Board, Game

from semeai.errors import IllegalMove
from semeai.games.go.kernels.board import MAX_SIZE, MIN_SIZE, PASS
from semeai.games.go.position import GoPosition, format_result
from tests.games.go.drawings import CASES
from tests.games.go.faces import COLORS, assert_same, to_move, to_point

SIZES = range(MIN_SIZE, MAX_SIZE + 1)
EMPTY_BOARD = GoPosition(9)
ALL_MOVES = {to_move(point, 9) for point in Board(9).points()} | {PASS}


def replayed(case):
    """The case as a position and as a game of the reference."""
    position, game = GoPosition(case.size, 0), Game(case.size)
    for name in case.moves.split():
        player = "BW".index(name[0]) if ":" in name else position.to_move
        move = position.text_to_move(name.removeprefix("W:"))
        position.play(move, player)
        game.play(to_point(move, case.size), (BLACK, WHITE)[player])
    return position, game


@pytest.mark.parametrize("case", CASES.values(), ids=[*CASES])
def test_drawn_boards(case):
    position, game = replayed(case)
    expected = Board.drawn(case.drawing)
    assert game.board.draw() == expected.draw()
    expected.ko = None if case.ko is None else to_point(position.text_to_move(case.ko), case.size)
    assert_same(position.states, expected)
    assert game.board.ko == expected.ko
    assert position.margin() == game.board.score() == case.score
    for name in case.legal.split():
        position.copy().play(position.text_to_move(name))
        assert game.is_legal(to_point(position.text_to_move(name), case.size), "XO"[position.to_move])
    for name in case.illegal.split():
        with pytest.raises(IllegalMove, match=name):
            position.play(position.text_to_move(name))
        assert not game.is_legal(to_point(position.text_to_move(name), case.size), "XO"[position.to_move])


@pytest.mark.parametrize(
    ("case", "move", "reason"),
    [
        ("ko", "C2", "C2 retakes a ko"),
        ("a pass lifts the ko but not the superko", "C2", "C2 repeats an earlier position (superko)"),
        ("send two, return one", "B1", "B1 repeats an earlier position (superko)"),
        ("suicide of a chain", "B1", "B1 is suicide"),
        ("one stone owns the board", "B2", "B2 is occupied"),
    ],
)
def test_a_refusal_says_why(case, move, reason):
    position, _ = replayed(CASES[case])
    with pytest.raises(IllegalMove) as refusal:
        position.play(position.text_to_move(move))
    assert str(refusal.value) == reason


def legal_in(game, color):
    moves = [to_move(point, game.board.size) for point in game.board.points() if game.is_legal(point, color)]
    return [*sorted(moves, reverse=True), PASS]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "games"), [(2, 50), (3, 36), (4, 16), (5, 5)])
def test_superko_agrees_with_the_reference(size, games):
    """Both players' legal moves after each move of games where anybody may play, eyes included."""
    shuffle, refused_by_superko = random.Random(size), 0
    for _ in range(games):
        position, game, color = GoPosition(size), Game(size), BLACK
        for _ in range(6 * size * size):
            legal = {c: legal_in(game, c) for c in (BLACK, WHITE)}
            for c in (BLACK, WHITE):
                assert position.legal_moves_of("XO".index(c)).tolist() == legal[c], game.board
                refused = [p for p in game.board.all_of(".") if to_move(p, size) not in legal[c]]
                refused_by_superko += sum(game.board.is_legal(p, c) for p in refused)
            move = shuffle.choice(legal[color][:-1] or [PASS]) if shuffle.random() < 0.98 else PASS
            if shuffle.random() < 0.1:  # out of turn
                color = OTHER[color]
                move = shuffle.choice(legal[color])
            position.play(move, "XO".index(color))
            game.play(to_point(move, size), color)
            color = OTHER[color]
        assert_same(position.states, game.board)
    assert refused_by_superko > (50 if size < 5 else 0)  # beyond what simple ko refuses


def everything(position):
    return (
        [position.states[name].tobytes() for name in position.states.dtype.names],
        list(position.moves),
        list(position._keys),
        position.legal_moves().tolist(),
        position.to_move,
        position.is_over,
        position.result(),
    )


@pytest.mark.slow
@given(st.integers(MIN_SIZE, 7), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_undo_restores_everything(size, shuffle):
    position, before = GoPosition(size), []
    for _ in range(40):
        before.append(everything(position))
        position.play(int(shuffle.choice(position.legal_moves_of(position.to_move))))
    other = position.copy()
    while before:
        position.undo()
        assert everything(position) == before.pop()
    with pytest.raises(IllegalMove, match="no move to take back"):
        position.undo()
    assert len(other.moves) == 40  # a copy has its own past
    other.undo()


def test_undo_keeps_the_komi_that_was_agreed_on_since():
    position = GoPosition(5)
    position.play(PASS)
    position.komi = 0.5
    position.undo()
    assert position.komi == 0.5


@given(st.integers(MIN_SIZE, 5), st.randoms(use_true_random=False), st.integers(1, 60))
@settings(max_examples=60)
def test_an_illegal_move_changes_nothing(size, shuffle, length):
    position = GoPosition(size)
    for _ in range(length):
        position.play(int(shuffle.choice(position.legal_moves_of(position.to_move))))
    before = everything(position)
    legal = set(position.legal_moves_of(position.to_move).tolist())
    for move in range(-2, (size + 2) * (size + 1) + 20):
        if move not in legal:
            with pytest.raises(IllegalMove):
                position.play(move)
    with pytest.raises(IllegalMove):
        position.play(10**6)
    assert everything(position) == before


@pytest.mark.parametrize("size", SIZES)
def test_names_of_points(size):
    position = GoPosition(size)
    moves = position.legal_moves().tolist()
    names = [position.move_to_text(move) for move in moves]
    assert len(set(names)) == size * size + 1
    assert names[-1] == "pass"
    assert [position.text_to_move(name) for name in names] == moves
    assert [position.text_to_move(f" {name.lower()}\n") for name in names] == moves
    assert position.text_to_move("A1") == position.point(size - 1, 0)
    assert all("I" not in name for name in names)


@pytest.mark.parametrize(
    "text", ["", "A", "1", "A0", "A10", "K1", "I5", "AA", "A1x", "A-1", "A+1", "A1.0", "A¹", "Ä1", "5A"]
)
def test_what_is_no_point(text):
    with pytest.raises(IllegalMove, match="is no point of a 9x9 board"):
        EMPTY_BOARD.text_to_move(text)


@pytest.mark.slow
@given(st.text(max_size=6))
def test_any_text_is_a_move_or_refused(text):
    try:
        move = EMPTY_BOARD.text_to_move(text)
    except IllegalMove:
        return
    assert move in ALL_MOVES


@pytest.mark.parametrize("size", [-1, 0, 1, 26, 1000])
def test_sizes_that_are_not_played(size):
    with pytest.raises(IllegalMove, match=f"not {size}"):
        GoPosition(size)


def test_handicap():
    position = GoPosition(9, 0.5)
    stones = [position.text_to_move(name) for name in ("C3", "G7", "C7", "G3")]
    position.place(0, stones)
    position.set_to_move(1)
    board = Board(9)
    for move in stones:
        board.cells[to_point(move, 9)] = BLACK
    assert_same(position.states, board)
    assert (position.to_move, position.moves, position.is_over) == (1, [], False)
    assert [int(position.states[0][name]) for name in ("last", "last_but_one", "ko", "passes")] == [0] * 4
    position.play(position.text_to_move("E5"))
    with pytest.raises(IllegalMove, match="before the first move"):
        position.place(0, [position.text_to_move("A1")])
    position.undo()
    assert_same(position.states, board)


@pytest.mark.parametrize(
    ("placed", "player", "names", "bad"),
    [
        ({0: "A1"}, 1, "B2 A1", "A1"),  # occupied
        ({0: "A1"}, 0, "C3 C3", "C3"),  # twice
        ({0: "A2 B1"}, 1, "C3 A1", "A1"),  # no liberty
        ({0: "A1"}, 1, "C3 A2 B1", "B1"),  # would capture
        ({}, 0, "B2 pass", "0"),
    ],
)
def test_stones_that_cannot_be_placed_leave_none(placed, player, names, bad):
    position = GoPosition(3)
    for owner, stones in placed.items():
        position.place(owner, map(position.text_to_move, stones.split()))
    before = everything(position)
    with pytest.raises(IllegalMove, match=f"no stone can be placed on {bad}$"):
        position.place(player, map(position.text_to_move, names.split()))
    assert everything(position) == before


def test_a_placed_position_may_not_be_repeated():
    """The ko of a set-up is not known, but the set-up itself counts as a position."""
    position = GoPosition(4)
    position.place(0, map(position.text_to_move, ["B3", "A2", "B1", "C2"]))
    position.place(1, map(position.text_to_move, ["C3", "D2", "C1"]))
    position.set_to_move(1)
    position.play(position.text_to_move("B2"))
    with pytest.raises(IllegalMove, match="C2 retakes a ko"):
        position.play(position.text_to_move("C2"))


def test_sensible_moves_fill_no_eyes():
    position = GoPosition(5)
    board = Board.drawn(".X.XO XXXXO OOOOO O.O.O OOOOO")
    for color in (BLACK, WHITE):
        position.place(COLORS[color] - 1, [to_move(point, 5) for point in board.all_of(color)])
    assert_same(position.states, board)
    assert position.sensible_moves().tolist() == [PASS]
    assert len(position.legal_moves()) == 3
    position.set_to_move(1)
    assert position.sensible_moves().tolist() == [PASS]


def test_play_goes_on_after_two_passes():
    position = GoPosition(5)
    for _ in range(2):
        assert not position.is_over
        position.play(PASS)
    assert position.is_over
    assert len(position.legal_moves()) == 0
    position.play(position.text_to_move("C3"))
    assert not position.is_over


def test_dead_stones_are_taken_off_before_counting():
    position, _ = replayed(CASES["a wall"])
    dead = [position.text_to_move(f"B{line}") for line in range(1, 6)]
    assert position.margin() == -5
    assert position.margin(dead) == -25
    assert position.margin() == -5


@pytest.mark.parametrize(
    ("margin", "text"), [(0, "0"), (0.5, "B+0.5"), (-0.5, "W+0.5"), (7, "B+7"), (-361, "W+361"), (12.25, "B+12.25")]
)
def test_results(margin, text):
    assert format_result(margin) == text


def test_rewards():
    position = GoPosition(5, 25)
    position.play(position.text_to_move("C3"))
    assert (position.result(), position.reward()) == ("0", 0.5)
    position.komi = 24.5
    assert (position.result(), position.reward()) == ("B+0.5", 1.0)
    position.komi = 25.5
    assert (position.result(), position.reward()) == ("W+0.5", 0.0)


def test_the_drawing_shows_the_last_move():
    position, _ = replayed(CASES["ko"])
    assert position.draw().splitlines() == [
        "   A B C D",
        " 4 . . . . 4",
        " 3 . X O . 3",
        " 2 X(O). O 2",
        " 1 . X O . 1",
        "   A B C D",
    ]
    assert position.colors.dtype == np.uint8
    assert position.colors[2].tolist() == [1, 2, 0, 2]

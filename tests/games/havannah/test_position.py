"""Positions of Havannah as players, matches and GTP see them; wrong input changes nothing."""

import numpy as np
import pytest

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import game_named, new_position
from semeai.games.havannah.kernels.board import SWAP
from semeai.games.havannah.kernels.tables import MAX_BASE, MIN_BASE, cells
from semeai.games.havannah.position import HavannahPosition
from tests.games.havannah.faces import assert_lists_are_right
from tests.games.havannah.test_board import DRAW


def played(moves, base, **options):
    position = HavannahPosition(base, **options)
    for text in moves.split():
        position.play(position.text_to_move(text))
    return position


WINS = [  # moves, base, result
    ("a1 c3 b1 c4 c1 e5", 3, "W+bridge"),
    ("b2 e5 c2 e4 b3 a1 c4 c5 d3 a2 d4", 3, "W+ring"),
    ("b1 c3 b2 c4 a2 d3 b3 e3 b4", 3, "W+fork"),
    ("c3 a1 d3 b1 d4 c1", 3, "B+bridge"),
    ("b1 c3 b3 d3 b4 d4 a2 c4 b2", 3, "W+fork"),
    ("a1 c1 a3 c3 b2 c5 a2", 3, "W+bridge"),
]


@pytest.mark.parametrize(("moves", "base", "result"), WINS)
def test_wins_are_named(moves, base, result):
    position = HavannahPosition(base)
    for text in moves.split():
        assert not position.is_over
        assert position.result() == "?"
        assert position.reward() == 0.5
        position.play(position.text_to_move(text))
        if position.is_over:
            break
    assert position.result() == result
    assert position.win_kind == result[2:]
    assert position.winner == "WB".index(result[0])
    assert position.reward() == (result[0] == "W")
    assert game_named("havannah").ending(position) == result[2:]
    assert len(position.legal_moves()) == 0


def test_one_stone_can_win_in_two_ways():
    position = played("b1 c3 a1 d3 a2 d4 c1", 3)
    assert position.result() == "W+bridge"
    position = played("b1 c3 b2 c4 d2 d3 a2 d4 e4 c5 a1 c1", 3)
    assert position.result() == "?"


def test_a_draw():
    position = played(DRAW, 3)
    assert position.is_over
    assert (position.result(), position.reward(), position.winner, position.win_kind) == ("0", 0.5, None, "")
    assert game_named("havannah").ending(position) == "draw"


@pytest.mark.parametrize("base", range(MIN_BASE, MAX_BASE + 1))
def test_both_coordinate_systems_name_every_cell_once(base):
    for coordinates in ("openspiel", "littlegolem"):
        position = HavannahPosition(base, coordinates=coordinates)
        names = {position.move_to_text(p): int(p) for p in position.legal_moves()}
        assert len(names) == len(cells(base))
        assert all(position.text_to_move(name) == p for name, p in names.items())
        assert all(position.text_to_move(f" {name.swapcase()} ") == p for name, p in names.items())


def test_coordinates_by_example():
    ours, lg = HavannahPosition(4), HavannahPosition(4, coordinates="littlegolem")
    assert ours.move_to_text(ours.point(2, 5)) == "c6"
    assert lg.move_to_text(ours.point(2, 5)) == "F1"
    assert lg.text_to_move("D7") == ours.text_to_move("g4")
    assert lg.text_to_move("A4") == ours.text_to_move("d1")


BAD = ["", "a", "a0", "a5", "e1", "z1", "a-1", "a1b", "11", "b²", "h1", "a٣", "pass", "swap ", "a001", "x" * 500]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_move_is_refused_and_changes_nothing(text):
    position = played("a1 b2", 4)
    before = position.states.tobytes()
    with pytest.raises(IllegalMove) as error:
        position.play(position.text_to_move(text))
    assert len(str(error.value)) < 120
    assert position.states.tobytes() == before
    assert len(position.moves) == 2


@pytest.mark.parametrize("move", [-1, 1, 8, 9 + 40, 10_000])
def test_a_number_that_is_no_cell_is_refused(move):
    position = played("a1 b2", 4)
    with pytest.raises(IllegalMove):
        position.play(move)


def test_occupied_cells_and_moves_after_the_end_are_refused():
    position = played("a1 c3 b1 c4", 3)
    with pytest.raises(IllegalMove, match="c3 is occupied"):
        position.play(position.text_to_move("c3"))
    position.play(position.text_to_move("c1"))
    with pytest.raises(IllegalMove, match=r"the game is over \(W\+bridge\)"):
        position.play(position.text_to_move("e5"))
    position.undo()
    assert not position.is_over
    position.play(position.text_to_move("e5"))


def contents(position):
    return {name: position.states[0][name].tobytes() for name in position.states.dtype.names}


def test_undo_and_copy():
    position = HavannahPosition(4, swap=True)
    seen = [contents(position)]
    for text in ["a1", "swap", "b2", "c3", "d4"]:
        position.play(position.text_to_move(text))
        seen.append(contents(position))
    copied = position.copy()
    while position.moves:
        assert contents(position) == seen.pop()
        position.undo()
    assert contents(position) == seen.pop()
    with pytest.raises(IllegalMove, match="no move to take back"):
        position.undo()
    assert len(copied.moves) == 5
    copied.undo()
    assert copied.start_key == position.start_key != HavannahPosition(4).start_key


def test_a_swap_takes_over_the_first_stone():
    position = HavannahPosition(2, swap=True)
    assert not position.may_swap
    position.play(position.text_to_move("a1"))
    assert position.legal_moves()[-1] == SWAP
    assert position.winning_cells(0).size == 5 - 3  # the corners beside it
    position.play(SWAP)
    assert position.color_at(0, 0) == 2
    assert position.to_move == 0
    assert [len(position.winning_cells(p)) for p in (0, 1)] == [0, 2]
    assert_lists_are_right(position.states)
    assert position.moves[-1] == (1, SWAP)
    for text in ("a2", "b1"):
        position.play(position.text_to_move(text))
    assert position.result() == "B+bridge"


@pytest.mark.parametrize(("moves", "swap"), [("", True), ("a1", False), ("a1 b2", True), ("a1 swap", True)])
def test_a_swap_at_another_time_is_refused(moves, swap):
    position = played(moves, 4, swap=swap)
    assert SWAP not in position.legal_moves()
    with pytest.raises(IllegalMove, match="swap"):
        position.play(SWAP)


def test_openspiel_swaps_alike():
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel cannot be imported here")
    theirs = pyspiel.load_game("havannah(board_size=4,swap=True)").new_initial_state()
    theirs.apply_action(3)
    theirs.apply_action(3)
    ours = played("d1 swap", 4, swap=True)
    assert theirs.current_player() == ours.to_move
    assert len(theirs.legal_actions()) == len(ours.legal_moves())


def test_it_is_drawn_as_a_hexagon():
    assert played("c3 b2 e4", 3).draw() == "\n".join([
        "      a b c",
        "   1 . . . d",
        "  2 . X . . e",
        " 3 . . O . .",
        "  4 . . .(O)",
        "   5 . . .",
    ])  # fmt: skip
    lines = played("C3 B2", 3, coordinates="littlegolem").draw().split("\n")
    assert lines == ["   A . . .", "  B .(X). .", " C . . O . .", "  D . . . .", "   E . . ."]


@pytest.mark.parametrize("size", [1, 11, 0, -3])
def test_no_such_board(size):
    with pytest.raises(ConfigError):
        new_position("havannah", size)
    with pytest.raises(IllegalMove):
        HavannahPosition(size)


def test_no_such_coordinates():
    with pytest.raises(ConfigError, match="littlegolem"):
        HavannahPosition(4, coordinates="littlegolm")


def test_the_catalog_makes_it():
    position = new_position("havannah")
    assert (position.size, position.game, position.to_move) == (8, "havannah", 0)
    assert len(position.legal_moves()) == 169
    with pytest.raises(ConfigError, match="komi"):
        new_position("havannah", 5, 6.5)
    assert SWAP in played("a1", 5, swap=True).legal_moves()
    assert SWAP not in played("a1", 5, swap=True).sensible_moves()
    assert isinstance(position.legal_moves(), np.ndarray)

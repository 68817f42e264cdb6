"""Solved openings, proven by search with proof backup; and decisive moves."""

import pytest

from semeai.games.catalog import game_named
from semeai.games.havannah.config import HavannahPolicy
from semeai.games.havannah.kernels.tables import touches
from semeai.games.havannah.position import HavannahPosition
from semeai.search.config import SearchConfig
from semeai.search.search import Search

game_named("havannah")  # its kernels
SOLVER = SearchConfig(proof_backup=True).to_record()


def search_from(position, simulations, params=SOLVER, **policy):
    search = Search(params, HavannahPolicy(**policy).to_record(), 1_000_000)
    search.seed(1)
    search.set_position(position)
    search.run(simulations)
    return search


@pytest.mark.parametrize("decisive", [True, False])
@pytest.mark.parametrize("base", [2, 3])
def test_the_corners_win_and_all_else_loses(base, decisive):
    """All openings of base 2, and one of each kind of cell of base 3."""
    openings = "a1 b1 b2 c1 c3" if base == 3 else "a1 b1 b2 c3"
    for text in openings.split():
        position = HavannahPosition(base)
        position.play(position.text_to_move(text))
        x, y = ord(text[0]) - ord("a"), int(text[1]) - 1
        is_corner = touches(base, x, y) >= 64
        search = search_from(position, 200_000, decisive=decisive, anti_decisive=decisive, playout="fast")
        assert search.is_solved
        assert search.win_rate(search.best_move()) == (0.0 if is_corner else 1.0)


def test_a_search_tries_only_the_move_that_wins():
    position = HavannahPosition(5)
    for text in ["a1", "c3", "b1", "c4", "c1", "c5", "d1", "c6"]:
        position.play(position.text_to_move(text))
    search = search_from(position, 100)
    assert [r.move for r in search.report()] == [position.text_to_move("e1")]
    assert search.is_solved
    assert search.win_rate(search.best_move()) == 1.0
    assert len(search_from(position, 1, decisive=False, anti_decisive=False).report()) == len(position.legal_moves())


def test_a_search_tries_only_moves_that_prevent_a_win():
    position = HavannahPosition(5)
    for text in ["a1", "c3", "b1", "c4", "c1", "c5", "d1"]:
        position.play(position.text_to_move(text))
    search = search_from(position, 100)
    assert [r.move for r in search.report()] == [position.text_to_move("e1")]
    assert len(search_from(position, 1, anti_decisive=False).report()) == len(position.legal_moves())


def test_a_swap_is_searched_and_taken_where_the_opening_wins():
    """A corner of base 3 wins for whoever has it."""
    for text, swaps in (("a1", True), ("c3", False)):
        position = HavannahPosition(3, swap=True)
        position.play(position.text_to_move(text))
        search = search_from(position, 300_000)
        assert search.is_solved
        assert search.win_rate(search.best_move()) == 1.0
        assert (position.move_to_text(search.best_move()) == "swap") == swaps


def test_what_playouts_have_learned_is_kept_as_long_as_the_tree():
    position = HavannahPosition(5)
    search = search_from(position, 200)
    assert search._scratch["replies"].any()
    learned = search._scratch["replies"].copy()
    position.play(search.best_move())
    assert search.set_position(position)
    assert (search._scratch["replies"] == learned).all()
    assert not search.set_position(position, reuse=False)
    assert not search._scratch["replies"].any()

import dataclasses

import pytest

from semeai.errors import ConfigError
from semeai.games.record import GameRecord

MOVES = ((0, 11), (1, 12))


def test_where_it_was_read_and_empty_comments_do_not_matter():
    plain = GameRecord("go", 9, 7.5, MOVES)
    assert plain == GameRecord("go", 9, 7.5, MOVES, comments=("", ""), place="somewhere.sgf")
    assert plain != GameRecord("go", 9, 7.5, MOVES, comments=("", "good"))
    assert len({plain, GameRecord("go", 9, 7.5, MOVES)}) == 1


def test_comments_are_one_a_move():
    with pytest.raises(ConfigError, match="3 comments for 2 moves"):
        GameRecord("go", 9, 7.5, MOVES, comments=("a", "b", "c"))


def test_it_cannot_change():
    moves = list(MOVES)
    record = GameRecord("go", 9, 7.5, moves)
    moves.clear()
    assert record.moves == MOVES
    with pytest.raises(dataclasses.FrozenInstanceError):
        GameRecord("go", 9, 7.5).komi = 0.5

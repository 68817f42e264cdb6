"""The opening book: the same in all eight symmetries, the same after writing and reading, and refused if wrong."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.learn_book import choose, seen

from semeai.errors import ConfigError
from semeai.games.go.book import Book, BookMove, canonical_view, own_book
from semeai.games.go.position import GoPosition
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer

SIDES = [(mirror, turns) for mirror in (False, True) for turns in range(4)]


def turned(position: GoPosition, move: int, mirror: bool, turns: int) -> int:
    """Where ``move`` is when the board is turned: an independent way, by turning a picture."""
    board = np.zeros((position.size, position.size))
    row, column = divmod(move, position.size + 1)
    board[row - 1, column - 1] = 1
    board = np.rot90(board.T if mirror else board, turns)
    return position.point(*map(int, np.argwhere(board)[0]))


def played(size: int, moves: list[int]) -> GoPosition:
    position = GoPosition(size)
    for move in moves:
        position.play(move)
    return position


@given(st.integers(4, 13), st.integers(0, 8), st.randoms(use_true_random=False))
def test_a_position_is_found_from_all_sides(size: int, n_moves: int, random) -> None:
    position = GoPosition(size)
    for _ in range(n_moves):
        position.play(int(random.choice(position.legal_moves()[:-1])))
    move = int(random.choice(position.legal_moves()[:-1]))
    book = Book()
    book.add(position, BookMove(move, 0.5, 10))
    moves = [m for _, m in position.moves]
    for mirror, turns in SIDES:
        other = played(size, [turned(position, m, mirror, turns) for m in moves])
        found = book.look_up(other)
        assert found is not None
        # a symmetric position has several moves that are the same one
        after, expected = other.copy(), other.copy()
        after.play(found.move)
        expected.play(turned(position, move, mirror, turns))
        assert canonical_view(after).key == canonical_view(expected).key


def test_stones_komi_and_player_make_the_position() -> None:
    book = Book()
    book.add(GoPosition(9), BookMove(GoPosition(9).text_to_move("E5"), 0.5, 10))
    assert book.look_up(GoPosition(9)) is not None
    assert book.look_up(GoPosition(9, 5.5)) is None
    assert book.look_up(GoPosition(7)) is None
    white = GoPosition(9)
    white.set_to_move(1)
    assert book.look_up(white) is None
    assert book.look_up(played(9, [white.text_to_move("C3")])) is None


def test_a_book_written_and_read_is_the_same() -> None:
    book = own_book()
    assert Book.read(book.lines(), "again").entries == book.entries


def test_a_move_learnt_from_games_says_so() -> None:
    line = "19 7.5 B - / - > R16 44.4 2364 games"
    book = Book.read([line], "mine.txt")
    assert list(book.lines()) == [line]
    found = book.look_up(GoPosition(19))
    assert found is not None
    assert found.source == "2,364 games"
    assert BookMove(0, 0.5, 20_000).source == "20,000 simulations"


def test_the_own_book_opens_on_large_boards_too() -> None:
    """In corners, on the third and fourth lines, for the first moves of a usual game."""
    for komi in (6.5, 7.5):
        position = GoPosition(19, komi)
        for _ in range(4):
            found = own_book().look_up(position)
            assert found is not None
            row, column = divmod(found.move, 20)
            assert {min(row, 20 - row), min(column, 20 - column)} <= {3, 4}
            position.play(found.move)
    assert own_book().look_up(GoPosition(19, 0.5)) is None


def test_games_are_counted_from_all_sides() -> None:
    """Eight games that are the same but for the symmetry are one line of play, also on a symmetric board."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for mirror, turns in SIDES:
        position = GoPosition(9)
        for name in ("G6", "D3"):
            move = turned(position, position.text_to_move(name), mirror, turns)
            _, place = seen(position, move)
            counts[len(position.moves), place, 0] += 1
            position.play(move)
    assert sorted(counts.values()) == [8, 8]


def test_the_book_takes_the_best_of_the_usual_moves() -> None:
    """A rare move that always won is not taken, and a few more wins of few games are pulled back to the mean."""
    assert choose({1: [100, 55], 2: [60, 27], 3: [9, 9]}) == (1, (55 + 20 * 91 / 169) / 120, 100)
    assert choose({1: [9, 5], 2: [8, 4]}) is None
    assert choose({place: [10, 5] for place in range(20)}) is None


def test_the_own_book_knows_the_first_moves() -> None:
    book = own_book()
    assert book.look_up(GoPosition(9)) is not None
    for name in ("E5", "C3", "G7", "D4", "F4", "D6"):
        assert book.look_up(played(9, [GoPosition(9).text_to_move(name)])) is not None, name


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("9 7.5 B - / - E5 50 10", "write size komi to-move"),
        ("9 7.5 B - / - E5 50 10 10 10", "'>' is not in list"),
        ("9 7.5 X - / - > E5 50 10", "write size komi to-move"),
        ("9", "write size komi to-move"),
        ("9 nan B - / - > E5 50 10", "out of range"),
        ("9 7.5 B - / - > E5 500 10", "out of range"),
        ("9 7.5 B E5 / - > E5 50 10", "E5 is no move here"),
        ("9 7.5 B E5 / E5 > C3 50 10", "no stone can be placed on E5"),
        ("9 7.5 B - / - > I5 50 10", "no point"),
        ("99 7.5 B - / - > E5 50 10", "not 99"),
        ("9 7.5 B - / - > pass 50 10", "pass is no move here"),
    ],
)
def test_a_wrong_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=r"mine\.txt, line 3: .*" + reason):
        Book.read(["# a comment", "", line], "mine.txt")


def test_a_player_opens_by_the_book_only_if_told_to() -> None:
    config = PlayerConfig(simulations=10)
    for book in (True, False):
        player = MctsPlayer(config.with_changes({"book": book}))
        player.start(GoPosition(9), 1)
        choice = player.choose()
        assert choice.comment.startswith("book") == book
        assert (choice.simulations == 0) == book

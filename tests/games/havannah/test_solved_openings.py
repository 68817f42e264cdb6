"""What ``benchmarks/solve_havannah.py`` proved of base 4 is whole where it says so, and some of it is proven again."""

import pytest
from benchmarks.solve_havannah import OPENINGS, after, by_trials, known, replies_to, turned

from semeai.games.havannah.solver import Solver

PROVEN = ("a1", "b1", "b2", "c2")


def answered():
    """By opening, Black's answers that White beats."""
    found = {opening: set() for opening in OPENINGS}
    for row in known():
        assert row["winner"] == 0
        opening, reply, _ = turned(row)
        found[opening].add(reply)
    return found


@pytest.mark.parametrize("opening", PROVEN)
def test_an_opening_is_proven_against_every_answer(opening):
    assert len(answered()[opening]) == len(replies_to(Solver(4, memory=1), opening))


@pytest.mark.parametrize("line", ["b1 c3 a2", "e5 a1 g7", "e5 c3 g7", "g6 c3 f7", "c5 c2 d7"])
def test_white_wins_by_the_move_that_was_found(line):
    opening, reply, answer = line.split()
    assert any((row["opening"], row["reply"], row["by"]) == (opening, reply, answer) for row in known())
    assert Solver(4).solve(after(opening, reply, answer)).winner == 0


def test_trials_find_the_answer_and_keep_what_leaves_fewest_open():
    answer, left, visited = by_trials(Solver(4), ("e5", "a1"), ["d7", "g7"], ((300, 1), (100_000, 1)))
    assert (answer, left) == ("g7", {})
    assert visited > 300
    answer, left, _ = by_trials(Solver(4), ("e5", "a1"), ["d7", "g7"], ((300, 2),))
    assert answer is None
    assert list(left) == ["g7", "d7"]
    assert 0 < len(left["g7"]) < len(left["d7"])

"""The proofs of ``tools/solve_havannah.py`` for base 4 are complete, and some of them are proven again."""

import pytest
from tools import solve_havannah
from tools.solve_havannah import OPENINGS, Prover, after, known, replies_to, stones, turned

from semeai.games.havannah.solver import Solver


@pytest.mark.parametrize("opening", OPENINGS)
def test_an_opening_is_proven_against_every_answer(opening):
    found = {stones(turned(row)[:2]) for row in known() if len(row["moves"].split()) == 2 and turned(row)[0] == opening}
    assert found == {stones((opening, reply)) for reply in replies_to(Solver(4, memory=1), opening)}


def test_the_openings_are_all_that_differ():
    assert list(OPENINGS) == replies_to(Solver(4, memory=1))


def test_lines_that_were_proven_can_be_played_and_white_is_to_move():
    for row in known():
        position = after(*row["moves"].split())
        assert position.to_move == 0
        position.play(position.text_to_move(row["by"]))


@pytest.mark.slow
@pytest.mark.parametrize("line", ["b1 c3 a2", "e5 a1 g7", "e5 c3 g7", "g6 c3 f7", "e6 c2 d7"])
def test_white_wins_by_the_move_that_was_found(line):
    moves, _, answer = line.rpartition(" ")
    assert any((row["moves"], row["by"]) == (moves, answer) for row in known())
    assert Solver(4).solve(after(*line.split())).winner == 0


@pytest.fixture
def prover(tmp_path, monkeypatch):
    """One that knows nothing yet."""
    monkeypatch.setattr(solve_havannah, "RESULTS", tmp_path / "solved.jsonl")
    return Prover(memory=128)


@pytest.mark.slow
def test_trials_find_the_answer_and_keep_what_leaves_fewest_open(prover):
    answer, left, visited = prover.by_trials(("e5", "a1"), ["d7", "g7"], ((300, 1), (100_000, 1)))
    assert (answer, left) == ("g7", {})
    assert visited > 300
    answer, left, _ = Prover(memory=128).by_trials(("e5", "a1"), ["d7", "g7"], ((300, 2),))
    assert answer is None
    assert list(left) == ["g7", "d7"]
    assert 0 < len(left["g7"]) < len(left["d7"])


@pytest.mark.slow
def test_what_was_proven_serves_the_next_run(prover, monkeypatch):
    monkeypatch.setattr(solve_havannah, "WORTH_KEEPING", 1_000)
    trials = ((100_000, 1),)
    _, _, first = prover.by_trials(("e5", "a1"), ["g7"], trials)
    assert all(row["positions"] >= 1_000 and row["moves"].startswith("e5 a1 g7 ") for row in known())
    answer, _, again = Prover(memory=128).by_trials(("e5", "a1"), ["g7"], trials)
    assert answer == "g7"
    assert again < first - sum(row["positions"] for row in known()) / 2


def test_a_position_is_the_same_by_any_order_of_moves_turned_or_mirrored():
    assert stones(("a1", "b2", "c1")) == stones(("c1", "b2", "a1")) == stones(("g7", "f6", "e7"))
    assert stones(("a1", "b2", "c1")) != stones(("a1", "c1", "b2"))

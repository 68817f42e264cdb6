"""The drawn positions that come with semeai."""

from collections import Counter

import pytest

from semeai.errors import ConfigError
from semeai.experiments.answers import Question, ask_all, counted
from semeai.experiments.problems import own_problems, parse_problems, spread_over
from semeai.experiments.races import RACES, RAVE_PROBLEMS

TEXT = """# comment
[a] about
family: must
komi: 1.5
good: A1
race: A1
.X.
XX.
.OO
"""


def test_the_test_bed_has_enough_positions_of_each_family_and_board():
    races = own_problems(RACES)
    assert len(races) >= 100
    assert min(Counter(p.family for p in races).values()) >= 40
    assert {p.size for p in races} == {9, 13, 19}
    assert len(own_problems(RAVE_PROBLEMS)) >= 20
    for p in races:
        first, _, second = p.known["gnugo"].partition(" / ")
        assert first.startswith("1 ")
        assert second.startswith("1 " if p.family == "must" else "0 "), p.name


def test_good_moves_are_in_the_race_exactly_if_black_must_play_there():
    for p in own_problems(RACES):
        assert {move in p.race for move in p.good} == {p.family == "must"}, p.name


def test_the_first_move_of_a_problem_can_be_asked_for():
    for p in own_problems(RACES) + own_problems(RAVE_PROBLEMS):
        position = p.position(3).set_up()
        assert position.colors.tolist() == [[".XO".index(cell) for cell in row] for row in p.rows]
        assert position.to_move == (0 if p.to_move == "X" else 1)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[a] about", "a", "line 2: a position begins with its name"),
        ("family: must", "family: mustard", "family 'mustard'"),
        ("komi: 1.5", "komi: x", "komi 'x' is no number"),
        ("komi: 1.5", "Komi: 1.5", "line 4: 'Komi'"),
        ("komi: 1.5\n", "", "'komi' is missing"),
        ("good: A1", "good: B2", "good: B2 is no legal move"),
        ("race: A1", "race: A1 A1", "a point is there twice"),
        ("race: A1", "race: Z9", "Z9"),
        (".OO", ".O", "the board has 3 rows"),
        (".OO", "O?O", "line 9: 'O?O' is no row of a board"),
        ("XX.", "XX.\nkomi: 2", "line 9: 'komi': stands below the board"),
        (TEXT, TEXT + "\n" + TEXT, "position 'a' is there twice"),
        (TEXT, "# nothing\n", "has no positions"),
    ],
)
def test_mistakes_are_named_with_their_place(old, new, says):
    assert parse_problems(TEXT, "f")[0].good == ("A1",)
    with pytest.raises(ConfigError) as error:
        parse_problems(TEXT.replace(old, new), "f")
    assert says in str(error.value)
    assert str(error.value).startswith("f")


def test_runs_are_spread_over_all_problems():
    problems = own_problems(RACES)
    assert {p for p, _ in spread_over(problems, len(problems))} == set(problems)
    assert len(set(spread_over(problems[:3], 7))) == 7
    assert [p.name for p, _ in spread_over(problems, 2)] == [problems[0].name, problems[len(problems) // 2].name]


@pytest.mark.slow
def test_answers_are_the_same_on_any_number_of_workers():
    questions = [
        Question("mcts:default,simulations=50,reuse_tree=false", p, run)
        for p, run in spread_over([p for p in own_problems(RACES) if p.size == 9], 6)
    ]
    one = ask_all(questions, workers=1, executor="inline")
    two = ask_all(questions, workers=2)
    assert [a.move for a in one] == [a.move for a in two]
    counts = counted(questions, one)
    assert sum(count.asked for count in counts.values()) == 6
    assert sum(count.good for count in counts.values()) == sum(a.solved for a in one)

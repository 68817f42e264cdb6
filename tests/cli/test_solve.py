"""``semeai solve``: proofs on small boards, positions that are not proven, and bad input."""

import json

import pytest

from tests.cli.test_cli import semeai  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow


def test_each_opening_of_base_three(semeai):  # noqa: F811
    done = semeai("solve", "--size", "3", "--each")
    said = [line.split(" (")[0] for line in done.stdout.splitlines()]
    assert [line.split(" by ")[0] for line in said] == [
        "a1: White wins",
        "b1: Black wins",
        "b2: Black wins",
        "c3: Black wins",
    ]
    assert said[3] == "c3: Black wins by a1"


def test_a_move_that_wins_is_said(semeai):  # noqa: F811
    [found] = json.loads(semeai("solve", "b1", "d4", "--size", "4", "--json").stdout)
    assert (found["moves"], found["winner"]) == ("b1 d4", "White")
    follow_up = semeai("solve", "b1", "d4", found["by"], "--size", "4")
    assert follow_up.stdout.startswith(f"b1 d4 {found['by']}: White wins (")


def test_a_draw_is_said(semeai):  # noqa: F811
    moves = "c4 a1 d5 b3 b4 c2 c1 e4 d4 c3 a2 a3 b2 c5"
    assert semeai("solve", *moves.split(), "--size", "3").stdout.startswith(f"{moves}: a draw by ")
    [found] = json.loads(semeai("solve", *moves.split(), "--size", "3", "--json").stdout)
    assert (found["proven"], found["winner"]) == (True, None)


def test_what_is_not_proven_is_said_and_gives_an_exit_code(semeai):  # noqa: F811
    done = semeai("solve", "d4", "--size", "4", "--limit", "300", "--memory", "1", "--json", code=1)
    [found] = json.loads(done.stdout)
    assert found["moves"] == "d4"
    assert (found["proven"], found["winner"]) == (False, None)
    assert found["positions"] >= 300


def test_bad_input_is_one_sentence(semeai):  # noqa: F811
    for words, sentence in [
        (("z9",), "'z9' is no cell of a board of base 3"),
        (("a1", "a1"), "a1 is occupied"),
        (("--size", "5"), "base 5: proofs are for boards of base 2 to 4"),
        (("--size", "1"), "base 1: proofs are for boards of base 2 to 4"),
        (("a1", "c3", "b1", "--size", "2", "--each"), "--each: there is no move after a1 c3 b1, the game is over"),
        (("--memory", str(10**9)), f"memory {10**9} MiB: this machine does not have so much"),
    ]:
        done = semeai("solve", *words, code=2)
        assert done.stderr.strip().splitlines()[-1] == f"semeai: {sentence}"

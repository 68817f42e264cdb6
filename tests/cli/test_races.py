"""``semeai races``: the drawing, the sentences, JSON, and bad input."""

import json

import pytest

from semeai.games.go.position import GoPosition
from tests.cli.test_cli import semeai  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

ROWS = [
    ". X X . O X . O .",
    "X X X . O X . O O",
    ". X X . O X . O .",
    "X X X . O X . O O",
    *["X X X X O X O O O"] * 5,
]
"""Two chains from top to bottom, with four liberties each, between living groups."""


@pytest.fixture
def record(tmp_path):
    position = GoPosition(9)
    stones = {"X": "", "O": ""}
    for r, row in enumerate(ROWS):
        for c, cell in enumerate(row.split()):
            if cell != ".":
                stones[cell] += f"[{chr(97 + c)}{chr(97 + r)}]"
    path = tmp_path / "race.sgf"
    path.write_text(f"(;GM[1]FF[4]SZ[{position.size}]KM[7.5]AB{stones['X']}AW{stones['O']}PL[B];B[da])")
    return path


def test_an_urgent_race_is_drawn_and_told(semeai, record):  # noqa: F811
    said = semeai("races", str(record), "--move", "0").stdout
    assert " 9 . X X * o x * O . 9" in said
    assert "Black first: Black wins; White first: White wins" in said
    assert "Black has to play: D9 or D8 or D7 or D6" in said


def test_json_after_the_last_move(semeai, record):  # noqa: F811
    [race] = json.loads(semeai("races", str(record), "--json").stdout)
    assert (race["black_first"], race["white_first"], race["urgent"]) == ("black", "black", False)
    assert (race["black"]["liberties"], race["white"]["liberties"], race["shared_liberties"]) == (4, 3, 0)
    assert race["black_moves"] == race["white_moves"] == race["black_unclear"] == race["white_unclear"] == []


def test_groups_of_several_chains_are_marked_and_moves_that_are_not_known(semeai, tmp_path):  # noqa: F811
    path = tmp_path / "small.sgf"
    path.write_text("(;GM[1]FF[4]SZ[5]KM[0.5]AB[ca][ac][cc][ad][dd][ed]AW[ba][da][ea][ab][bb][eb][ec][cd][ce][ee])")
    said = semeai("races", str(path)).stdout
    assert " 5 . o X o o 5" in said
    assert "of D1 it is not known whether White wins with it too" in said
    first = json.loads(semeai("races", str(path), "--json").stdout)[0]
    assert first["white_unclear"] == ["D1"]


def test_bad_input_is_one_sentence(semeai, record, tmp_path):  # noqa: F811
    done = semeai("races", str(record), "--move", "7", code=2)
    assert done.stderr.strip() == f"semeai: --move 7: {record} has 1 moves"
    semeai("races", str(tmp_path / "none.sgf"), code=2)
    (tmp_path / "bad.sgf").write_text("no game")
    assert "bad.sgf" in semeai("races", str(tmp_path / "bad.sgf"), code=2).stderr

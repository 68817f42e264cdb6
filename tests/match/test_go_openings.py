"""Files of openings for matches of Go: one per line."""

from pathlib import Path

import pytest

from semeai import mirror
from semeai.errors import ConfigError
from semeai.games.go.openings import read_openings
from semeai.match import openings
from semeai.match.evaluator import MatchEvaluator
from semeai.match.pair import MatchSetup, draw_opening
from semeai.match.settings import MatchSettings

TEXT = "# openings\nE5 E3 C4  # a comment\n\nd7 pass E7\n"


def settings_with(folder, text, **more):
    (folder / "openings.txt").write_text(text)
    return MatchSettings(suite="openings.txt", **more).located(folder)


def test_openings_are_read_line_by_line():
    assert [opening.moves for opening in read_openings(TEXT.encode(), "f")] == [
        ("E5", "E3", "C4"),
        ("d7", "pass", "E7"),
    ]


def test_pairs_begin_with_an_opening_of_the_file(tmp_path):
    settings = settings_with(tmp_path, TEXT)
    positions = [draw_opening(settings, seed) for seed in range(20)]
    played = {tuple(p.move_to_text(move) for _, move in p.moves) for p in positions}
    assert played == {("E5", "E3", "C4"), ("D7", "pass", "E7")}


def test_the_file_travels_to_machines_that_do_not_have_it(tmp_path):
    settings = settings_with(tmp_path, TEXT)
    path = str(tmp_path / "openings.txt")
    for setup in (MatchSetup(settings, ()), MatchEvaluator({"player": "random"}, settings)):
        assert setup.needs().files == {path}
    assert MatchSetup(MatchSettings(game="chess").located("."), ()).needs().files == frozenset()  # semeai has it
    copy = Path(mirror.place_of(path, str(tmp_path / "copies")))
    copy.parent.mkdir(parents=True)
    Path(path).rename(copy)
    openings._read.cache_clear()  # as in another process
    with pytest.raises(ConfigError, match="cannot be read"):
        draw_opening(settings, 1)
    mirror.use(str(tmp_path / "copies"))
    try:
        assert draw_opening(settings, 1).moves
    finally:
        mirror.use("")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("E5 I3\n", "line 1: 'I3' is no move"),
        ("E5\nE5 \u0663\n", "line 2: '\u0663' is no move"),
        ("E5 ab-cd\n", "line 1: 'ab-cd' is no move"),
        ("# nothing\n", "there is no opening in it"),
        ("E5\n" + "pass " * 1001, "line 2: 1,001 moves"),
        ("E5 E5\n", "opening 1: E5 is occupied"),
        ("E5\nQ16 D4\n", "opening 2: 'Q16' is no point of a 9x9 board"),
        ("E5 pass pass\n", "opening 1: the game is over after it"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path, text, says):
    with pytest.raises(ConfigError) as error:
        settings_with(tmp_path, text)
    assert says in str(error.value)
    assert "openings.txt" in str(error.value)


def test_an_opening_must_leave_a_move(tmp_path):
    with pytest.raises(ConfigError, match="move_limit 3 leaves no move after 3 moves"):
        settings_with(tmp_path, TEXT, move_limit=3)

"""``semeai pattern`` and ``--patterns`` as a user types them."""

import json
import xml.etree.ElementTree as ET

import pytest
from typer.testing import CliRunner

from semeai.cli.app import app
from semeai.errors import ConfigError
from tests.cli.test_cli import semeai  # noqa: F401 - a fixture

FILE = """semeai patterns 1
geometry square

# contact
pattern +1
  O *

# first line
pattern -0.5
  *
  _
"""
BAD = FILE.replace("  O *", "  Q *")
GAME = "(;GM[1]SZ[5]KM[0];B[cc];W[cb];B[ca];W[];B[aa])"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text(FILE)
    (tmp_path / "bad.txt").write_text(BAD)
    (tmp_path / "game.sgf").write_text(GAME)
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(app, ["pattern", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_show_and_check(folder):
    shown = run("show", "good.txt")
    assert "1: +1  " in shown
    assert "contact\n   O *" in shown
    one, two = json.loads(run("show", "good.txt", "--json"))
    assert (one["bias"], two["bias"], two["radius"]) == (1, -0.5, 1)
    assert run("check", "good.txt") == (
        "good.txt: 2 square patterns, 1 good and 1 bad shapes, up to 1 steps from the move\n"
    )


def test_match_lists_the_moves_of_a_game(folder):
    contact, edge = json.loads(run("match", "good.txt", "game.sgf", "--json"))
    assert [(m["number"], m["move"]) for m in contact["moves"]] == [(2, "C4"), (3, "C5")]
    assert [(m["number"], m["move"]) for m in edge["moves"]] == [(3, "C5"), (5, "A5")]
    assert edge["played"] == 4
    # Points of the first line among the legal ones, before each of five moves.
    assert edge["share"] == pytest.approx((16 + 16 + 16 + 15 + 15) / (25 + 24 + 23 + 22 + 22))
    assert "matched 2 of 4 moves played" in run("match", "good.txt", "game.sgf")
    with pytest.raises(ConfigError, match="patterns are square, but the board of havannah is hex"):
        run("match", "good.txt", "game.sgf", "--game", "havannah")


def test_draw_writes_a_picture(folder):
    assert run("draw", "good.txt", "--svg", "out.svg") == "out.svg: 2 patterns\n"
    ET.parse(folder / "out.svg")
    with pytest.raises(ConfigError, match="--svg"):
        run("draw", "good.txt", "--svg", "none/out.svg")


@pytest.mark.slow
def test_bad_files_end_with_line_and_reason(semeai, folder):  # noqa: F811
    for arguments in (
        ("pattern", "check", "bad.txt"),
        ("gtp", "--patterns", "bad.txt"),
        ("match", "mcts:patterns=bad.txt", "random", "--size", 5),
    ):
        done = semeai(*arguments, code=2)
        assert done.stderr.startswith("semeai: patterns bad.txt, line 6: no cell 'Q'"), done.stderr
        assert done.stdout == ""


@pytest.mark.slow
def test_engines_and_matches_play_with_patterns(semeai, folder):  # noqa: F811
    semeai("gtp", "--patterns", "good.txt")  # nothing to do, and nothing to complain about
    done = semeai("match", "mcts:simulations=10,patterns=good.txt", "mcts:simulations=10", "--size", 5, "--games", 2,
                  "--workers", 1, "--json")  # fmt: skip
    assert json.loads(done.stdout)["games"] == 2

"""``loadsgf``: games, positions before a move, and files that are not game records."""

import os

import pytest

from semeai.games.record import MAX_RECORD_BYTES
from tests.gtp.helpers import Talk, visible

GAME = "(;GM[1]FF[4]SZ[7]KM[4.5];B[dd];W[cc];B[];W[ee];B[aa](;W[bb])(;W[gg]))"
HANDICAP = "(;GM[1]SZ[9]HA[2]KM[0.5]AB[cg][gc];W[ee];B[ge])"
BROKEN = {
    "empty": b"",
    "no SGF": b"a game, perhaps",
    "cut off": GAME[:40].encode(),
    "binary": bytes(range(256)) * 20,
    "another game": b"(;GM[2]SZ[9];B[aa])",
    "no board": b"(;GM[1]SZ[99];B[aa])",
    "rectangle": b"(;GM[1]SZ[9:13];B[aa])",
    "off the board": b"(;GM[1]SZ[7];B[ss])",
    "occupied": b"(;GM[1]SZ[7];B[aa];W[aa])",
    "suicide": b"(;GM[1]SZ[7]AB[ba][ab];W[aa])",
    "brackets": b"(" * 100_000,
    "komi": b"(;GM[1]SZ[9]KM[lots];B[aa])",
}


REPEATS = "(;GM[1]SZ[4];B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc];B[cc])"


@pytest.fixture
def talk():
    return Talk()


@pytest.fixture
def load(tmp_path, talk):
    """Writes a file and loads it; returns whether that worked."""

    def run(data, *words):
        path = tmp_path / "game.sgf"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        ok, _, text = talk.ask(" ".join(["loadsgf", str(path), *words]))
        assert text == ("" if ok else "cannot load file")
        return ok

    return run


def test_a_game_is_loaded_with_its_size_and_komi(talk, load):
    assert load(GAME)
    assert talk.board.size == 7
    assert talk.ok("get_komi") == "4.5"
    assert talk.ok("move_history").split("\n") == [
        "white B6", "black A7", "white E3", "black pass", "white C5", "black D4",
    ]  # fmt: skip
    talk.ok("gg-undo 6")
    assert talk.fails("undo") == "cannot undo"
    assert load(GAME)
    assert talk.ok("genmove b")
    talk.ok("clear_board")
    assert (talk.board.size, talk.ok("get_komi")) == (7, "4.5")


@pytest.mark.parametrize(("number", "moves"), [("0", 0), ("1", 0), ("2", 1), ("4", 3), ("7", 6), ("99", 6)])
def test_the_position_before_a_move(talk, load, number, moves):
    assert load(GAME, number)
    assert len(talk.board.moves) == moves


def test_a_game_that_repeats_a_position_is_loaded(talk, load):
    """Rules without superko allow it. What comes after it can be searched."""
    assert load(REPEATS)
    assert len(talk.board.moves) == 9
    assert talk.ok("is_legal w B2") == "0"
    assert talk.ok("genmove w") != "B2"


def test_handicap_stones_cannot_be_taken_back(talk, load):
    assert load(HANDICAP, "1")
    assert talk.board.to_move == 1
    assert talk.board.colors.sum() == 2
    assert talk.fails("undo") == "cannot undo"
    assert talk.fails("fixed_handicap 2") == "board not empty"
    assert talk.ok("reg_genmove w")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_change_nothing(talk, load, name):
    talk.ok("play b E5")
    before = visible(talk.board), talk.ok("get_komi")
    assert not load(BROKEN[name])
    assert (visible(talk.board), talk.ok("get_komi")) == before


def test_what_is_no_file(talk, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    large = tmp_path / "large.sgf"
    with large.open("wb") as file:
        file.truncate(MAX_RECORD_BYTES + 1)
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "nothing.sgf", "/dev/zero", large):
        assert talk.fails(f"loadsgf {path}") == "cannot load file"
    assert talk.fails("loadsgf") == talk.fails("loadsgf a b c") == talk.fails("loadsgf a b") == "syntax error"

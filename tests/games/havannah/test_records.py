"""LittleGolem's records: parsing, and all stored games replayed as recorded."""

import contextlib
import dataclasses
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.errors import ConfigError, SemeaiError
from semeai.games.catalog import game_named
from semeai.games.havannah.position import HavannahPosition
from semeai.games.havannah.records import read_littlegolem, write_littlegolem
from semeai.games.record import GameRecord

HAVANNAH = game_named("havannah")
OWN_GAMES = Path(__file__).with_name("games.txt").read_text().splitlines()
DATA = Path(os.environ.get("SEMEAI_DATA") or Path(__file__).parents[4] / "shared" / "data") / "havannah"
LETTERS = {"R": "ring", "B": "bridge", "F": "fork"}
EXAMPLE = (
    "(;FF[4]EV[havannah.in.size4]PB[one]PW[two]SZ[4]RU[LG]RE[B]GC[ game #1]SO[http://www.littlegolem.com];"
    "W[E1];B[swap];W[F2];B[D3];W[G1];B[E4];W[G4];B[resign])\n"
)


def data(name):
    if not (DATA / name).exists():
        pytest.skip(f"no {DATA / name}: set SEMEAI_DATA to the folder that holds havannah/")
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


@pytest.mark.slow
def test_human_games_end_as_a_server_adjudicated_them():
    """``re`` names the loser; after a swap the first stone is Black's; no game goes on after a win."""
    games = data("littlegolem.jsonl")
    assert len(games) == 1000
    for game in games:
        position = HavannahPosition(game["size"], swap=game["swap"])
        for number, (x, y, color) in enumerate(game["moves"]):
            if number == 0 and game["swap"]:
                position.play(position.point(x, y))
                position.play(position.text_to_move("swap"))
                assert color == "B"
            else:
                assert "WB"[position.to_move] == color, game["id"]
                position.play(position.point(x, y))
        kinds = {LETTERS[letter] for letter in game["win"] if letter in LETTERS}
        assert set(filter(None, position.win_kind.split("+"))) >= kinds, game["id"]
        assert bool(position.win_kind) == bool(kinds), game["id"]
        if position.winner is not None:
            assert "WB"[position.winner] != game["re"], game["id"]
        again = read_littlegolem(write_littlegolem(record_of(position)))
        assert again.moves == tuple(position.moves)


@pytest.mark.slow
def test_random_games_end_as_openspiel_adjudicated_them():
    games = data("openspiel-random.jsonl")
    assert len(games) == 1600
    for game in games:
        position = HavannahPosition(game["size"])
        for text in game["moves"]:
            position.play(position.text_to_move(text))
        assert position.is_over
        assert len(position.moves) == game["plies"]
        assert position.winner == (None if game["winner"] < 0 else game["winner"])
        assert set(filter(None, position.win_kind.split("+"))) == {LETTERS[letter] for letter in game["win"]}


def record_of(position):
    result = position.result() if position.is_over else ""
    return GameRecord("havannah", position.size, 0.0, tuple(position.moves), result=result, swap=position.swap)


@pytest.mark.parametrize("text", OWN_GAMES)
def test_own_games_are_written_as_they_were_read(text):
    record = read_littlegolem(text)
    assert write_littlegolem(record) == text + "\n"
    position = HAVANNAH.replay(record)
    assert position.is_over == (not record.result.endswith("+R"))
    assert not position.is_over or position.result() == record.result


def test_own_games_hold_all_kinds():
    records = [read_littlegolem(text) for text in OWN_GAMES]
    assert {record.size for record in records} == set(range(2, 11))
    results = "".join(record.result for record in records)
    assert all(kind in results for kind in ("ring", "bridge", "fork", "W+", "B+", "R", "0"))
    assert any(move == 0 for record in records for _, move in record.moves)


def test_an_example():
    record = read_littlegolem(EXAMPLE, "game.hgf")
    assert (record.size, record.result, record.white, record.black) == (4, "W+R", "two", "one")
    assert record.properties["SO"] == "http://www.littlegolem.com"
    assert write_littlegolem(record) == EXAMPLE
    assert HAVANNAH.read_record(EXAMPLE.encode(), "game.hgf") == record
    assert HAVANNAH.replay(record, 2).color_at(1, 4) == 2
    commented = dataclasses.replace(record, comments=("a ] and a \\ \n",) + ("",) * 6)
    assert read_littlegolem(write_littlegolem(commented)) == commented


def test_a_record_says_whether_there_was_a_swap_rule():
    """LittleGolem's have it, whatever they say."""
    for text, swap in ((EXAMPLE, True), ("(;SZ[4];W[A1])", True), ("(;SZ[4]RU[no swap];W[A1])", False)):
        record = read_littlegolem(text)
        assert record.swap == swap
        assert HAVANNAH.replay(record, 1).may_swap == swap
        assert read_littlegolem(write_littlegolem(record)).swap == swap


def test_moves_out_of_turn_are_read_as_they_are_written():
    position = HavannahPosition(4)
    for player, text in ((1, "a1"), (1, "b2"), (0, "c3"), (0, "d4")):
        position.play(position.text_to_move(text), player)
    record = read_littlegolem(write_littlegolem(record_of(position)))
    assert record.moves == tuple(position.moves)
    assert HAVANNAH.replay(record).moves == position.moves


def test_names_in_the_charset_of_the_file():
    text = "(;FF[4]EV[havannah]{}SZ[3]PB[José];W[A1])"
    latin = text.encode("latin-1")
    for data in (latin.replace(b"{}", b"CA[ISO-8859-1]"), latin.replace(b"{}", b""), text.replace("{}", "").encode()):
        assert read_littlegolem(data).black == "José"


BROKEN = {
    "no game": "is no SGF",
    "(;FF[4]SZ[4];W[A1": "is no SGF",
    "(;FF[4];W[A1])": "SZ[] is no base",
    "(;FF[4]SZ[99];W[A1])": "SZ[99] is no base",
    "(;FF[4]SZ[4];W[Z9])": "move 1 of White: 'Z9' is no cell",
    "(;FF[4]SZ[4];W[A1];B[A1])": "move 2 of Black: A1 is occupied",
    "(;FF[4]SZ[4];W[swap])": "swap",
    "(;FF[4]SZ[4]RU[no swap];W[A1];B[swap])": "move 2 of Black: this game has no swap rule",
    "(;FF[4]SZ[4]AW[A1];B[A2])": "has AW, and a game of Havannah begins with an empty board",
    "(;FF[4]SZ[4]GM[1];W[A1])": "holds a game of type GM[1], and Havannah has none",
    "(;FF[4]SZ[4]EV[hex.mc.2010];W[A1])": "holds a game of hex, not of Havannah",
    "(;FF[4]SZ[2];W[A1];B[C1];W[A2];B[B1])": "move 4 of Black: the game is over",
    "(;FF[4]SZ[2]RE[W];W[A1];B[C1];W[A2])": "names W as the loser",
    "(;FF[4]SZ[4];W[A1];B[resign];W[A2])": "resigned before",
    "(;FF[4]SZ[4]C[" + "x" * 200_001 + "])": "too long",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_record_is_refused_in_one_sentence(text):
    with pytest.raises(ConfigError) as error:
        read_littlegolem(text, "broken.hgf")
    assert BROKEN[text] in str(error.value)
    assert str(error.value).startswith("broken.hgf")
    assert len(str(error.value)) < 200


@given(st.text(alphabet="();WBSZE[]\\4A1swap \n", max_size=60))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(SemeaiError):
        record = read_littlegolem("(;SZ[4]" + text)
        assert read_littlegolem(write_littlegolem(record)).moves == record.moves

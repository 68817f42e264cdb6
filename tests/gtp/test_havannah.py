"""GTP for Havannah: colours, coordinates, the end of a game, the swap, records, and errors."""

import pytest

from semeai.errors import ConfigError
from tests.gtp.helpers import Talk

RECORD = "(;FF[4]EV[havannah]PB[b]PW[w]SZ[4]RE[B];W[A1];B[swap];W[D4];B[resign])"


@pytest.fixture
def talk():
    return Talk(game="havannah", size=5)


def state(talk):
    return talk.ok("showboard"), talk.ok("move_history"), talk.ok("all_legal"), talk.ok("final_score")


def test_white_moves_first_and_the_board_is_a_hexagon(talk):
    talk.ok("play white d5")
    lines = talk.ok("showboard").splitlines()
    assert lines[0].split() == list("abcde")
    assert [line.count(".") + line.count("O") for line in lines[1:]] == [5, 6, 7, 8, 9, 8, 7, 6, 5]
    assert "(O)" in lines[5]
    assert talk.board.to_move == 1
    move = talk.ok("genmove black")
    assert talk.ok("move_history").splitlines() == [f"black {move}", "white d5"]
    assert len(talk.ok("all_legal").split()) == 59


def test_a_game_to_its_end(talk):
    """White joins two corners along the upper edge."""
    for x in "abcd":
        talk.ok(f"play white {x}1")
        talk.ok(f"play black {x}5")
        assert talk.ok("havannah_winner") == "none"
        assert talk.ok("havannah_win_kind") == "none"
    talk.ok("play white e1")
    assert talk.ok("havannah_winner") == "white"
    assert talk.ok("havannah_win_kind") == "bridge"
    assert talk.ok("final_score") == "W+bridge"
    assert talk.ok("all_legal") == ""
    before = state(talk)
    assert talk.fails("play black e5") == "illegal move"
    assert talk.fails("genmove black") == "game is over"
    assert talk.fails("lz-genmove_analyze black 10") == "game is over"
    assert talk.fails("reg_genmove white") == "game is over"
    assert state(talk) == before
    talk.ok("undo")
    assert talk.ok("havannah_winner") == "none"
    assert talk.ok("genmove white") == "e1"  # it sees the win


def test_a_draw(talk):
    talk.ok("boardsize 3")
    moves = "a1 a2 b2 c1 c2 c3 a3 b4 c4 e5 e4 e3 d2 b3 d4 d5 b1 d3 c5"
    for i, cell in enumerate(moves.split()):
        talk.ok(f"play {('white', 'black')[i % 2]} {cell}")
    assert talk.ok("havannah_winner") == "draw"
    assert talk.ok("final_score") == "0"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("play white z9", "invalid color or coordinate"),
        ("play white a6", "invalid color or coordinate"),
        ("play white pass", "invalid color or coordinate"),
        ("play red a1", "invalid color or coordinate"),
        ("play white d5", "illegal move"),
        ("swap", "illegal move"),
        ("play black swap", "illegal move"),
        ("swap now", "syntax error"),
        ("havannah_winner x", "syntax error"),
        ("boardsize 1", "unacceptable size"),
        ("boardsize 11", "unacceptable size"),
        ("komi 7.5", "unknown command"),
        ("fixed_handicap 2", "unknown command"),
        ("loadsgf nowhere.sgf", "cannot load file"),
    ],
)
def test_what_is_refused_changes_nothing(talk, line, answer):
    talk.ok("play white d5")
    before = state(talk)
    assert talk.fails(line) == answer
    assert state(talk) == before


def test_swap_is_a_rule_that_can_be_switched_on():
    talk = Talk(game="havannah", size=4, swap=True)
    talk.ok("play white a1")
    assert "swap" in talk.ok("all_legal").split()
    talk.ok("swap")
    assert talk.ok("move_history").splitlines()[0] == "black swap"
    assert "(X)" in talk.ok("showboard")
    assert talk.fails("swap") == "illegal move"
    assert talk.board.to_move == 0
    talk.ok("undo")
    assert "(O)" in talk.ok("showboard")
    with pytest.raises(ConfigError, match="go has no swap rule"):
        _ = Talk(swap=True).session


def test_both_coordinate_systems():
    usual, golem = (Talk(game="havannah", size=5, coordinates=c) for c in ("openspiel", "littlegolem"))
    usual.ok("play white e9")
    golem.ok("play white I1")
    assert usual.board.moves == golem.board.moves
    usual.ok("play black i9")
    assert golem.fails("play black I9") == "invalid color or coordinate"
    golem.ok("play black I5")
    assert usual.board.moves == golem.board.moves
    assert golem.ok("genmove white")[0].isupper()
    with pytest.raises(ConfigError, match="havannah has no coordinates 'golem': did you mean 'littlegolem'"):
        _ = Talk(game="havannah", coordinates="golem").session


@pytest.mark.parametrize("coordinates", ["openspiel", "littlegolem"])
def test_records_of_littlegolem(tmp_path, coordinates):
    talk = Talk(game="havannah", size=5, coordinates=coordinates)
    (tmp_path / "game.sgf").write_text(RECORD)
    talk.ok(f"loadsgf {tmp_path}/game.sgf")
    assert (talk.board.size, len(talk.board.moves), talk.board.to_move) == (4, 3, 1)
    printed = talk.ok("printsgf")
    assert printed.endswith(";W[A1];B[swap];W[D4])")
    (tmp_path / "again.sgf").write_text(printed)
    moves = talk.board.moves
    talk.ok("clear_board")
    talk.ok(f"loadsgf {tmp_path}/again.sgf")
    assert talk.board.moves == moves
    talk.ok(f"loadsgf {tmp_path}/game.sgf 2")
    assert len(talk.board.moves) == 1


@pytest.mark.parametrize("text", ["", "(;SZ[5]", "(;SZ[99];W[A1])", "(;SZ[5];W[Z9])", "(;SZ[5];W[A1];B[A1])",
                                  "(;SZ[5]AW[A1];B[A2])", "(;SZ[5];W[pass])"])  # fmt: skip
def test_broken_records_change_nothing(talk, tmp_path, text):
    talk.ok("play white d5")
    before = state(talk)
    (tmp_path / "bad.sgf").write_text(text)
    assert talk.fails(f"loadsgf {tmp_path}/bad.sgf") == "cannot load file"
    assert state(talk) == before


def test_clocks_and_out_of_turn_moves(talk):
    talk.ok("time_settings 1 0 0")
    talk.ok("play white d5")
    talk.ok("genmove white")
    assert [player for player, _ in talk.board.moves] == [0, 0]
    talk.ok("time_left black 1 0")
    talk.ok("genmove black")


def test_the_same_seed_gives_the_same_game():
    games = []
    for _ in range(2):
        talk = Talk(game="havannah", size=4, seed=3)
        games.append([talk.ok(f"genmove {('white', 'black')[i % 2]}") for i in range(6)])
    assert games[0] == games[1]

"""The effects of the GTP commands on a game of Go."""

import shutil
import subprocess

import pytest

from semeai.gtp.handicap import fixed_handicap, max_fixed_handicap
from tests.gtp.helpers import Talk, visible

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


@pytest.fixture
def talk():
    return Talk()


def test_board_sizes(talk):
    for size in (2, 9, 13, 19, 25):
        assert talk.ok(f"boardsize {size}") == ""
        assert talk.board.size == size
    before = visible(talk.board)
    for size in ("0", "1", "26", "1000", "2147483647"):
        assert talk.fails(f"boardsize {size}") == "unacceptable size"
    for size in ("", "nine", "-9", "9.5", "9 9", "2147483648"):
        assert talk.fails(f"boardsize {size}") == "syntax error"
    assert visible(talk.board) == before


def test_komi_is_accepted_even_if_ridiculous_and_outlives_the_game(talk):
    for komi in ("0", "-1000000", "1e30", "7.5"):
        assert talk.ok(f"komi {komi}") == ""
        assert float(talk.ok("get_komi")) == float(komi)
    talk.ok("play b D4")
    talk.ok("komi 3.5")
    talk.ok("undo")
    assert talk.board.komi == 3.5  # komi is no part of the history
    talk.ok("boardsize 7")
    talk.ok("clear_board")
    assert talk.board.komi == 3.5
    assert talk.fails("komi nan") == talk.fails("komi") == "syntax error"


def test_moves_out_of_turn_and_passes(talk):
    for move in ("b D4", "b E4", "B pass", "black PASS", "w j9", "W A1", "white b1"):
        talk.ok(f"play {move}")
    assert talk.ok("move_history").split("\n")[:2] == ["white B1", "white A1"]
    assert talk.board.colors.tolist()[5][3:5] == [1, 1]
    assert talk.ok("genmove w").lower() != "resign"
    assert talk.ok("genmove w")  # again the same colour
    assert [player for player, _ in talk.board.moves[-2:]] == [1, 1]


def test_play_goes_on_after_two_passes(talk):
    talk.ok("play b pass")
    talk.ok("play w pass")
    assert talk.board.is_over
    assert talk.ok("genmove b") != "pass"
    assert not talk.board.is_over


@pytest.mark.parametrize("words", ["", "b", "b D4 E5", "green D4", "b I5", "b Z3", "b A0", "b A10", "b 44", "D4 b"])
def test_malformed_moves_change_nothing(talk, words):
    talk.ok("play b C3")
    before = visible(talk.board)
    assert talk.fails(f"play {words}") == "invalid color or coordinate"
    assert visible(talk.board) == before


def test_illegal_moves_change_nothing(talk):
    talk.ok("gogui-play_sequence b A2 b B1")
    before = visible(talk.board)
    assert talk.fails("play b A2") == "illegal move"  # occupied
    assert talk.fails("play w A1") == "illegal move"  # suicide
    assert visible(talk.board) == before


KO = "gogui-play_sequence b C4 b B3 b C2 w D4 w E3 w D2 b D3 w C3"


def test_a_strict_engine_refuses_to_retake_a_ko():
    talk = Talk(strict=True)
    talk.ok(KO)
    before = visible(talk.board)
    assert talk.fails("play b D3") == "illegal move"
    assert talk.fails("gogui-play_sequence b A9 w pass b D3 w C3") == "illegal move"
    assert visible(talk.board) == before
    talk.ok("gogui-play_sequence b A9 w A8")
    assert talk.ok("is_legal b D3") == "1"
    talk.ok("play b D3")
    assert talk.ok("is_legal w C3") == "0"


def test_play_accepts_what_repeats_a_position_and_undo_takes_it_back(talk):
    """Others play by other rules, and their games must be followed; suicide stays impossible."""
    talk.ok(KO)
    before = visible(talk.board)
    assert talk.ok("is_legal b D3") == "0"
    talk.ok("play b D3")
    talk.ok("play w C3")
    assert visible(talk.board) == before
    talk.ok("gg-undo 2")
    assert visible(talk.board) == before
    talk.ok("gogui-play_sequence b A2 b B1")
    assert talk.fails("play w A1") == "illegal move"


def test_genmove_never_repeats_a_position():
    """The ko stays closed for genmove, also after others have retaken it."""
    talk = Talk(simulations=200, size=4, komi=-20)
    talk.ok("gogui-play_sequence b B3 w C3 b A2 w D2 b B1 w C1 b C2 w B2")
    assert talk.ok("is_legal b C2") == "0"
    for _ in range(3):
        assert talk.ok("reg_genmove b") != "C2"
    talk.ok("play b C2")  # others may
    assert talk.ok("is_legal w B2") == "0"
    assert talk.ok("genmove w") != "B2"


def test_undo_goes_back_to_the_start_and_no_further(talk):
    seen = [visible(talk.board)]
    for move in ("b D4", "w D5", "w C4", "b pass", "w E4", "w D3", "b A1"):  # D4 is captured
        talk.ok(f"play {move}")
        seen.append(visible(talk.board))
    while len(seen) > 1:
        assert visible(talk.board) == seen.pop()
        talk.ok("undo")
    assert visible(talk.board) == seen.pop()
    assert talk.fails("undo") == "cannot undo"
    assert talk.fails("gg-undo 1") == "cannot undo"


def test_words_after_a_command_that_takes_none_are_refused(talk):
    talk.ok("play b C3")
    before = visible(talk.board)
    for line in ("undo 3", "clear_board 9", "showboard now", "printsgf game.sgf"):
        assert talk.fails(line) == "syntax error"
    assert visible(talk.board) == before


def test_handicap_cannot_be_taken_back(talk):
    vertices = talk.ok("fixed_handicap 4").split()
    assert sorted(vertices) == ["C3", "C7", "G3", "G7"]
    assert talk.fails("undo") == "cannot undo"
    assert talk.board.to_move == 1
    move = talk.ok("genmove w")
    talk.ok("undo")
    assert talk.fails("undo") == "cannot undo"
    assert [talk.board.move_to_text(p) for p in talk.board.handicap] == vertices
    assert talk.board.colors.sum() == 4
    assert move not in vertices
    assert talk.fails("fixed_handicap 2") == "board not empty"
    talk.ok("clear_board")
    assert talk.board.colors.sum() == 0


def test_handicap_errors(talk):
    for stones in ("0", "1", "10"):
        assert talk.fails(f"fixed_handicap {stones}") == "invalid number of stones"
    assert talk.fails("place_free_handicap 81") == "invalid number of stones"
    assert talk.fails("fixed_handicap many") == talk.fails("fixed_handicap") == "syntax error"
    for vertices in ("", "C3", "C3 C3", "C3 pass"):
        assert talk.fails(f"set_free_handicap {vertices}") == "bad vertex list"
    assert talk.fails("set_free_handicap C3 Z9") == "syntax error"
    assert talk.board.colors.sum() == 0
    talk.ok("play w A1")
    for command in ("fixed_handicap 2", "place_free_handicap 2", "set_free_handicap C3 D4"):
        assert talk.fails(command) == "board not empty"
    talk.ok("boardsize 6")
    assert talk.fails("fixed_handicap 2") == "invalid number of stones"


def test_free_handicap(talk):
    for size, stones in ((2, 3), (5, 2), (6, 10), (9, 9), (9, 20), (19, 9), (19, 30)):
        talk.ok(f"boardsize {size}")
        vertices = talk.ok(f"place_free_handicap {stones}").split()
        assert len(set(vertices)) == stones
        assert talk.board.colors.sum() == stones
    talk.ok("boardsize 9")
    assert talk.ok("set_free_handicap A1 J9 E5") == ""
    assert talk.board.colors[0, 8] == talk.board.colors[8, 0] == 1


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_fixed_handicap_is_that_of_the_reference_implementation():
    questions = [(size, stones) for size in range(5, 20) for stones in range(2, 10)]
    script = "".join(f"boardsize {size}\nclear_board\nfixed_handicap {stones}\n" for size, stones in questions)
    done = subprocess.run([GNUGO, "--mode", "gtp"], input=script, capture_output=True, text=True, timeout=300)
    answers = done.stdout.split("\n\n")[2::3]
    for (size, stones), answer in zip(questions, answers, strict=False):
        if stones <= max_fixed_handicap(size):
            ours = {f"{'ABCDEFGHJKLMNOPQRST'[x]}{y + 1}" for x, y in fixed_handicap(size, stones)}
            assert ours == set(answer.split()[1:]), (size, stones)
        else:
            assert answer.startswith("?"), (size, stones)


def test_genmove_is_reproducible_and_a_seed_changes_it():
    def game(seed):
        talk = Talk(seed=seed)
        return [talk.ok(f"genmove {'bw'[i % 2]}") for i in range(6)]

    assert game(3) == game(3)
    assert game(3) != game(4)
    talk = Talk(seed=4)
    talk.ok("semeai-seed 3")
    assert [talk.ok(f"genmove {'bw'[i % 2]}") for i in range(6)] == game(3)
    talk.ok("clear_board")
    assert [talk.ok(f"genmove {'bw'[i % 2]}") for i in range(6)] != game(3)  # another game of the same session
    assert talk.fails("semeai-seed") == talk.fails("semeai-seed x") == "syntax error"


@pytest.mark.slow
def test_reg_genmove_plays_nothing_and_always_says_the_same(talk):
    talk.ok("play b E5")
    before = visible(talk.board)
    answers = {talk.ok("reg_genmove w") for _ in range(3)}
    assert len(answers) == 1
    assert visible(talk.board) == before
    for _ in range(6):
        talk.ok("genmove w")
        talk.ok("undo")
        assert talk.ok("reg_genmove w") in answers
        talk.stream("lz-analyze w", steps=2)
        assert talk.ok("reg_genmove w") in answers


def test_genmove_needs_a_colour(talk):
    for command in ("genmove", "reg_genmove", "kgs-genmove_cleanup", "lz-genmove_analyze"):
        assert talk.fails(f"{command} green") == "syntax error"
    assert talk.fails("genmove") == "syntax error"


def test_a_whole_game_ends_and_is_scored(talk):
    talk.ok("boardsize 5")
    talk.ok("komi 0.5")
    for i in range(200):
        if talk.ok(f"genmove {'bw'[i % 2]}") in ("pass", "resign") and talk.board.is_over:
            break
    assert talk.board.is_over
    assert talk.ok("final_score")[:2] in ("B+", "W+")
    dead, alive = (talk.ok(f"final_status_list {s}").split() for s in ("dead", "alive"))
    assert len(dead) + len(alive) == (talk.board.colors > 0).sum()
    assert talk.ok("final_status_list seki") == ""
    assert talk.fails("final_status_list sick") == talk.fails("final_status_list") == "syntax error"


DEAD = """b A4 b B4 b C4 b D4 b E4 b F4 b G4 w A5 w B5 w C5 w D5 w E5 w F5 w G5 b B2 b D2 b F2 w B6 w D6 w F6 w D1"""


def test_dead_stones_count_for_the_other_side(talk):
    """White's lonely stone at D1 is dead."""
    talk.ok("boardsize 7")
    talk.ok("komi 0.5")
    talk.ok(f"gogui-play_sequence {DEAD}")
    assert talk.ok("final_status_list dead") == "D1"
    assert len(talk.ok("final_status_list alive").split("\n")) == 5
    assert talk.ok("final_score") == "B+6.5"  # 28 points against 21


def test_cleanup_captures_what_is_dead_before_it_passes(talk):
    talk.ok("boardsize 7")
    talk.ok("komi -30")  # Black wins, dead stone or not
    talk.ok(f"gogui-play_sequence {DEAD} b pass w pass")
    assert talk.ok("reg_genmove b") == "pass"
    for _ in range(30):
        if talk.ok("final_status_list dead") == "":
            assert talk.board.colors[6, 3] != 2
            return
        assert talk.ok("kgs-genmove_cleanup b") != "pass"
        talk.ok("play w pass")
    pytest.fail("the dead stone is still there")


def test_cleanup_passes_on_a_clean_board(talk):
    talk.ok("boardsize 7")
    talk.ok("komi -30")
    talk.ok(f"gogui-play_sequence {DEAD.removesuffix(' w D1')} b pass w pass")
    assert talk.ok("kgs-genmove_cleanup b") == "pass"


def test_a_sequence_is_played_as_a_whole_or_not_at_all(talk):
    before = visible(talk.board)
    assert talk.fails("gogui-play_sequence b D4 w E5 b D4") == "illegal move"
    assert talk.fails("gogui-play_sequence b D4 w") == "invalid color or coordinate"
    assert visible(talk.board) == before
    talk.ok("gogui-play_sequence b D4 w E5")
    talk.ok("gg-undo 2")
    assert visible(talk.board) == before


def test_resigning_when_lost():
    white = " ".join(f"w {column}{line}" for line in (2, 4) for column in "ABCDE")
    for level in (0.3, 0.0):
        talk = Talk(changes={"resign_below": level}, size=5)
        talk.ok(f"gogui-play_sequence {white} b C1")
        assert (talk.ok("genmove b") == "resign") == (level > 0)


def test_explanations(talk):
    assert talk.ok("gomill-explain_last_move") == ""
    talk.ok("genmove b")
    assert "win rate" in talk.ok("gomill-explain_last_move")
    description = talk.ok("gomill-describe_engine").split("\n")
    assert description[0].startswith("semeai ")
    assert "simulations 50" in description
    assert "seed 1" in description
    assert float(talk.ok("cputime")) > 0
    assert float(talk.ok("gomill-cpu_time")) > 0


def test_gogui_menu_names_known_commands(talk):
    for line in talk.ok("gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in {"gfx", "string", "plist", "none"}
        assert label
        assert talk.ok(f"known_command {command.split()[0]}") == "true"
    drawing = talk.ok("semeai-gfx b").split("\n")
    assert [line.split()[0] for line in drawing] == ["LABEL", "VAR"]
    assert drawing[1].split()[1] == "b"


def test_showboard_has_coordinates_and_stones(talk):
    talk.ok("play b C7")
    board = talk.ok("showboard").split("\n")
    assert board[0].split() == list("ABCDEFGHJ")
    assert board[3].startswith(" 7 . .(X)")


def test_budgets_and_clocks():
    """A budget that was chosen holds beside a clock, whichever is shorter; else the clock decides alone."""
    chosen, free = Talk(simulations=40), Talk(simulations=40, fixed_budget=False)
    timed = Talk(simulations=None, changes={"seconds": 0.5})
    assert chosen.session.limits(0) == free.session.limits(0) == (40, None)
    assert timed.session.limits(0) == (None, 0.5)
    for talk in (chosen, free, timed):
        talk.ok("time_settings 0 20 1")
    simulations, seconds = chosen.session.limits(0)
    assert simulations == 40
    assert 10 < seconds < 20
    assert free.session.limits(0) == (None, seconds)
    assert timed.session.limits(0) == (None, 0.5)
    timed.ok("time_left b 1 1")
    assert timed.session.limits(0)[1] < 0.5
    chosen.ok("genmove b")
    assert chosen.session.explanation.startswith("win rate")
    assert " of 40 simulations" in chosen.session.explanation
    chosen.ok("kgs-time_settings none")
    assert chosen.session.limits(0) == (40, None)

"""The requirements of GTP 2, draft 2, on engines, sentence by sentence."""

import pytest

from semeai.gtp.protocol import CommandFailed, Response, parse_colour, parse_float, parse_int, parse_request
from tests.gtp.helpers import Talk

REQUIRED = """protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"""
TOURNAMENT = "fixed_handicap place_free_handicap set_free_handicap"
REGRESSION = "loadsgf reg_genmove"
OPTIONAL = "undo time_settings time_left final_score final_status_list showboard"
EXTENSIONS = """kgs-time_settings kgs-game_over kgs-genmove_cleanup gogui-analyze_commands lz-analyze analyze
lz-genmove_analyze genmove_analyze semeai-seed cputime gomill-cpu_time gomill-describe_engine
gomill-explain_last_move"""


@pytest.fixture(scope="module")
def talk():
    return Talk()


@pytest.mark.parametrize("name", f"{REQUIRED} {TOURNAMENT} {REGRESSION} {OPTIONAL} {EXTENSIONS}".split())
def test_command_is_known_and_listed(talk, name):
    assert talk.ok(f"known_command {name}") == "true"
    assert name in talk.ok("list_commands").split("\n")


def test_administrative_commands(talk):
    assert talk.ok("protocol_version") == "2"
    assert talk.ok("name") == "semeai"
    assert talk.ok("version")[0].isdigit()
    assert talk.ok("known_command gen_move") == "false"
    assert talk.ok("known_command") == "false"  # it never fails
    assert talk.fails("gen_move b") == "unknown command"
    assert talk.fails("GENMOVE b") == "unknown command"
    assert talk.ok("name of the engine") == "semeai"  # commands without arguments do not look at them


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("protocol_version", "= 2\n\n"),
        ("7 protocol_version", "=7 2\n\n"),
        ("0 protocol_version", "=0 2\n\n"),
        ("2147483647 protocol_version", "=2147483647 2\n\n"),
        ("7 nonsense", "?7 unknown command\n\n"),
        ("7", "?7 unknown command\n\n"),
        ("7 8 9", "?7 unknown command\n\n"),
        ("-1 protocol_version", "? unknown command\n\n"),
        ("1a protocol_version", "? unknown command\n\n"),
        ("  protocol_version  ", "= 2\n\n"),
        ("\t7\t protocol_version\t", "=7 2\n\n"),
        ("proto\x00col_\x7fversion\r", "= 2\n\n"),
        ("protocol_version\r\n", "= 2\n\n"),
        ("protocol_version # 7", "= 2\n\n"),
        ("protocol_version#7", "= 2\n\n"),
        ("7 # protocol_version", "?7 unknown command\n\n"),
        ("komi 6.5", "=\n\n"),
        ("12 komi six", "?12 syntax error\n\n"),
    ],
)
def test_preprocessing_ids_and_form(talk, line, answer):
    assert talk.raw(line) == answer


@pytest.mark.parametrize("line", ["", " ", "\t", "\r", "\r\n", "# comment", "   # 7 name", "\x01\x02", "#"])
def test_empty_lines_and_comments_are_not_answered(talk, line):
    assert talk.raw(line) is None


def test_an_answer_has_no_empty_line_inside_and_no_control_characters():
    text = Response("3", True, "one\n\n  \n\ttwo\x00\r\nthree  \n\n").format()
    assert text == "=3 one\n two\nthree\n\n"
    assert Response("", True, "\n  drawn\n\nboard").format() == "=\n  drawn\nboard\n\n"
    assert Response("", False, "").format() == "?\n\n"


def test_simple_entities():
    assert [parse_int(t) for t in ("0", "19", "2147483647", "007")] == [0, 19, 2147483647, 7]
    assert [parse_float(t) for t in ("6.5", "-7", "+.5", "1e3", "5.")] == [6.5, -7, 0.5, 1000, 5]
    assert [parse_colour(t) for t in ("b", "B", "black", "BLACK", "w", "White")] == ["black"] * 4 + ["white"] * 2
    for parser, texts in (
        (parse_int, ["", "-1", "+1", "2147483648", "1.0", "x", "٣", "9" * 10_000]),
        (parse_float, ["", "nan", "inf", "1e39", "-1e39", "0x10", "1_0", "٣", "six", "1" * 10_000]),
        (parse_colour, ["", "bl", "green", "0", "ｂ"]),
    ):
        for text in texts:
            with pytest.raises(CommandFailed, match="syntax error"):
                parser(text)


def test_the_words_of_a_request():
    request = parse_request("  12\tplay  black   D4 # why not")
    assert (request.id, request.command, request.words) == ("12", "play", ("black", "D4"))


def test_quit_answers_and_then_is_silent():
    talk = Talk()
    assert talk.raw("5 quit") == "=5\n\n"
    assert talk.engine.finished
    assert talk.raw("name") is None

"""Ten thousand valid and broken lines: every answer is well formed, and the board agrees with the moves."""

import gc
import random

import numpy as np
import pytest

from semeai.games.go.position import GoPosition
from tests.gtp.helpers import Talk, parse

LINES = 10_000
SAMPLES = {
    "COLOUR": ["b", "w", "B", "White", "black", "green", "", "0"],
    "VERTEX": [
        "A1",
        "b2",
        "C3",
        "D4",
        "E5",
        "F6",
        "g7",
        "H8",
        "J9",
        "pass",
        "PASS",
        "I5",
        "Z99",
        "A0",
        "T19",
        "4D",
        "#",
    ],
    "INT": ["0", "1", "2", "3", "5", "7", "9", "9", "100", "-1", "2147483648", "x", "1.5", "9" * 500],
    "FLOAT": ["6.5", "0", "-3", "1e30", "nan", "inf", "1e400", "seven"],
    "WORD": ["dead", "alive", "seki", "none", "absolute", "byoyomi", "canadian", "interval", "name", "\x00", "é", "#x"],
}
TEMPLATES = [
    *["play COLOUR VERTEX"] * 30,
    *["genmove COLOUR", "undo"] * 6,
    *["gogui-play_sequence COLOUR VERTEX COLOUR VERTEX", "is_legal COLOUR VERTEX", "showboard", "move_history"] * 2,
    "boardsize INT", "clear_board", "komi FLOAT", "get_komi", "gg-undo INT", "reg_genmove COLOUR",
    "fixed_handicap INT", "place_free_handicap INT", "set_free_handicap VERTEX VERTEX VERTEX",
    "time_settings INT INT INT", "time_left COLOUR INT INT", "kgs-time_settings WORD INT INT INT", "kgs-game_over",
    "kgs-genmove_cleanup COLOUR", "final_score", "final_status_list WORD", "lz-analyze COLOUR INT",
    "analyze INT WORD INT", "genmove_analyze COLOUR INT", "lz-genmove_analyze COLOUR", "semeai-seed INT", "semeai-gfx",
    "known_command WORD", "list_commands", "name", "version", "protocol_version", "cputime", "gomill-describe_engine",
    "gomill-explain_last_move", "gogui-analyze_commands", "loadsgf WORD INT", "loadsgf /nowhere/game.sgf", "loadsgf /",
    "WORD", "INT", "",
]  # fmt: skip


HAVANNAH_SAMPLES = {
    **SAMPLES,
    "VERTEX": [
        "a1",
        "b2",
        "C3",
        "d4",
        "E5",
        "b1",
        "c4",
        "d5",
        "e9",
        "a6",
        "swap",
        "SWAP",
        "pass",
        "z9",
        "a0",
        "4d",
        "#",
    ],
    "INT": [*SAMPLES["INT"], "4", "3"],
}
HAVANNAH_TEMPLATES = [
    *[line for line in TEMPLATES if not line.startswith(("komi", "get_komi", "f", "place", "set_free", "kgs-gen"))],
    *["genmove COLOUR"] * 20,
    *["havannah_winner", "havannah_win_kind", "all_legal", "final_score", "swap", "printsgf"] * 2,
    *["final_status_list WORD", "komi FLOAT", "all_legal INT", "swap COLOUR", "gogui-analyze_commands"],
]


def make_line(randomness, templates=TEMPLATES, known=SAMPLES):
    words = []
    for word in randomness.choice(templates).split():
        samples = known.get(word)
        if samples and randomness.random() < 0.95:
            words.append(randomness.choice(samples))
        elif not samples:
            words.append(word)
    line = randomness.choice([" ", " ", " ", "  ", "\t"]).join(words)
    if randomness.random() < 0.3:
        line = f"{randomness.randrange(10**6)} {line}"
    if randomness.random() < 0.1:  # broken anywhere
        at = randomness.randrange(len(line) + 1)
        line = line[:at] + randomness.choice(["", "\x07", "#", " ", "\r", "�", "-"]) + line[at + 1 :]
    return line


def expected_id(line):
    first = line.translate(dict.fromkeys((*range(9), *range(10, 32), 127))).split("#")[0].split()[:1]
    return first[0] if first and first[0].isascii() and first[0].isdigit() else ""


def check_answer(talk, line):
    response = talk.engine.answer(line)
    if response is None:
        assert not line.translate(dict.fromkeys((*range(32), 127))).split("#")[0].strip()
        return
    ok, number, text = parse(response.format())
    assert number == expected_id(line), line
    assert "internal error" not in text, line
    if response.stream is not None:
        for _ in range(1000):
            if response.stream.finished or ((piece := response.stream.step()) and response.stream.can_be_stopped):
                break
            assert piece is None or piece.startswith(("info move", "play "))
        assert ok


def replayed(position):
    """The same game on a new board."""
    fresh = GoPosition(position.size, position.komi)
    if position.handicap:
        fresh.place(0, position.handicap)
        fresh.set_to_move(1)
    for player, move in position.moves:
        fresh.play(move, player)
    return fresh


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_broken_and_good_lines(seed):
    randomness = random.Random(seed)
    talk = Talk(simulations=8, analysis_simulations=50, changes={"memory_mb": 1})
    lines = [make_line(randomness) for _ in range(LINES // 2)]
    n_good = 0
    for i, line in enumerate(lines):
        check_answer(talk, line)
        n_good += bool(talk.board.moves)
        if i % 10 == 0:
            fresh, board = replayed(talk.board), talk.board
            assert np.array_equal(fresh.colors, board.colors), line
            assert fresh.states[0]["ko"] == board.states[0]["ko"]
            assert talk.session.komi == board.komi
            assert parse(talk.raw("showboard"))[0]
    assert n_good > LINES / 5  # the lines did play


@pytest.mark.parametrize(("seed", "coordinates"), [(1, None), (2, "littlegolem")])
def test_broken_and_good_lines_of_havannah(seed, coordinates):
    randomness = random.Random(seed)
    talk = Talk(simulations=8, analysis_simulations=50, changes={"memory_mb": 1}, game="havannah", size=4, swap=True,
                coordinates=coordinates)  # fmt: skip
    over, played = 0, 0
    for i in range(1_000):
        line = make_line(randomness, HAVANNAH_TEMPLATES, HAVANNAH_SAMPLES)
        check_answer(talk, line)
        over, played = over + talk.board.is_over, played + bool(talk.board.moves)
        if i % 10 == 0:
            fresh = talk.session.dialect.new_position(talk.board.size)
            for player, move in talk.board.moves:
                fresh.play(move, player)
            assert fresh.draw() == talk.board.draw(), line
            assert fresh.result() == talk.board.result()
    assert played > 200
    assert over > 20  # games came to their end, and were played on


@pytest.mark.slow
def test_memory_stays_flat_over_many_games():
    """Objects and the size of the process, after games with everything that could be kept by mistake."""
    talk = Talk(simulations=8, changes={"memory_mb": 1}, size=5)

    def play(games):
        for _ in range(games):
            for i in range(12):
                talk.ok(f"genmove {'bw'[i % 2]}")
            talk.stream("lz-analyze b 0", steps=3)
            talk.ok("final_score")
            talk.ok("undo")
            talk.ok("clear_board")
        gc.collect()
        return len(gc.get_objects()), resident_bytes()

    play(20)
    objects, memory = play(5)
    more_objects, more_memory = play(40)
    assert more_objects - objects < 200
    assert more_memory - memory < 4_000_000


def resident_bytes():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:  # not Linux: only the objects are compared
        return 0

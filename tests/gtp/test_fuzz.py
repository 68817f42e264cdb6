"""Ten thousand valid and broken lines: every answer is well formed, and the board agrees with the moves."""

import gc
import random

import numpy as np
import pytest
from benchmarks.faults.gtp_lines import HAVANNAH_SAMPLES, HAVANNAH_TEMPLATES, make_line

from semeai.games.go.position import GoPosition
from tests.gtp.helpers import Talk, parse

LINES = 10_000


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
    assert over > 10  # games came to their end, and were played on


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

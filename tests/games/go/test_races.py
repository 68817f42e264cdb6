"""The solver of capturing races: never wrong against exhaustive search, and right on drawn races."""

import json
from itertools import islice

import numpy as np
import pytest
from reference.race_positions import position_of, random_positions
from reference.races import mistakes

from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels.race_playouts import note_races, race_move, recount, spoils_race
from semeai.games.go.position import GoPosition
from semeai.games.go.races import races_of
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer


def drawn(text: str) -> GoPosition:
    rows = [line.split() for line in text.strip().splitlines()]
    position = position_of([[".XO".index(cell) for cell in row] for row in rows])
    assert position is not None
    return position


def names(position: GoPosition, points) -> set[str]:
    return {position.move_to_text(p) for p in points}


def test_no_answer_is_wrong_on_random_races():
    n = n_known = 0
    for position in islice(random_positions(7, (4, 5)), 300):
        for race in races_of(position, 500):
            n, n_known = n + 1, n_known + race.is_known
            if race.is_known:
                assert mistakes(position, race) == [], f"{race}\n{position.draw()}"
    assert n_known >= 20, n


def corridors(black: int, white: int) -> GoPosition:
    """Two chains side by side from top to bottom, with so many liberties each, between living groups."""
    size = 9
    rows = []
    for r in range(size):
        own = "." if r < white else "X"
        rival = "." if r < black else "O"
        rows.append(["X", "X", "X", own, "O", "X", rival, "O", "O"])
    for r, c in ((0, 0), (2, 0)):
        rows[r][c] = "."
    for r, c in ((0, 8), (2, 8)):
        rows[r][c] = "."
    return drawn("\n".join(" ".join(row) for row in rows))


@pytest.mark.parametrize(("black", "white"), [(n, m) for n in range(1, 6) for m in range(1, 6) if abs(n - m) <= 2])
def test_plain_races_are_decided_by_counting(black, white):
    position = corridors(black, white)
    [race] = races_of(position)
    assert (race.black_liberties, race.white_liberties, race.shared) == (black, white, 0)
    assert race.black_first == ("black" if black >= white else "white")
    assert race.white_first == ("white" if white >= black else "black")
    assert race.is_urgent == (black == white)
    fills_of_black = {f"D{9 - r}" for r in range(white)} if black == white else set()
    fills_of_white = {f"G{9 - r}" for r in range(black)} if black == white else set()
    assert names(position, race.black_moves) == fills_of_black
    assert names(position, race.white_moves) == fills_of_white


def test_nothing_is_said_of_an_empty_board_and_of_living_groups():
    assert races_of(GoPosition(19)) == ()
    assert races_of(drawn("\n".join(["X . X . O . O . O"] + ["X X X X O O O O O"] * 8))) == ()


@kernel
def follow(states, policy, scratches, color):
    n = note_races(states[0], policy[0], scratches[0])
    recount(states[0], np.int64(0), scratches[0])
    return n, race_move(states[0], color, scratches[0])


@kernel
def spoils(states, scratches, p, color):
    return spoils_race(states[0], p, color, scratches[0])


def test_playouts_fill_when_they_must_and_do_not_fill_their_own_liberties():
    policy, scratch = GoPolicy(race_playouts=1.0).to_record(), np.zeros(1, SCRATCH)
    even, ahead = corridors(4, 4), corridors(5, 4)
    n, move = follow(even.states, policy, scratch, 1)
    assert n == 1
    assert even.move_to_text(move) in {"D9", "D8", "D7", "D6"}
    assert spoils(even.states, scratch, even.text_to_move("G9"), 1)
    assert not spoils(even.states, scratch, even.text_to_move("D9"), 1)
    assert follow(ahead.states, policy, scratch, 1) == (1, 0)
    assert spoils(ahead.states, scratch, ahead.text_to_move("G9"), 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"policy.semeai_expertise": 50.0},
        {"policy.semeai_conditioning": 10},
        {"policy.race_playouts": 1.0},
        {"policy.semeai_expertise": 50.0, "policy.semeai_conditioning": 10, "policy.race_playouts": 1.0},
    ],
)
def test_settings_change_the_search_and_find_the_fill(changes):
    position = corridors(5, 5)
    position.komi = 0.5
    player = MctsPlayer(PlayerConfig().with_changes({**changes, "simulations": 300, "memory_mb": 8, "book": False}))
    try:
        player.start(position, 1)
        move = player.choose().move
        assert player.position.move_to_text(move) in {f"D{n}" for n in range(5, 10)}
    finally:
        player.close()


def test_identities_do_not_know_settings_that_are_off():
    plain = PlayerConfig()
    assert plain.with_changes({"policy.race_playouts": 0.5}).identity() != plain.identity()
    assert "semeai_expertise" not in json.dumps(plain.recorded())

"""The solver of capturing races: never wrong against exhaustive search, and right on drawn races."""

import json
import random
from itertools import islice

import numpy as np
import pytest
from reference.race_positions import position_of, random_positions
from reference.races import mistakes

from semeai.experiments.problems import own_problems
from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels import race_playouts
from semeai.games.go.kernels.race_board import END, MAX_RACES, ONE_MORE
from semeai.games.go.kernels.race_groups import list_pairs, pair
from semeai.games.go.kernels.race_memory import IS_RACE, recall_or_solve
from semeai.games.go.kernels.race_playouts import (
    K_WINNER,
    RACING,
    look_at_root,
    note_races,
    race_move,
    recount,
    spoils_race,
)
from semeai.games.go.kernels.races import BLACK_WINS, R_BLACK_FIRST, R_WHITE_FIRST, WHITE_WINS, solve
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
            assert not any(mistakes(position, race)), f"{mistakes(position, race)} {race}\n{position.draw()}"
    assert n_known >= 20, n


def test_no_answer_by_counting_alone_is_wrong():
    """Four positions per question are too few to search."""
    n_known = 0
    for position in islice(random_positions(3, (4, 5)), 1500):
        for race in races_of(position, 4):
            n_known += race.is_known
            assert not any(mistakes(position, race)), f"{mistakes(position, race)} {race}\n{position.draw()}"
    assert n_known >= 40


def test_moves_that_are_neither_proven_nor_refuted_are_told():
    position = drawn(". O X O O\nO O . . O\nX . X . O\nX . O X X\n. . O . O")
    race = races_of(position)[1]
    assert names(position, race.white_moves) == {"B3"}
    assert {"C4", "D3"} <= names(position, race.white_unclear), "they win, by longer lines than the solver reads"


DRAWN = {
    "who moves first wins, with one shared liberty and one other each": (
        ("black", "white"),
        """
        . X X O . X O O .
        X X X O O X O O O
        . X X O O X O O .
        X X X O O X O O O
        X X X . O X . O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        """,
    ),
    "an eye wins against no eye, also after a pass": (
        ("black", "black"),
        """
        . X X O . X O O .
        X X X O O X O O O
        . X X O O X O O .
        X X X O O X O O O
        X X X . O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X X X O
        X X X O O X . X O
        """,
    ),
    "two shared liberties and nothing else are seki: no capture": (
        ("unknown", "unknown"),
        """
        . X X O . X O O .
        X X X O . X O O O
        . X X O O X O O .
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        """,
    ),
    "an eye of three points counts three": (
        ("black", "white"),
        """
        O O O O O O O O O
        . . . O O O O O .
        X X X X O O O O O
        O O O X O O O O .
        . . O X O O O O O
        . O O X O O O O O
        O O O X O O O O O
        X X X X O O O O O
        O O O O O O O O O
        """,
    ),
    "two liberties that need an approach move are three: three do not win after a pass": (
        ("black", "unknown"),
        """
        X X . . O X . O O
        X X X O O X . O .
        . X X O O X . O O
        X X X O O X O O .
        X X X O O X O O O
        . X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X . . O X O O O
        """,
    ),
    "two liberties that need an approach move are three: four win after a pass": (
        ("black", "black"),
        """
        X X . . O X . O O
        X X X O O X . O .
        . X X O O X . O O
        X X X O O X . O .
        X X X O O X O O O
        . X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X . . O X O O O
        """,
    ),
    "a snapback: White takes the first stone inside and is captured": (
        ("black", "white"),
        """
        X O . . O X . O O
        X O O O O X . O .
        X X X O O X O O O
        . X X O O X O O .
        X X X O O X O O O
        . X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        X X X O O X O O O
        """,
    ),
    "a ko": (
        ("unknown", "white"),
        """
        X O . O O
        X X O O O
        . O . X X
        . . X X X
        O . X X X
        """,
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawn_races(name):
    outcomes, board = DRAWN[name]
    [race] = races_of(drawn(board))
    assert (race.black_first, race.white_first) == outcomes


def test_the_only_move_is_inside_the_eye():
    position = drawn(DRAWN["an eye of three points counts three"][1])
    [race] = races_of(position)
    assert names(position, race.black_moves + race.black_unclear) == {"A5"}


def test_of_many_races_the_largest_are_told():
    tile = ["XXX.OX.OOO", "X.X.OX.O.O", "XXXXOXOOOO", "X.XXOXOO.O", "XXXXOXOOOO"]
    rows = []
    for i in range(5):  # two races side by side, five times, with the colours of every second pair exchanged
        other = str.maketrans("XO", "OX") if i % 2 else {}
        rows += [(row + row + "O" * 5).translate(other) for row in tile]
    rows[-1] = rows[-1][:13] + "O" + rows[-1][14:]  # the last white chain has a stone more; it touches two black ones
    races = races_of(drawn("\n".join(" ".join(row) for row in rows)))
    assert [race.black_stones + race.white_stones for race in races] == [11, 11] + [10] * (MAX_RACES - 2)


@kernel
def recalled(states, memory, limit, found):
    """Write the outcomes of all pairs, as remembered and as solved without memory; return their number."""
    n = list_pairs(states[0], memory)
    for i in range(n):
        black, white = pair(memory, i)
        found[i, :] = 0
        if recall_or_solve(memory, np.int64(ONE_MORE), black, white, limit, np.int64(0), True) == IS_RACE:
            found[i, 0] = 1 + 3 * memory[ONE_MORE + R_BLACK_FIRST] + memory[ONE_MORE + R_WHITE_FIRST]
        if solve(memory, np.int64(ONE_MORE), black, white, limit):
            found[i, 1] = 1 + 3 * memory[ONE_MORE + R_BLACK_FIRST] + memory[ONE_MORE + R_WHITE_FIRST]
    return n


def test_remembered_answers_are_those_of_a_new_search():
    source = random.Random(5)
    memory, found = np.zeros(END, np.int64), np.zeros((999, 2), np.int64)
    asked = races = 0
    for size in (7, 9):
        for _ in range(3):
            position = GoPosition(size)
            while not position.is_over and len(position.moves) < 2 * size * size:
                position.play(int(source.choice(position.sensible_moves())))
                n = recalled(position.states, memory, 200, found)
                assert np.array_equal(found[:n, 0], found[:n, 1]), position.draw()
                asked, races = asked + n, races + int((found[:n, 1] > 0).sum())
    assert asked > 500
    assert races > 20


def corridors(black: int, white: int, size: int = 9) -> GoPosition:
    """Two chains side by side from top to bottom, with so many liberties each, between living groups."""
    rows = []
    for r in range(size):
        own = "." if r < white else "X"
        rival = "." if r < black else "O"
        rows.append(["X", "X", "X", own, "O", "X", rival, *["O"] * (size - 7)])
    for r in (0, 2):
        rows[r][0] = rows[r][-1] = "."
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


@pytest.mark.parametrize(("black", "white"), [(12, 12), (12, 10), (9, 11)])
def test_large_races_are_counted_and_not_searched(black, white):
    position = corridors(black, white, 13)
    [race] = races_of(position, 4)
    assert race.black_first == ("black" if black >= white else "white")
    assert race.white_first == ("white" if white >= black else "black")
    fills = {f"D{13 - r}" for r in range(white)} if black == white else set()
    assert names(position, race.black_moves) == fills


def test_the_races_that_come_with_semeai_are_solved_with_the_default_of_players():
    for problem in own_problems("semeai.txt"):
        [race] = races_of(problem.position().set_up(), GoPolicy().race_nodes)
        assert race.black_first == "black", problem.name
        assert race.white_first == ("white" if problem.family == "must" else "black"), problem.name


def test_nothing_is_said_of_an_empty_board_and_of_living_groups():
    assert races_of(GoPosition(19)) == ()
    assert races_of(drawn("\n".join(["X . X . O . O . O"] + ["X X X X O O O O O"] * 8))) == ()


@kernel
def follow(states, policy, scratches, color):
    look_at_root(states[0], policy[0], scratches[0])
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


FIRST_KEPT = race_playouts._KEPT


@kernel
def note_below(states, leaves, policy, scratches):
    look_at_root(states[0], policy[0], scratches[0])
    n = note_races(leaves[0], policy[0], scratches[0])
    return n, scratches[0].solver[RACING], scratches[0].solver[FIRST_KEPT + K_WINNER]


def test_leaves_have_the_answer_of_the_root_or_of_a_new_search():
    policy, scratch = GoPolicy(race_playouts=1.0).to_record(), np.zeros(1, SCRATCH)
    position = corridors(4, 4)
    assert note_below(position.states, position.states, policy, scratch) == (1, 1, BLACK_WINS)
    for move, player, winner in (
        ("D9", 0, BLACK_WINS),
        ("G9", 1, BLACK_WINS),
        ("A9", 0, WHITE_WINS),
        ("G8", 1, WHITE_WINS),
    ):
        position.play(position.text_to_move(move), player)
        root = corridors(4, 4)
        assert note_below(root.states, position.states, policy, scratch) == (1, 1, winner), move


SETTINGS = [
    {"policy.semeai_expertise": 50.0},
    {"policy.semeai_conditioning": 10},
    {"policy.race_playouts": 1.0},
    {"policy.semeai_expertise": 50.0, "policy.semeai_conditioning": 10, "policy.race_playouts": 1.0},
]


def after(position: GoPosition, changes, simulations: int):
    """Return the children of the root after a search."""
    config = PlayerConfig().with_changes({"memory_mb": 8, "book": False, **changes})
    player = MctsPlayer(config)
    try:
        player.start(position, 1)
        player.think(simulations)
        return player._search.children().copy()
    finally:
        player.close()


FILLS = {f"D{n}" for n in range(5, 10)}


@pytest.mark.parametrize("changes", SETTINGS, ids=["expertise", "conditioning", "race playouts", "all"])
def test_settings_send_the_search_to_the_fills(changes):
    position = corridors(5, 5)
    position.komi = 0.5
    shares = []
    for settings in ({}, changes):
        children = after(position, settings, 300)
        fills = [position.move_to_text(int(move)) in FILLS for move in children["move"]]
        shares.append(children["visits"][fills].sum() / children["visits"].sum())
    plain, ours = shares
    assert ours > max(0.5, plain), shares


def test_expertise_gives_virtual_wins_to_the_moves_that_win():
    position = corridors(5, 5)
    plain, expert = (
        {
            position.move_to_text(int(child["move"])): float(child["rave_visits"])
            for child in after(position, changes, 1)
        }
        for changes in ({}, {"policy.semeai_expertise": 1000.0})
    )
    assert {move for move in plain if expert[move] > plain[move] + 900} == FILLS


def test_identities_do_not_know_settings_that_are_off():
    plain = PlayerConfig()
    assert plain.with_changes({"policy.race_playouts": 0.5}).identity() != plain.identity()
    assert "semeai_expertise" not in json.dumps(plain.recorded())

"""Light playouts have the statistics published for other programs; default playouts tell life from death."""

import numpy as np
import pytest

from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels.board import copy_board
from semeai.games.go.kernels.playout import play_out
from semeai.games.go.kernels.scoring import area_owners
from semeai.games.go.kernels.tables import BLACK
from semeai.games.go.ownership import OwnerCounts, expected_owners
from semeai.games.go.position import GoPosition
from semeai.jit import kernel
from tests.games.go.faces import base_rules, new_scratch, new_states

N, KOMI = 40_000, 7.5
# A drawing of the top of a board of 9 lines, a point of a black group, and who owns it at the end.
SETTLED = {
    "two eyes": (".X.XO XXXXO OOOOO", (1, 0), "X"),
    "one eye": (".XO XXO OOO", (0, 1), "O"),
    "two-point eye": ("..XO XXXO OOOO", (1, 0), "O"),
    "three, its middle taken": (".O.XO XXXXO OOOOO", (1, 0), "O"),
    "three, its middle taken, and liberties outside": (".O.X XXXX.O OOO.O ...O", (1, 0), "O"),
    "square four": ("..XO ..XO XXXO OOOO", (2, 0), "O"),
    "straight four": ("....XO XXXXXO OOOOOO", (1, 0), "X"),
    "bent four": ("OX..XO OX.XXO OX.XOO OXXXO OOOOO", (1, 1), "X"),
    "pyramid four, its middle taken": ("OX.O.XO OXX.XXO OOXXXOO .OOOOO", (1, 1), "O"),
    "bulky five, its middle taken": (".O.XO ..XXO XXXOO OOO", (2, 0), "O"),
    "an eye against none": (".XO.OX XXO.OX OXOOOX OXXXXX OOOOOO", (0, 1), "X"),
    "a snapback": ("......... .XXXX XOOO.X .XXOX ...X", (1, 1), "X"),
}


@kernel
def run_many(states, rules, scratches, lengths, margins):
    for i in range(len(lengths)):
        copy_board(states[1], states[0])
        scratches[0].n_played = 0
        lengths[i] = play_out(states[1], rules[0], scratches[0])
        margins[i] = area_owners(states[1].color, states[1].size).sum()


@pytest.mark.statistical
def test_light_playouts_on_nine_lines():
    """Length 111.0 and 42.2% wins for Black at komi 7.5.

    False alarms: a length has a standard deviation of 16.0, so the mean of 40,000 has 0.080, and 0.3 is 3.75 of it; a
    share of 42.2% has 0.247%, so 1% is 4.05 of it. Sound code fails the first with probability 1.8e-4, the second
    with 5e-5; were the true mean 111.04, as six other seeds together say, the first would be 6e-4.
    """
    states, lengths, margins = new_states(9, KOMI), np.zeros(N, np.int64), np.zeros(N, np.int64)
    assert states[0]["to_move"] == BLACK
    run_many(states, base_rules(False), new_scratch(2026), lengths, margins)
    assert lengths.mean() == pytest.approx(111.0, abs=0.3)
    assert (margins > KOMI).mean() == pytest.approx(0.422, abs=0.01)


@pytest.mark.parametrize("name", SETTLED)
@pytest.mark.parametrize(
    ("policy", "least"), [(GoPolicy(), 0.6), (GoPolicy(nakade=1), 0.75)], ids=["default", "nakade"]
)
def test_playouts_know_what_is_settled(name, policy, least):
    """Groups that need no more moves end as they should, whoever is to move: in 66% of playouts and more, and in 84%
    where nakade is always asked for, so that sound playouts of 2,000 fall below this with a probability below 1e-8.
    """
    rows, (row, column), owner = SETTLED[name]
    position = GoPosition(9)
    for player, mark in enumerate("XO"):
        stones = [(r, c) for r, line in enumerate(rows.split()) for c, cell in enumerate(line) if cell == mark]
        position.place(player, [position.point(*where) for where in stones])
    expected = expected_owners(position, policy.to_record(), 2000)[position.point(row, column)]
    assert (1 + (expected if owner == "X" else -expected)) / 2 > least


def test_owners_are_estimated_after_the_moves_that_a_search_expects():
    """Half of the playouts know Black's move, and half White's answer too; the position itself is not changed."""
    position = GoPosition(5)
    for move in ("C3", "C2"):
        position.play(position.text_to_move(move))
    line = [position.text_to_move(name) for name in ("D2", "B2", "E5")]
    policy = GoPolicy().to_record()
    found, parts = OwnerCounts(position, policy), [OwnerCounts(position, policy), OwnerCounts(position, policy)]
    found.add(403, line)
    assert found.playouts == 400
    after = position.copy()
    for move, part in zip(line, parts, strict=False):
        after.play(move)
        part._position = after.copy()
        part.add(2000)
    near = (parts[0].lead + parts[1].lead) / 2
    assert found.lead == pytest.approx(near, abs=3)  # its standard error is below 0.6
    assert len(position.moves) == 2
    found.add(3, line)  # too few for each of both positions and both players
    assert found.playouts == 400
    found.add(4, [position.text_to_move("pass")] * 2)  # the game is over after them; the playouts go on
    assert found.playouts == 404

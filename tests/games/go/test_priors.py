"""The priors of new nodes agree with the plain reference."""

import numpy as np
import pytest
from reference.go import Board, empty_cells
from reference.priors import good_and_bad, is_skipped

from semeai.games.catalog import game_named
from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels.priors import expand_node
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from tests.games.go.faces import to_point
from tests.games.go.test_patterns import board_of, random_position

game_named("go")  # its kernels
EVEN = 2
VISITS = {
    "shape": 1, "near_1": 3, "near_2": 5, "near_3": 7, "edge": 11, "second_line": 13, "third_line": 17,
    "fourth_line": 19, "corner": 23, "centre": 29,
}  # fmt: skip
OFF = ("capture", "capture_stone", "save", "save_stone", "atari", "answer", "tenuki", "self_atari")


@kernel
def _expand(states, policy, scratches):
    return expand_node(states[0], states[1], policy[0], scratches[0])


def believed(position, **changes):
    """Move -> visits and wins, of the points that are expanded."""
    numbers = {f"prior_{name}": float(n) for name, n in VISITS.items()} | {f"prior_{name}": 0.0 for name in OFF}
    policy = GoPolicy(database="", model="", prior_even=EVEN, **{**numbers, **changes})
    scratch = np.zeros(1, SCRATCH)
    states = np.concatenate([position.states[:1], position.states[:1]])
    n = _expand(states, policy.to_record(), scratch)
    columns = (scratch[0][name][:n].tolist() for name in ("moves", "prior_visits", "prior_wins"))
    return {int(move): (visits, wins) for move, visits, wins in zip(*columns, strict=True)}


def opening(draw, size):
    """A few random moves, so that most of the board is far from stones."""
    position = GoPosition(size)
    for _ in range(int(draw.integers(0, size))):
        position.play(int(draw.choice(position.sensible_moves())))
    return position


def leaves_one_liberty(board, point, color):
    """A self-atari, or a capture from one liberty: of these the reference says nothing."""
    after = board.after(point, color)
    return after is None or len(after.liberties(after.region(point))) == 1


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_kernels_agree_with_the_reference(seed):
    draw = np.random.default_rng(seed)
    compared = remote = 0
    while compared < 1000:
        size = int(draw.choice((5, 7, 9, 11, 12, 13, 19)))
        position = opening(draw, size) if draw.random() < 0.5 else random_position(draw, size)
        board = Board(position.size, empty_cells(position.size) | board_of(position))
        color = "XO"[position.to_move]
        last = to_point(position.states[0]["last"], position.size) if position.states[0]["last"] else None
        found = believed(position)
        for move in position.sensible_moves().tolist():
            point = to_point(move, position.size)
            if point is None or leaves_one_liberty(board, point, color):
                continue
            assert (move not in found) == is_skipped(board, point), (board, point)
            if move in found:
                good, bad = good_and_bad(board, point, color, last, VISITS)
                assert found[move] == (EVEN + good + bad, EVEN / 2 + good), (board, point)
                remote += bad > 0
            compared += 1
    assert remote > 20


def test_a_large_board_begins_in_the_corners():
    """Won visits beside the even ones are only on the third and fourth line, and most of them in a corner."""
    for size in (13, 19):
        found = believed(GoPosition(size))
        good = {to_point(move, size): wins - EVEN / 2 for move, (_, wins) in found.items() if wins > EVEN / 2}
        most = max(good.values())
        edges = (2, 3, size - 4, size - 3)
        assert all(row in edges or column in edges for row, column in good)
        assert {point for point, n in good.items() if n >= most - 2} == {(r, c) for r in edges for c in edges}

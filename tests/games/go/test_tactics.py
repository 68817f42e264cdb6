"""Tactics agree with the reference on random positions, and read drawn ladders and nakades correctly."""

import itertools
from contextlib import suppress

import numpy as np
import pytest
from reference.go import EMPTY, OFF_BOARD, OTHER, Board, beside

from semeai.errors import IllegalMove
from semeai.games.go.kernels.board import copy_board
from semeai.games.go.kernels.nakade import eye_point, kills_inside, small_room, wastes_room
from semeai.games.go.kernels.tactics import (
    catches,
    is_self_atari,
    measure_distance,
    measure_remoteness,
    runs_out,
    two_liberties,
)
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel

MARKS = ".XO"


@kernel
def self_atari(states, p, color, stones):
    return is_self_atari(states[0], p, color, stones, states[0].stride)


@kernel
def liberty_pair(states, p):
    return two_liberties(states[0], p, states[0].stride)


@kernel
def distances(states, scratches, most):
    measure_distance(states[0], scratches[0], most)
    measure_remoteness(states[0], scratches[0], most)


@kernel
def room_of(states, scratches, p):
    return small_room(states[0], p, scratches[0], states[0].stride)


@kernel
def wastes(states, scratches, p, color):
    return wastes_room(states[0], p, color, scratches[0], states[0].stride)


@kernel
def answer_inside(states, scratches, last, color):
    return eye_point(states[0], last, color, scratches[0], states[0].stride)


@kernel
def kills(states, p, color):
    return kills_inside(states[0], p, color, states[0].stride)


@kernel
def escapes_ladder(states, p, target, color):
    copy_board(states[1], states[0])
    return runs_out(states[0], states[1], p, target, color, states[0].stride)


@kernel
def takes_in_ladder(states, p, target, color):
    copy_board(states[1], states[0])
    return catches(states[0], states[1], p, target, color, states[0].stride)


def position_of(drawing):
    """A position with the stones of a drawing."""
    rows = drawing.split()
    position = GoPosition(len(rows))
    for player, mark in enumerate("XO"):
        cells = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == mark]
        position.place(player, [position.point(*where) for where in cells])
    return position


def random_positions(n, seed):
    """Positions of random games on small boards, with the reference's view of each."""
    random = np.random.default_rng(seed)
    found = 0
    while found < n:
        position = GoPosition(int(random.integers(3, 8)))
        for _ in range(int(random.integers(1, 3 * position.size**2))):
            if position.is_over:
                break
            position.play(int(random.choice(position.sensible_moves())))
            if random.random() < 0.3:
                found += 1
                yield position, as_board(position)


def as_board(position):
    return Board.drawn("\n".join("".join(MARKS[c] for c in row) for row in position.colors))


def points(position):
    return [((r, c), position.point(r, c)) for r in range(position.size) for c in range(position.size)]


@pytest.mark.slow
def test_self_atari_agrees_with_the_reference():
    n = 0
    for position, board in random_positions(700, seed=1):
        for where, p in points(position):
            for color, mark in ((1, "X"), (2, "O")):
                if board.cells[where] != EMPTY or not board.is_legal(where, mark):
                    continue
                after = board.after(where, mark)
                captures = len(after.all_of(OTHER[mark])) < len(board.all_of(OTHER[mark]))
                chain = after.region(where)
                for stones in (1, 3):
                    expected = len(after.liberties(chain)) == 1 and len(chain) >= stones and not captures
                    assert self_atari(position.states, p, color, stones) == expected, (board, where, mark, stones)
                n += expected
    assert n > 100


def test_chains_with_two_liberties_agree_with_the_reference():
    for position, board in random_positions(700, seed=2):
        for where, p in points(position):
            if board.cells[where] in "XO":
                liberties = board.liberties(board.region(where))
                found = set(liberty_pair(position.states, p))
                expected = {position.point(*q) for q in liberties} if len(liberties) == 2 else {0}
                assert found == expected, (board, where)


def common_fate_distances(board, start):
    """By relaxing until nothing changes: a step costs one, inside a chain nothing."""
    far = dict.fromkeys(board.points(), 99)
    far[start] = 0
    changed = True
    while changed:
        changed = False
        for point in far:
            for q in beside(point):
                if board.cells[q] == OFF_BOARD:
                    continue
                step = 0 if board.cells[point] != EMPTY and board.cells[point] == board.cells[q] else 1
                if far[point] + step < far[q]:
                    far[q] = far[point] + step
                    changed = True
    return far


def test_distances_agree_with_the_reference():
    scratch = np.zeros(1, SCRATCH)
    for position, board in random_positions(150, seed=3):
        distances(position.states, scratch, 3)
        last = position.moves[-1][1]
        w = position.size + 1
        far = common_fate_distances(board, (last // w - 1, last % w - 1)) if last else dict.fromkeys(board.points(), 99)
        near = steps_to_stones(board)
        for where, p in points(position):
            assert scratch[0]["distance"][p] == min(far[where], 4), (board, where)
            assert scratch[0]["remoteness"][p] == min(near[where], 4), (board, where)


def steps_to_stones(board):
    """Steps over empty points to the nearest stone."""
    steps = {point: 0 if board.cells[point] != EMPTY else 99 for point in board.points()}
    for _ in range(2 * board.size):
        for point in board.all_of(EMPTY):
            steps[point] = min([steps[point], *(steps[q] + 1 for q in beside(point) if q in steps)])
    return steps


def shapes(n):
    """Every connected shape of ``n`` points, one for each up to rotation and reflection."""
    if n == 1:
        return {((0, 0),)}
    grown = (({*shape, q}) for shape in shapes(n - 1) for point in shape for q in beside(point) if q not in shape)
    return {canonical(shape) for shape in grown}


def canonical(shape):
    views = []
    for turn in range(8):
        view = [(-r if turn & 1 else r, -c if turn & 2 else c) for r, c in shape]
        view = [(c, r) for r, c in view] if turn & 4 else view
        top, left = min(r for r, _ in view), min(c for _, c in view)
        views.append(tuple(sorted((r - top, c - left) for r, c in view)))
    return min(views)


# How many neighbours the points of a shape have, for the shapes with one vital point: three, pyramid four, crossed
# five, bulky five, rabbity six.
KILLED = {(2, 1, 1), (3, 1, 1, 1), (4, 1, 1, 1, 1), (3, 2, 2, 2, 1), (4, 2, 2, 2, 1, 1)}


ONE_EYE = KILLED | {(0,), (1, 1), (2, 2, 2, 2)}
"""Those, and the rooms that no single point decides."""


def degrees_of(cells):
    return tuple(sorted((sum(q in cells for q in beside(where)) for where in cells), reverse=True))


@pytest.mark.slow
def test_self_ataris_that_kill_agree_with_the_reference():
    """On random games, and on rooms of every shape with all but two points filled."""
    n = 0
    for position, board in itertools.chain(random_positions(1000, seed=4), filled_rooms()):
        for where, p in points(position):
            for color, mark in ((1, "X"), (2, "O")):
                if not board.is_legal(where, mark) or not self_atari(position.states, p, color, 1):
                    continue
                inside = board.after(where, mark).region(where)
                room = {where} | board.after(where, mark).liberties(inside)
                around = [board.region(q) for q in beside(where) if board.cells[q] == OTHER[mark]]
                dying = any(board.liberties(chain) == room for chain in around)
                expected = dying and degrees_of(inside) in ONE_EYE
                assert kills(position.states, p, color) == expected, (board, where, mark)
                n += expected
    assert n > 100


def filled_rooms():
    for shape in {shape for n in range(2, 8) for shape in shapes(n)}:
        for a, b in itertools.combinations(shape, 2):
            position = walled_room({(r + 1, c + 1) for r, c in shape}, [])
            with suppress(IllegalMove):  # stones that touch neither empty point
                position.place(1, [position.point(r + 1, c + 1) for r, c in shape if (r, c) not in (a, b)])
                yield position, as_board(position)


def walled_room(cells, outside):
    """A board full of black stones but for ``cells`` and the points ``outside``."""
    position = GoPosition(10)
    walls = [(r, c) for r in range(10) for c in range(10) if (r, c) not in {*cells, *outside}]
    position.place(0, [position.point(*where) for where in walls])
    return position


@pytest.mark.parametrize("n", range(1, 8))
def test_vital_points_of_all_small_rooms(n):
    for shape in shapes(n):
        cells = {(r + 1, c + 1) for r, c in shape}
        position = walled_room(cells, [(0, 0), (9, 9)])
        vital = position.point(*vital_of(cells)) if vital_of(cells) else 0
        for start in cells:
            found = room_of(position.states, np.zeros(1, SCRATCH), position.point(*start))
            assert found == ((n, vital) if n <= 6 else (0, 0)), (shape, start)


def vital_of(cells):
    """The point with most neighbours in the room, where it decides."""
    return max(cells, key=lambda where: sum(q in cells for q in beside(where))) if degrees_of(cells) in KILLED else None


def test_a_room_that_both_colours_touch_is_none():
    position = position_of("...XO\nXOXXO\nX.XOO\nOOOO.\n.....")
    assert room_of(position.states, np.zeros(1, SCRATCH), position.point(0, 0)) == (0, 0)


@pytest.mark.slow
def test_moves_that_waste_room_agree_with_the_reference():
    n = 0
    for position, board in itertools.chain(random_positions(700, seed=5), filled_rooms()):
        for where, p in points(position):
            if board.cells[where] != EMPTY:
                continue
            region = board.region(where)
            around = {board.cells[q] for cell in region for q in beside(cell)} - {EMPTY, OFF_BOARD}
            row, column = where
            empty = sum(board.cells[row + i, column + j] == EMPTY for i in (-1, 0, 1) for j in (-1, 0, 1)) - 1
            for color, mark in ((1, "X"), (2, "O")):
                touches = any(board.cells[q] == mark for q in beside(where))
                closed = around == {mark} and 1 < len(region) <= 6 and touches and empty <= 4
                expected = closed and where != vital_of(region)
                found = wastes(position.states, np.zeros(1, SCRATCH), p, color)
                assert found == expected, (board, where, mark)
                n += expected
    assert n > 100


@pytest.mark.slow
def test_answers_inside_a_room_agree_with_the_reference():
    n, scratch = 0, np.zeros(1, SCRATCH)
    for position, board in itertools.chain(random_positions(700, seed=6), filled_rooms()):
        for where, p in points(position):
            if board.cells[where] not in "XO":
                continue
            enemy = OTHER[board.cells[where]]
            room = spread(board, where, enemy)
            best = {q: sum(r in room for r in beside(q)) for q in room if board.cells[q] == EMPTY}
            most = max(best.values(), default=0)
            found = answer_inside(position.states, scratch, p, "?XO".index(enemy))
            if not 4 <= len(room) <= 6 or most < 2:
                assert found == 0, (board, where)
            elif found:
                assert found in {position.point(*q) for q, degree in best.items() if degree == most}, (board, where)
                n += 1
            else:
                legal = position.legal_moves_of("XO".index(enemy))
                assert any(position.point(*q) not in legal for q, degree in best.items() if degree == most)
    assert n > 100


def spread(board, start, enemy):
    """All that can be reached without stepping on ``enemy``, or more than six points of it."""
    room, new = set(), {start}
    while new and len(room) <= 6:
        room |= new
        new = {q for p in new for q in beside(p) if board.cells[q] not in (enemy, OFF_BOARD)} - room
    return room


LADDER = """
    .........
    ..OO.....
    .OX......
    .........
    .........
    .........
    ......?..
    .........
    .........
"""
BLOCK, RUN, TARGET = (3, 2), (2, 3), (2, 2)


@pytest.mark.parametrize(("breaker", "caught"), [(".", True), ("O", True), ("X", False)])
def test_ladders_and_their_breakers(breaker, caught):
    position = position_of(LADDER.replace("?", breaker))
    block, run, target = (position.point(*where) for where in (BLOCK, RUN, TARGET))
    states = np.concatenate([position.states] * 2)
    assert set(liberty_pair(states, target)) == {block, run}
    assert takes_in_ladder(states, block, target, 2) == caught
    position.play(block, 1)
    states = np.concatenate([position.states] * 2)
    assert escapes_ladder(states, run, target, 1) != caught


def test_reading_a_ladder_leaves_the_board_alone():
    position = position_of(LADDER.replace("?", "."))
    states = np.concatenate([position.states] * 2)
    takes_in_ladder(states, position.point(*BLOCK), position.point(*TARGET), 2)
    for name in states.dtype.names:
        assert np.array_equal(states[0][name], position.states[0][name]), name

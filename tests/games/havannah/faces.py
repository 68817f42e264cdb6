"""The board kernels as functions that Python can call, test games, and the check against ``reference.havannah``."""

import random

import numpy as np
from reference.havannah import BLACK, EMPTY, WHITE, Board, around

from semeai.games.havannah.kernels.board import (
    HAVANNAH_STATE,
    MAX_POINTS,
    WINS,
    copy_board,
    find,
    kind_of_win,
    reset,
)
from semeai.games.havannah.kernels.moves import find_all_wins, play_move
from semeai.games.havannah.kernels.policy import HAVANNAH_POLICY
from semeai.games.havannah.kernels.tables import KINDS, cells
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from semeai.rng_kernels import CERTAIN

COLORS = {WHITE: 1, BLACK: 2}


@kernel
def reset_board(states, base, swap):
    reset(states[0], base, swap)


@kernel
def play(states, move, color):
    play_move(states[0], move, color)


@kernel
def copy_first(states):
    copy_board(states[1], states[0])


@kernel
def look(states, kinds, roots):
    """By cell: what White and Black would make there, and the root of the group."""
    state = states[0]
    for p in range(state.points):
        roots[p] = find(state, p)
        if state.color[p] == 0:
            for color in (1, 2):
                kinds[color - 1, p] = kind_of_win(state, p, color)


@kernel
def list_wins_anew(states):
    find_all_wins(states[0])


@kernel
def perft_kernel(states, color, depth, counts):
    """Count the games of ``depth`` moves and those that end with the last; one record a depth."""
    state, child = states[0], states[1]
    for i in range(state.n_empty):
        copy_board(child, state)
        play_move(child, np.int64(state.empties[i]), color)
        over = child.winner != 0 or child.n_empty == 0
        if depth == 1:
            counts[0] += 1
            counts[1] += over
        elif not over:
            perft_kernel(states[1:], 3 - color, depth - 1, counts)


def new_states(base, swap=False, n=2):
    states = np.zeros(n, HAVANNAH_STATE)
    reset_board(states, base, int(swap))
    return states


def new_scratch(seed):
    scratches = np.zeros(1, SCRATCH)
    scratches["rng"] = seed * 0x9E3779B97F4A7C15 % 2**64 or 1
    return scratches


def rules(slow):
    """Fast or slow playouts and no priors: nothing that is added later changes them."""
    policy = np.zeros(1, HAVANNAH_POLICY)
    if slow:
        policy["slow"] = 1
        policy["win"] = policy["block"] = policy["bridge_reply"] = CERTAIN
    return policy


def to_move(cell, base):
    x, y = cell
    return (y + 1) * 2 * base + x + 1


def to_cell(move, base):
    row, column = divmod(int(move), 2 * base)
    return column - 1, row - 1


def kind_names(kind):
    return {name for bit, name in KINDS.items() if int(kind) & bit}


def looked(states):
    kinds, roots = np.full((2, MAX_POINTS), -1), np.zeros(MAX_POINTS, np.int64)
    look(states, kinds, roots)
    return kinds, roots


def listed_wins(state, color):
    return sorted(int(p) for p in state["wins"][color - 1][: state["n_wins"][color - 1]])


def assert_lists_are_right(states):
    """The winning cells that were kept are those that are found anew, and empties are the cells without a stone."""
    state = states[0]
    kept = [listed_wins(state, color) for color in (1, 2)]
    bits = (state["code"] >> WINS).copy()
    anew = states[:1].copy()
    list_wins_anew(anew)
    assert kept == [listed_wins(anew[0], color) for color in (1, 2)]
    assert (bits == anew[0]["code"] >> WINS).all()
    base = int(state["base"])
    empties = state["empties"][: state["n_empty"]].tolist()
    inside = [to_move(cell, base) for cell in cells(base)]
    assert sorted(empties) == [p for p in inside if state["color"][p] == 0]
    assert state["slot"][empties].tolist() == list(range(len(empties)))


def assert_same(states, board, sample=None):
    """Everything that the record says of a game in progress is what the reference finds; ``sample`` cells are tried."""
    state, base = states[0], board.base
    for cell, found in board.cells.items():
        assert state["color"][to_move(cell, base)] == {EMPTY: 0, **COLORS}[found]
    kinds, roots = looked(states)
    for color, number in COLORS.items():
        for group in board.groups(color):
            moves = {to_move(cell, base) for cell in group}
            (root,) = {int(roots[p]) for p in moves}
            assert state["stones"][root] == len(moves)
            circle, p = [root], int(state["next"][root])
            while p != root and len(circle) <= len(moves):
                circle.append(p)
                p = int(state["next"][p])
            assert sorted(circle) == sorted(moves)
        empties = board.empties()
        for cell in empties if sample is None else sample.sample(empties, min(12, len(empties))):
            expected = board.kinds_after(cell, color)
            assert kind_names(kinds[number - 1, to_move(cell, base)]) == expected, (color, cell)


def choose_randomly(board, color, shuffle, wins):
    return shuffle.choice(board.empties())


def choose_clumpily(board, color, shuffle, wins):
    """Beside own stones, seldom where it wins: such games hold many filled cells and many cells that would win."""
    empties = board.empties()
    beside = [c for c in empties if any(board.cells.get(n) == color for n in around(c))]
    patient = [c for c in beside if c not in wins]
    if patient and shuffle.random() < 0.97:
        return shuffle.choice(patient)
    return shuffle.choice(beside if beside and shuffle.random() < 0.5 else empties)


CHOICES = {"random": choose_randomly, "clumpy": choose_clumpily}


def positions(base, seed, policy):
    """A game on the record and on the reference's board at once, after every move: (states, board, color, cell)."""
    shuffle = random.Random(f"{policy} {base} {seed}")
    states, board, color = new_states(base), Board(base), WHITE
    while not states[0]["winner"] and states[0]["n_empty"]:
        wins = {to_cell(p, base) for p in listed_wins(states[0], COLORS[color])}
        cell = CHOICES[policy](board, color, shuffle, wins)
        board.play(cell, color)
        play(states, to_move(cell, base), COLORS[color])
        yield states, board, color, cell
        color = BLACK if color == WHITE else WHITE

"""The board kernels as functions that Python can call, and the check that they agree with ``reference.go``."""

from itertools import product

import numpy as np
from reference.go import BLACK, OTHER, WHITE, Board, beside, is_shape

from semeai.games.go.kernels.board import (
    GO_STATE,
    MAX_POINTS,
    PASS,
    area_margin,
    copy_board,
    in_atari,
    is_legal,
    is_playable,
    only_liberty,
    play_move,
    random_point,
    reset,
    word_at,
)
from semeai.games.go.kernels.playout import play_out, policy_move
from semeai.games.go.kernels.policy import GO_POLICY
from semeai.games.go.kernels.scoring import area_owners
from semeai.games.go.kernels.tables import EYE, SHAPE, TRAITS
from semeai.games.protocol import SCRATCH
from semeai.jit import kernel
from semeai.rng_kernels import CERTAIN

COLORS = {BLACK: 1, WHITE: 2}
CELLS = {".": 0, "X": 1, "O": 2, "#": 3}
CODE_ORDER = (1, 3, 5, 7, 0, 2, 6, 8)  # N W E S NW NE SW SE among nine cells row by row


@kernel
def reset_board(states, size, komi):
    reset(states[0], size, komi)


@kernel
def play(states, move, color):
    play_move(states[0], move, color)


@kernel
def copy_first(states):
    copy_board(states[1], states[0])


@kernel
def margin_of_playout(states):
    return area_margin(states[0])


@kernel
def light_move(states, color, scratches):
    return random_point(states[0], color, scratches[0])


@kernel
def mogo_move(states, color, policy, scratches):
    return policy_move(states[0], color, policy[0], scratches[0])


@kernel
def run_playout(states, policy, scratches):
    scratches[0].n_played = 0
    return play_out(states[0], policy[0], scratches[0])


@kernel
def look(states, seen):
    """By point: atari and the only liberty of its chain, legal and playable for Black and for White."""
    state = states[0]
    for p in range(state.points):
        if state.color[p] == 1 or state.color[p] == 2:
            word = word_at(state, p)
            seen[0, p] = in_atari(word)
            seen[1, p] = only_liberty(word) if in_atari(word) else 0
        elif state.color[p] == 0:
            for color in (1, 2):
                seen[1 + color, p] = is_legal(state, p, color)
                seen[3 + color, p] = is_playable(state, p, color, state.stride)


def _look(states):
    seen = np.full((6, MAX_POINTS), -1)
    look(states, seen)
    return seen.tolist()


def new_states(size, komi=7.5):
    states = np.zeros(2, GO_STATE)
    reset_board(states, size, komi)
    return states


def base_rules(mogo):
    """Light playouts, or MoGo's three oldest rules: nothing that is added later changes them."""
    policy = np.zeros(1, GO_POLICY)
    if mogo:
        policy["mogo"] = 1
        policy["capture"] = policy["save"] = policy["shape"] = CERTAIN
    return policy


def new_scratch(seed):
    scratches = np.zeros(1, SCRATCH)
    scratches["rng"] = seed * 0x9E3779B97F4A7C15 % 2**64 or 1
    return scratches


def to_move(point, size):
    """The kernels' number of a (row, column)."""
    return PASS if point is None else (point[0] + 1) * (size + 1) + point[1] + 1


def to_point(move, size):
    row, column = divmod(int(move), size + 1)
    return None if move == PASS else (row - 1, column - 1)


def assert_same(states, board):
    """Everything that the record says of the board is what the reference finds there."""
    _assert_same_stones(states[0], board)
    _assert_same_chains(states, board)
    _assert_same_moves(states, board)


def _assert_same_stones(state, board):
    size = board.size
    colors, codes = state["color"].tolist(), state["code"].tolist()
    inside = set()
    for point in board.points():
        p = to_move(point, size)
        inside.add(p)
        cells = board.neighbourhood(point)
        assert colors[p] == CELLS[cells[4]], board
        assert codes[p] == sum(CELLS[cells[cell]] << 2 * i for i, cell in enumerate(CODE_ORDER)), board
    assert all(colors[p] == CELLS["#"] for p in range(state["points"]) if p not in inside)
    empties = state["empties"][: state["n_empty"]].tolist()
    assert sorted(empties) == [to_move(point, size) for point in board.all_of(".")]
    assert state["slot"][empties].tolist() == list(range(len(empties)))
    assert state["difference"] == len(board.all_of(BLACK)) - len(board.all_of(WHITE))
    assert to_point(state["ko"], size) == board.ko, board


def _assert_same_chains(states, board):
    state, size = states[0], board.size
    atari, only = _look(states)[:2]
    chain_of, circle, stones = (state[name].tolist() for name in ("chain", "next", "stones"))
    words = state["liberties"].tolist()
    for chain in board.chains():
        moves = {to_move(point, size) for point in chain}
        (name,) = {chain_of[p] for p in moves}
        assert name in moves
        assert stones[name] == len(moves)
        around, p = [name], circle[name]
        while p != name and len(around) <= len(moves):
            around.append(p)
            p = circle[p]
        assert sorted(around) == sorted(moves)
        touches = [to_move(q, size) for point in chain for q in beside(point) if board.cells[q] == "."]
        word = words[name]
        assert word & 0xFFF == len(touches)
        assert word >> 12 & 0xFFFFF == sum(touches)
        assert word >> 32 == sum(p * p for p in touches)
        liberties = {to_move(q, size) for q in board.liberties(chain)}
        assert {atari[p] for p in moves} == {int(len(liberties) == 1)}, board
        assert {only[p] for p in moves} == (liberties if len(liberties) == 1 else {0})


def _assert_same_moves(states, board):
    state, size = states[0], board.size
    seen = _look(states)
    traits = TRAITS[state["code"]].tolist()
    for point, color in product(board.all_of("."), (BLACK, WHITE)):
        p, k = to_move(point, size), COLORS[color]
        legal, eye = board.is_legal(point, color), board.is_eye(point, color)
        where = (color, point, board)
        assert seen[1 + k][p] == legal, where
        assert bool(traits[p] & EYE * k) == eye, where
        assert seen[3 + k][p] == (legal and not eye), where
        assert bool(traits[p] & SHAPE * k) == is_shape(board.neighbourhood(point), color), where
    owners = area_owners(state["color"], size)
    expected = board.owners()
    assert owners.tolist() == [[{"X": 1, "O": -1, ".": 0}[expected[r, c]] for c in range(size)] for r in range(size)], (
        board
    )


class Pair:
    """A game on the kernels' record and on the reference's board at once, in turn, without superko."""

    def __init__(self, size, seed):
        self.states, self.board = new_states(size), Board(size)
        self.color, self.passes = BLACK, 0
        self.scratches = new_scratch(seed)

    def play(self, point):
        """Play where the caller knows, from the reference, that it is legal."""
        self.board = self.board.after_pass() if point is None else self.board.after(point, self.color)
        play(self.states, to_move(point, self.board.size), COLORS[self.color])
        self.color = OTHER[self.color]
        self.passes = self.passes + 1 if point is None else 0

    def any_move(self, random):
        """Any legal point, own eyes included, so that whole groups are captured again and again."""
        points = self.board.all_of(".")
        random.shuffle(points)
        return next((point for point in points if self.board.is_legal(point, self.color)), None)

    def light_move(self, random):
        return to_point(light_move(self.states, COLORS[self.color], self.scratches), self.board.size)

    def mogo_move(self, random):
        move = mogo_move(self.states, COLORS[self.color], base_rules(True), self.scratches)
        return to_point(move, self.board.size)


POLICIES = {"any": Pair.any_move, "light": Pair.light_move, "mogo": Pair.mogo_move}


def positions(size, seed, random, policy):
    """Pairs after each move of one game, up to two passes or three moves a point."""
    pair = Pair(size, seed)
    for _ in range(3 * size * size):
        point = POLICIES[policy](pair, random)
        assert point is None or pair.board.is_legal(point, pair.color), (point, pair.board)
        pair.play(point)
        yield pair
        if pair.passes == 2:
            return

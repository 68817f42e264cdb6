"""A complete game outside semeai: tic-tac-toe on boards of 2 to 5 lines, where a whole line wins."""

import json
import re
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from semeai import registry
from semeai.errors import ConfigError, IllegalMove
from semeai.games import protocol
from semeai.games.catalog import GAMES, register_game
from semeai.games.game import Game
from semeai.games.position import Position
from semeai.games.record import GameRecord
from semeai.games.toys.common import list_move, play_at_random
from semeai.jit import implements, kernel
from semeai.models import Model

MAX_SIZE = 5
TOY = np.dtype([("cells", np.int8, MAX_SIZE**2), ("size", np.int64), ("turn", np.int64), ("winner", np.int64)])
TOY_POLICY = np.dtype([("centre", np.float32)])


@implements(protocol.copy_state, TOY)
def copy_state(target, source):
    for i in range(MAX_SIZE**2):
        target.cells[i] = source.cells[i]
    target.size, target.turn, target.winner = source.size, source.turn, source.winner


@implements(protocol.mover, TOY)
def mover(state):
    return state.turn % 2


@implements(protocol.is_over, TOY)
def is_over(state):
    return state.winner != 0 or state.turn == state.size * state.size


@implements(protocol.reward, TOY)
def reward(state):
    return 1.0 if state.winner == 1 else 0.0 if state.winner == 2 else 0.5


@implements(protocol.play, TOY)
def play(state, move):
    mark = 1 + state.turn % 2
    state.cells[move] = mark
    state.turn += 1
    row, column, last = move // state.size, move % state.size, state.size - 1
    rows = columns = falling = rising = 0
    for i in range(state.size):
        rows += state.cells[row * state.size + i] == mark
        columns += state.cells[i * state.size + column] == mark
        falling += state.cells[i * state.size + i] == mark
        rising += state.cells[i * state.size + last - i] == mark
    if max(rows, columns, falling, rising) == state.size:
        state.winner = mark


@implements(protocol.expand, TOY)
def expand(state, spare, policy, scratch):
    n = 0
    for cell in range(state.size * state.size):
        if state.cells[cell] == 0:
            list_move(scratch, n, cell, 0.0)
            if cell == state.size * state.size // 2:
                scratch.prior_visits[n] = scratch.prior_wins[n] = policy.centre
            n += 1
    return n


@implements(protocol.playout, TOY)
def playout(state, policy, scratch):
    play_at_random(state, policy, scratch)


@kernel
def play_move(states, move):
    protocol.play(states[0], move)


class ToyPosition(Position):
    game = "toy"

    def __init__(self, size):
        self.size = size
        self.states = np.zeros(1, TOY)
        self.states[0]["size"] = size
        self.moves = []
        self._before = []

    @property
    def start_key(self):
        return str(self.size).encode()

    @property
    def to_move(self):
        return int(self.states[0]["turn"]) % 2

    @property
    def winner(self):
        return int(self.states[0]["winner"])

    @property
    def is_over(self):
        return self.winner != 0 or len(self.moves) == self.size**2

    def legal_moves(self):
        return np.flatnonzero(self.states[0]["cells"][: self.size**2] == 0) if not self.is_over else np.empty(0, int)

    def play(self, move, player=None):
        if player not in (None, self.to_move) or move not in self.legal_moves():
            raise IllegalMove(f"move {move} is not legal")
        self._before.append(self.states.copy())
        self.moves.append((self.to_move, int(move)))
        play_move(self.states, int(move))

    def undo(self):
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        self.states = self._before.pop()
        self.moves.pop()

    def copy(self):
        other = ToyPosition(self.size)
        other.states, other.moves, other._before = self.states.copy(), list(self.moves), list(self._before)
        return other

    def reward(self):
        return (0.5, 1.0, 0.0)[self.winner]

    def result(self):
        return ("0", "B+line", "W+line")[self.winner]

    def move_to_text(self, move):
        return f"{'abcde'[move % self.size]}{move // self.size + 1}"

    def text_to_move(self, text):
        found = re.fullmatch(r"([a-e])([1-5])", text.strip().lower())
        column, row = ("abcde".index(found[1]), int(found[2]) - 1) if found else (self.size, 0)
        if max(row, column) >= self.size:
            raise IllegalMove(f"{text!r} is no cell")
        return row * self.size + column

    def draw(self):
        marks = [".XO"[mark] for mark in self.states[0]["cells"]]
        return "\n".join(" ".join(marks[i : i + self.size]) for i in range(0, self.size**2, self.size))


class ToyPolicy(Model):
    centre: float = 2.0
    """Virtual visits, all won, of the cell in the middle."""

    def to_record(self):
        return np.array([(self.centre,)], TOY_POLICY)


class ToyGame(Game):
    name = "toy"
    sizes = range(2, MAX_SIZE + 1)
    default_size = 3
    endings = ("line", "draw")
    policy = ToyPolicy
    presets = {"default": {}, "uct": {"search.rave": "off", "policy.centre": 0.0}}  # noqa: RUF012

    def make(self, size, komi, swap):
        return ToyPosition(size)

    def ending(self, position):
        return "line" if position.winner else "draw"

    def write_record(self, record):
        return json.dumps({**asdict(record), "place": ""}, sort_keys=True)

    def read_record(self, data, place):
        try:
            return GameRecord(**{**json.loads(data), "place": place})
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{place}: {error}") from None


@contextmanager
def registered():
    """Register the game for as long as the context lasts, so that other tests do not see it."""
    try:
        yield register_game(ToyGame())
    finally:
        del GAMES._entries["toy"]
        registry._origins.pop(__name__, None)

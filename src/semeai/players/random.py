"""A player that plays any reasonable move, for tests and as the bottom of a scale."""

import numpy as np

from semeai.games.position import Position
from semeai.players.base import Choice, Player
from semeai.rng import generator


class RandomPlayer(Player):
    """Uniform over the moves that a search would consider: in Go it fills no eyes."""

    def __init__(self, name: str = "random") -> None:
        self.name = name

    def start(self, position: Position, seed: int) -> None:
        self._position = position.copy()
        self._random: np.random.Generator = generator(seed, "random-player")

    def choose(self) -> Choice:
        moves = self._position.sensible_moves()
        return Choice(int(self._random.choice(moves)))

    def observe(self, move: int) -> None:
        self._position.play(move)

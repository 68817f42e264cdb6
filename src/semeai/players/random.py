"""A player of random moves, for tests and as the weakest opponent."""

import numpy as np

from semeai.games.position import Position
from semeai.players.base import Choice, Player
from semeai.rng import generator


class RandomPlayer(Player):
    """Choose uniformly among the moves that a search would consider; in Go it does not fill its own eyes."""

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

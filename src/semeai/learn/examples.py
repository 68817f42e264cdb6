"""Positions of games as examples for the move model: the features of all legal points, and which point was played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.config import GoPolicy
from semeai.games.go.kernels.board import GO_STATE
from semeai.games.go.kernels.features import N_KEYS, N_SLOTS
from semeai.games.protocol import SCRATCH
from semeai.games.record import GameRecord
from semeai.learn.kernels.harvesting import add_examples


@dataclass(frozen=True, eq=False)
class GameMoves:
    """The moves of a game as arrays: players are 1 (Black) and 2, points those of the kernels."""

    size: int
    setup: NDArray[np.int64]
    """Rows of (player, point)."""
    moves: NDArray[np.int64]
    """Rows of (player, move)."""

    @classmethod
    def of_record(cls, game: GameRecord) -> Self:
        def rows(pairs: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
            return np.array([(player + 1, point) for player, point in pairs], np.int64).reshape(-1, 2)

        return cls(game.size, rows(game.setup), rows(game.moves))


@dataclass(frozen=True, eq=False)
class Examples:
    """Positions in flat arrays; the points of position i are ``starts[i]:starts[i + 1]``."""

    ids: NDArray[np.uint16]
    """The number of each slot's value, by point."""
    keys: NDArray[np.uint32]
    """The keys of the shapes, by point; 0 for none."""
    starts: NDArray[np.int64]
    winners: NDArray[np.int64]
    """Index of the point that was played, by position."""
    numbers: NDArray[np.int64]
    """Number of the move in its game, by position."""

    def __len__(self) -> int:
        return len(self.winners)


class Harvester:
    """Replays games and collects examples, with working memory that is made once."""

    def __init__(self) -> None:
        self._states = np.zeros(2, GO_STATE)
        self._scratches = np.zeros(1, SCRATCH)
        self._policy = GoPolicy(capture=1.0, save=1.0, database="").to_record()

    def harvest(self, games: Sequence[GameMoves], taken: Sequence[NDArray[np.bool_]]) -> Examples:
        """Return the examples of the moves that are ``taken``. Passes are left out."""
        most = sum(int(take.sum()) for take in taken)
        points = sum(int(take.sum()) * game.size**2 for game, take in zip(games, taken, strict=True))
        ids, keys = np.empty((points, N_SLOTS), np.uint16), np.empty((points, N_KEYS), np.uint32)
        starts, winners, numbers = (np.zeros(most + extra, np.int64) for extra in (1, 0, 0))
        n = 0
        for game, take in zip(games, taken, strict=True):
            n = add_examples(
                self._states, self._scratches, self._policy, game.size, game.setup, game.moves, take,
                ids, keys, starts, winners, numbers, n,
            )  # fmt: skip
        end = starts[n]
        return Examples(ids[:end], keys[:end], starts[: n + 1], winners[:n], numbers[:n])

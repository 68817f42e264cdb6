"""Positions of games as examples for the move model: the features of all legal moves, and which one was played."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from semeai.games.catalog import game_named
from semeai.games.protocol import MAX_CODES, SCRATCH
from semeai.games.record import GameRecord
from semeai.learn.kernels.harvesting import add_examples

Visits = Mapping[int, Mapping[int, int]]
"""What searches found in a game: by number of moves played before, the visits of each point."""


@dataclass(frozen=True, eq=False)
class GameMoves:
    """The moves of a game as arrays: players are 1 and 2, points those of the kernels."""

    size: int
    setup: NDArray[np.int64]
    """Rows of (player, point)."""
    moves: NDArray[np.int64]
    """Rows of (player, move)."""
    searched: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Indices of the moves before which there was a search."""
    shares: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 1), np.float32))
    """For each of them, the share of the visits of every point."""
    of_searches: bool = False
    """Whether to learn those shares, and not the moves that were played."""
    game: str = "go"

    @classmethod
    def of_record(cls, game: GameRecord, visits: Visits | None = None) -> Self:
        def rows(pairs: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
            return np.array([(player + 1, point) for player, point in pairs], np.int64).reshape(-1, 2)

        moves = cls(game.size, rows(game.setup), rows(game.moves), game=game.game)
        if visits is None:
            return moves
        searched = np.array(sorted(visits), np.int64)
        shares = np.zeros((len(searched), MAX_CODES), np.float32)
        for row, number in zip(shares, searched.tolist(), strict=True):
            row[list(visits[number])] = list(visits[number].values())
            row /= row.sum()
        return replace(moves, searched=searched, shares=shares, of_searches=True)

    def takes(self, skip: int) -> NDArray[np.bool_]:
        """Return which positions are learnt, by number of moves played before."""
        take = np.arange(len(self.moves)) >= skip
        return take & (self.rows >= 0) if self.of_searches else take

    def teaches(self, skip: int) -> bool:
        """Return whether there is anything to learn. Move 0 is no point: a pass, for example."""
        return bool(self.takes(skip)[self.of_searches | (self.moves[:, 1] != 0)].any())

    @property
    def digest(self) -> bytes:
        """A hash of everything that can be learnt from the game."""
        found = hashlib.sha256(repr((self.size, len(self.setup), len(self.moves), len(self.searched))).encode())
        for part in (self.setup, self.moves, self.searched, self.shares):
            found.update(part.tobytes())
        return found.digest()

    @property
    def rows(self) -> NDArray[np.int64]:
        """For each move, its row in ``shares``, or -1."""
        found = np.full(len(self.moves), -1, np.int64)
        found[self.searched] = np.arange(len(self.searched))
        return found


def digest_of(games: Iterable[GameMoves]) -> str:
    """Return sixteen letters that identify the games, in any order."""
    return hashlib.sha256(b"".join(sorted(game.digest for game in games))).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Examples:
    """Positions in flat arrays; the points of position i are ``starts[i]:starts[i + 1]``."""

    ids: NDArray[np.uint16]
    """The number of each slot's value, by point."""
    keys: NDArray[np.uint32]
    """The keys of the shapes, by point; 0 for none."""
    starts: NDArray[np.int64]
    winners: NDArray[np.int64]
    """Index of the point that was played, or of the one with most visits, by position."""
    numbers: NDArray[np.int64]
    """Number of the move in its game, by position."""
    targets: NDArray[np.float32]
    """The probability to be learnt, by point: 1 for the point played, or its share of the visits."""

    def __len__(self) -> int:
        return len(self.winners)


class Harvester:
    """Replays games and collects examples, with working memory that is made once."""

    def __init__(self, game: str = "go") -> None:
        self.rules = game_named(game)
        self._states = np.empty(0)
        self._scratches = np.zeros(1, SCRATCH)

    def harvest(self, games: Sequence[GameMoves], taken: Sequence[NDArray[np.bool_]]) -> Examples:
        """Return the examples of the moves that are ``taken``. Moves without features, such as passes, are left out."""
        features = self.rules.features
        most = sum(int(take.sum()) for take in taken)
        points = sum(int(take.sum()) * self.rules.n_points(game.size) for game, take in zip(games, taken, strict=True))
        ids = np.empty((points, features.n_slots), np.uint16)
        keys = np.empty((points, features.n_keys), np.uint32)
        targets = np.empty(points, np.float32)
        starts, winners, numbers = (np.zeros(most + extra, np.int64) for extra in (1, 0, 0))
        n = 0
        for game, take in zip(games, taken, strict=True):
            self._begin(game)
            n = add_examples(
                self._states, self._scratches, game.moves, take,
                game.rows, game.shares, ids, keys, targets, starts, winners, numbers, n,
            )  # fmt: skip
        end = starts[n]
        return Examples(ids[:end], keys[:end], starts[: n + 1], winners[:n], numbers[:n], targets[:end])

    def _begin(self, game: GameMoves) -> None:
        """Make the position before the first move the first state."""
        setup = tuple((int(player) - 1, int(point)) for player, point in game.setup)
        start = self.rules.replay(GameRecord(game.game, game.size, self.rules.default_komi, setup=setup), 0).states
        if len(self._states):
            self._states[0] = start[0]
        else:
            self._states = start.repeat(3)

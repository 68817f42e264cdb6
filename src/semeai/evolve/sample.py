"""Sample of positions from self-play: which points a pattern matches, and which moves searches prefer."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semeai.games.catalog import new_position
from semeai.games.patterns.matching import add_moves
from semeai.games.position import Position
from semeai.patterns.matcher import PatternMatcher
from semeai.patterns.pattern import Pattern
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.rng import derive, generator
from semeai.work.spread import HERE, Spread, SpreadTask

A_GAME = 4
"""Positions that are drawn from a game."""
_WITHOUT_MEMORY = {"reuse_tree": False, "stop_early": False, "resign_below": 0.0, "memory_mb": 50}


@dataclass(frozen=True, eq=False)
class Sample:
    """Positions, and all sensible moves of these positions in one flat array of points."""

    positions: Sequence[Position]
    radius: int = 3
    """Largest radius of a pattern that can be matched."""
    spread: Spread = HERE
    """Where the searches run."""
    games: Sequence[int] = ()
    """The number of the game of each position; empty: each is from a game of its own."""

    @cached_property
    def _around(self) -> tuple[PatternMatcher, NDArray[np.int64], NDArray[np.int64]]:
        around, points, owner = PatternMatcher(self.radius), [], []
        for i, position in enumerate(self.positions):
            found = add_moves(around, position, position.sensible_moves().tolist())
            points += found
            owner += [i] * len(found)
        return around, np.array(points, np.int64), np.array(owner, np.int64)

    @property
    def n_points(self) -> int:
        return self._around[0].n_points

    @property
    def owner(self) -> NDArray[np.int64]:
        """The position of each point; they count from 0."""
        return self._around[2]

    def matches(self, pattern: Pattern, among: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return for each point whether the pattern matches it. Points outside ``among`` do not."""
        return self._around[0].matches(pattern, among)

    def by_position(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of ``values`` in each position; ``values`` has one value per point."""
        sums: NDArray[np.float64] = np.bincount(self.owner, values, minlength=len(self.positions)).astype(np.float64)
        return sums

    @cached_property
    def game_of(self) -> NDArray[np.int64]:
        """The number of the game of each position."""
        return np.array(self.games or range(len(self.positions)), np.int64)

    @property
    def half(self) -> NDArray[np.bool_]:
        """Whether each position is in the half that suggests: every other game. The other half confirms.

        Positions of one game are alike, so that they could not confirm each other.
        """
        found: NDArray[np.bool_] = self.game_of % 2 == 0
        return found

    def by_game(self, values: NDArray[np.float64], among: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the sum of ``values`` in each game. ``values`` has one value per position, and some are left out."""
        _, game = np.unique(self.game_of[among], return_inverse=True)
        sums: NDArray[np.float64] = np.bincount(game, values[among]).astype(np.float64)
        return sums

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each position how different two searches are: half the sum of the differences of their shares."""
        return self.by_position(np.abs(a - b)) / 2

    def shares(self, config: PlayerConfig, simulations: int, seed: int) -> NDArray[np.float64]:
        """Return for each point its share of the visits in a search of its position."""
        _, points, owner = self._around
        shares = np.zeros(len(points))
        size = math.ceil(len(self.positions) / self.spread.n_parts) or 1
        starts = range(0, len(self.positions), size)
        tasks = [_Searches(config, simulations, seed, i, tuple(self.positions[i : i + size])) for i in starts]
        found = itertools.chain.from_iterable(self.spread.run(tasks))
        ends = np.searchsorted(owner, np.arange(len(self.positions) + 1))
        for i, visits in enumerate(found):
            total = sum(visits.values()) or 1
            here = slice(ends[i], ends[i + 1])
            shares[here] = [visits.get(int(p), 0) / total for p in points[here]]
        return shares


@dataclass(frozen=True)
class _Searches(SpreadTask):
    """Searches of some positions of a sample, from number ``first`` on."""

    config: PlayerConfig
    simulations: int
    seed: int
    first: int
    positions: tuple[Position, ...]

    @property
    def label(self) -> str:
        return f"searches of the positions {self.first + 1} to {self.first + len(self.positions)}"

    def run(self) -> list[dict[int, int]]:
        """Return the visits by move, for each position."""
        player = MctsPlayer(self.config.with_changes({**_WITHOUT_MEMORY, "simulations": self.simulations}))
        found = []
        for i, position in enumerate(self.positions, self.first):
            player.start(position, derive(self.seed, "shares", i))
            player.think(self.simulations)
            found.append({line.move: line.visits for line in player.report()})
        return found


@dataclass(frozen=True)
class _Game(SpreadTask):
    """A self-play game, from which up to ``most`` positions are drawn."""

    config: PlayerConfig
    size: int
    seed: int
    number: int
    simulations: int
    random_moves: int
    most: int

    @property
    def label(self) -> str:
        return f"game {self.number + 1} of the sample"

    def run(self) -> list[Position]:
        player = MctsPlayer(self.config.with_changes({**_WITHOUT_MEMORY, "simulations": self.simulations}))
        draw = generator(self.seed, "sample", self.number)
        position = new_position(self.config.game, self.size)
        seen = _play(player, position, self.random_moves, draw, derive(self.seed, "game", self.number))
        chosen = sorted(draw.choice(len(seen), min(self.most, len(seen)), replace=False))
        return [seen[i] for i in chosen]


def sample_positions(
    config: PlayerConfig,
    size: int,
    n: int,
    seed: int,
    *,
    simulations: int = 50,
    random_moves: int = 4,
    a_game: int = A_GAME,
    radius: int = Sample.radius,
    spread: Spread = HERE,
) -> Sample:
    """Return ``n`` positions from quick self-play games that begin with a few random moves.

    Patterns up to ``radius`` can be matched in them.
    """
    found: list[Position] = []
    games: list[int] = []
    number = 0
    while len(found) < n:  # a game that was shorter than ``a_game`` makes another round necessary
        missing = n - len(found)
        tasks = [
            _Game(config, size, seed, number + i, simulations, random_moves, min(a_game, missing - a_game * i))
            for i in range(math.ceil(missing / a_game))
        ]
        for game, positions in enumerate(spread.run(tasks), number):
            found += positions
            games += [game] * len(positions)
        number += len(tasks)
    return Sample(found, radius, spread, games)


def _play(
    player: MctsPlayer, position: Position, random_moves: int, draw: np.random.Generator, seed: int
) -> list[Position]:
    """Play a game. Returns all its positions but the last."""
    seen: list[Position] = []
    player.start(position, seed)
    while not position.is_over and len(seen) < 3 * len(position.states[0]["color"]):
        seen.append(position.copy())
        if len(seen) <= random_moves:
            move = int(draw.choice(position.sensible_moves()))
        else:
            chosen = player.choose().move
            assert chosen is not None, "it never resigns"
            move = chosen
        position.play(move)
        player.observe(move)
    return seen

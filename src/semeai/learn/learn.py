"""Learn a database from games: harvest patterns, fit their strengths size by size, test them on held-out games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.games.go.database import Database
from semeai.games.go.kernels.neighbourhoods import DISTANCES
from semeai.games.record import GameRecord
from semeai.learn.accuracy import Accuracy, measure
from semeai.learn.bradley_terry import PRIOR, Model
from semeai.learn.competitions import Competitions
from semeai.learn.harvest import UNKNOWN, PatternTree, harvest
from semeai.rng import generator

MIN_SEEN = 10
HELD_OUT = 0.1
MAX_POSITIONS = 60_000

Say = Callable[[str], object]


@dataclass(frozen=True)
class Settings:
    """Settings of ``learn``."""

    min_seen: int = MIN_SEEN
    """Number of points at which a neighbourhood must be seen to become a pattern."""
    prior: float = PRIOR
    """Strength of the prior that pulls a pattern towards its parent: virtual wins and as many virtual losses."""
    held_out: float = HELD_OUT
    """Share of the games that are used only for testing."""
    max_positions: int = MAX_POSITIONS
    """Largest number of positions; if the games have more, whole games are left out at random."""
    skip: int = 0
    """Number of moves at the beginning of each game that are not learnt."""
    seed: int = 1
    distance: int = DISTANCES[-1]
    """Reach of the largest patterns."""

    @property
    def n_sizes(self) -> int:
        return sum(distance <= self.distance for distance in DISTANCES)


@dataclass(frozen=True)
class Learnt:
    """A database, and how well it predicts the held-out games, by largest pattern size."""

    database: Database
    n_games: int
    n_held_out: int
    n_moves: int
    """Number of moves learnt from."""
    uniform: Accuracy
    by_size: tuple[Accuracy, ...]
    """Accuracy with patterns up to each size."""


def learn(games: Sequence[GameRecord], settings: Settings, say: Say = lambda text: None) -> Learnt:
    """Learn a database. The same games and settings give the same database.

    Raises ConfigError if the games are too few.
    """
    training, held_out = split(games, settings)
    say(f"reading {len(training)} games to learn from and {len(held_out)} to test on")
    seen = Competitions.of_games(training, settings.skip)
    unseen = Competitions.of_games(held_out, settings.skip)
    if not len(seen) or not len(unseen):
        raise ConfigError(f"{len(games)} games have no moves to learn from or to test on")
    tree, leaves = harvest(seen, settings.min_seen, n_sizes=settings.n_sizes, say=say)
    if not len(tree):
        raise ConfigError(f"no neighbourhood was seen {settings.min_seen} times; give more games or a lower --min-seen")
    uniform, by_size, weights = _fit(tree, leaves, seen, unseen, settings, say)
    about = {
        "games": len(training),
        "moves": len(seen),
        "min_seen": settings.min_seen,
        "prior": settings.prior,
        "seed": settings.seed,
    }
    database = _database(tree, weights, {**about, "distances": list(DISTANCES[: settings.n_sizes])})
    return Learnt(database, len(training), len(held_out), len(seen), uniform, by_size)


def split(games: Sequence[GameRecord], settings: Settings) -> tuple[list[GameRecord], list[GameRecord]]:
    """Split the games at random into those to learn from and those held out, with up to ``max_positions`` moves."""
    if len(games) < 2:
        raise ConfigError(f"{len(games)} games: at least two are needed, one to learn from and one to test on")
    order = generator(settings.seed, "games").permutation(len(games))
    sizes = np.cumsum([len(games[i].moves) for i in order])
    order = order[: max(2, int(np.searchsorted(sizes, settings.max_positions, side="right")))]
    n = min(len(order) - 1, max(1, round(settings.held_out * len(order))))
    held_out = set(order[:n].tolist())
    kept = sorted(set(order.tolist()) - held_out)
    return [games[i] for i in kept], [games[i] for i in sorted(held_out)]


def _fit(
    tree: PatternTree,
    leaves: NDArray[np.int64],
    seen: Competitions,
    unseen: Competitions,
    settings: Settings,
    say: Say,
) -> tuple[Accuracy, tuple[Accuracy, ...], NDArray[np.float64]]:
    """Fit the smallest size, then add one size at a time, starting from the strengths fitted so far."""
    model, found = Model(tree, settings.prior), tree.find(unseen)
    uniform = measure(unseen, np.full_like(found, UNKNOWN), model.weights)
    rows = []
    for size in range(settings.n_sizes):
        within = tree.within(tree.sizes <= size)
        model.fit(within[leaves], seen.starts, seen.winners, size + 1)
        rows.append(measure(unseen, within[found], model.weights))
        say(f"fitted size {size + 1} of {settings.n_sizes}: {rows[-1].first:.1%} of the moves held out are predicted")
    return uniform, tuple(rows), model.weights


def _database(tree: PatternTree, weights: NDArray[np.float64], about: dict[str, Any]) -> Database:
    patterns = np.arange(1, len(tree.keys))  # without UNKNOWN
    order = patterns[np.argsort(tree.keys[1:])]
    sizes, found = tree.sizes[order].astype(np.uint8), weights[order].astype(np.float32)
    return Database(tree.keys[order], sizes, found, about)

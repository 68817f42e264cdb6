"""The parts that proposers share which look at searches of a sample, a deep one and a shallow one."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change
from semeai.evolve.context import Context, config_of
from semeai.evolve.proposers.base import Proposer
from semeai.evolve.proposers.random import Cells, RandomPatterns, RandomSource
from semeai.evolve.sample import Sample
from semeai.patterns.pattern import Pattern
from semeai.players.config import PlayerConfig
from semeai.rng import derive, generator

Matched = NDArray[np.bool_]
MOST_DEFAULT_SHALLOW = 400


@dataclass
class Searching(Proposer):
    """Draws a pool of patterns from ``source``, and asks what a deep search of the first player knows better."""

    source: RandomPatterns = field(default_factory=lambda: RandomPatterns(most_cells=4, shapes="both"))
    pool: int = 3000
    shallow: int = 50
    """Simulations of the shallow search."""
    deep: int = 2000
    seed: int = 1

    _deep: dict[Sample, NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False)
    _before: dict[tuple[Sample, str], NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False)

    def sample_of(self, context: Context) -> Sample:
        """Return the sample of positions. Raises ConfigError if there is none."""
        if context.sample is None:
            raise ConfigError(f"{self.name} proposals need a sample of positions")
        return context.sample

    def deep_shares(self, context: Context, sample: Sample) -> NDArray[np.float64]:
        """Return the shares of a deep search of the first player."""
        if sample not in self._deep:
            self._deep = {sample: sample.shares(context.first_config, self.deep, self.seed)}
        return self._deep[sample]

    def effect(self, change: Change, context: Context, sample: Sample, among: NDArray[np.bool_]) -> float:
        """Return the z-score of how much nearer to the deep search a change brings the shallow one.

        It is that of the mean over the games of some positions: how much smaller the distance of the two searches is.
        The shallow searches have a seed of their own: with its seed, the deep search would begin with the same
        simulations, and any change at all would seem to be worse.
        """
        deep, seed = self.deep_shares(context, sample), derive(self.seed, "effects")
        place = sample, context.config.identity()
        if place not in self._before:
            self._before = {place: sample.distances(deep, sample.shares(context.config, self.shallow, seed))}
        grown = config_of(change.apply(context.baseline, context.config), context.game)
        after = sample.distances(deep, sample.shares(grown, self.shallow, seed))
        return z_score(sample.by_game(self._before[place] - after, among))

    def drawn(self, context: Context, sample: Sample) -> Iterator[tuple[Pattern, Matched]]:
        """Yield the pool: different patterns that match often enough, and which moves each of them matches."""
        draw, seen = generator(self.seed, "pool"), set()
        for _ in range(self.pool):
            pattern = self.source.pattern(context.geometry, draw)
            if pattern.shape not in seen:
                seen.add(pattern.shape)
                matched = sample.matches(pattern)
                if matched.mean() >= self.source.least_share:
                    yield pattern, matched


def z_score(values: NDArray[np.float64]) -> float:
    """Return the mean divided by its standard error; 0 if all values are equal."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return float(values.mean()) / spread * math.sqrt(len(values)) if spread > 0 else 0.0


class SearchingSource(RandomSource):
    """Settings of a proposer that looks at searches."""

    least_sample = 1
    most_cells: Cells = 4
    pool: Annotated[int, Field(ge=1, le=10**6)] = 3000
    """Number of patterns that are scored."""
    shallow: Annotated[int, Field(ge=1)] | None = None
    """Simulations of the shallow search; default: the raced budget, up to 400."""
    deep: Annotated[int, Field(ge=1)] | None = None
    """Simulations of the deep search; default: ten times the shallow search."""

    def values(self, first: PlayerConfig, seed: int) -> dict[str, Any]:
        """Return the fields of the proposer for an evolution that begins with the player ``first``."""
        shallow = self.shallow or min(first.simulations or MOST_DEFAULT_SHALLOW, MOST_DEFAULT_SHALLOW)
        return {
            "source": self.patterns(), "pool": self.pool, "shallow": shallow, "deep": self.deep or 10 * shallow,
            "seed": seed,
        }  # fmt: skip

"""Propose patterns drawn at random, as in the papers; and the parts that all proposers of patterns share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change, PatternChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import MOST_TRIES, Proposer, Rng, Share, Source
from semeai.evolve.sample import Sample
from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import MAX_RADIUS, Cell, Pattern
from semeai.players.config import PlayerConfig

Shapes = Literal["good", "bad", "both"]
Radius = Annotated[int, Field(ge=1, le=MAX_RADIUS)]
Cells = Annotated[int, Field(ge=1, le=48)]
Bias = Annotated[float, Field(gt=0, le=100)]

CELL_SHARES: Mapping[Cell, float] = {
    Cell.BLACK: 0.3, Cell.WHITE: 0.3, Cell.EMPTY: 0.3, Cell.STONE: 0.05, Cell.OFF_BOARD: 0.05,
}  # fmt: skip
"""Relative frequencies of cells in random patterns; a feasibility study found that these often give good shapes."""


@dataclass(frozen=True)
class RandomPatterns(Proposer):
    """Draws patterns as in the papers: a few cells around the move, the rest jokers."""

    name: ClassVar[str] = "random"

    radius: int = 1
    least_cells: int = 2
    most_cells: int = 3
    shapes: Shapes = "good"
    biases: tuple[float, ...] = (1.0,)
    """Weights that a pattern may get."""
    least_share: float = 0.001
    """Patterns that match a smaller share of the sample's points are dropped: racing them would show nothing."""
    cells: Mapping[Cell, float] = field(default_factory=lambda: dict(CELL_SHARES))

    def draw(self, context: Context, rng: Rng) -> Change | None:
        for _ in range(MOST_TRIES):
            pattern = self.pattern(context.geometry, rng)
            if often_enough(pattern, context.sample, self.least_share):
                return PatternChange(pattern, self.name)
        return None

    def pattern(self, geometry: Geometry, rng: Rng) -> Pattern:
        around = geometry.around(self.radius)
        n = int(rng.integers(self.least_cells, self.most_cells + 1))
        offsets = [around[i] for i in rng.choice(len(around), min(n, len(around)), replace=False)]
        found = tuple((offset, random_cell(self.cells, rng)) for offset in offsets)
        sign = {"good": 1, "bad": -1, "both": int(rng.choice((1, -1)))}[self.shapes]
        bias = self.biases[int(rng.integers(len(self.biases)))] if len(self.biases) > 1 else self.biases[0]
        return Pattern(found, sign * bias, geometry).canonical()


def signs_of(shapes: Shapes) -> tuple[int, ...]:
    """Return the signs that the biases of these shapes have."""
    return {"good": (1,), "bad": (-1,), "both": (1, -1)}[shapes]


def random_cell(shares: Mapping[Cell, float], rng: Rng) -> Cell:
    weights = np.array(list(shares.values()))
    return list(shares)[int(rng.choice(len(weights), p=weights / weights.sum()))]


def often_enough(pattern: Pattern, sample: Sample | None, least_share: float) -> bool:
    """Return whether a pattern matches enough of the sample; always True without a sample."""
    return sample is None or float(sample.matches(pattern).mean()) >= least_share


class RandomSource(Source):
    """Random patterns, as in the papers."""

    needs_sample = True
    has_shapes = True

    kind: Literal["random"] = "random"
    radius: Radius = 1
    """Largest distance of a cell from the move."""
    least_cells: Cells = 2
    """Smallest number of cells that are not jokers."""
    most_cells: Cells = 3
    """Largest number of cells that are not jokers."""
    shapes: Shapes = "good"
    """good: moves to try more often; bad: moves to try less often; or both."""
    bias: Bias | tuple[Bias, ...] = 1.0
    """Weight of an accepted pattern, or several that are tried; bad shapes get minus this."""
    least_share: Share = 0.001
    """Patterns that match a smaller share of the sample's points are not raced."""

    @property
    def reach(self) -> int:
        return self.radius

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return self.patterns()

    @property
    def biases(self) -> tuple[float, ...]:
        return self.bias if isinstance(self.bias, tuple) else (self.bias,)

    def patterns(self) -> RandomPatterns:
        if not self.biases:
            raise ConfigError("bias: name at least one weight")
        if self.least_cells > self.most_cells:
            raise ConfigError(f"least_cells ({self.least_cells}) must not be more than most_cells ({self.most_cells})")
        return RandomPatterns(
            self.radius, self.least_cells, self.most_cells, self.shapes, self.biases, self.least_share
        )  # fmt: skip

"""Propose large shapes: the best of the guided pool, grown cell by cell.

The papers drew masks of many cells at random. Almost all of these match no move at all, so a large good shape is hardly
ever drawn. Here a small shape grows by the cell that makes its lift clearest, as long as the lift gets clearer on
positions that had no part in this choice.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.evolve.context import Context
from semeai.evolve.proposers.base import Proposer
from semeai.evolve.proposers.guided import Guided, GuidedSource, Scored
from semeai.evolve.proposers.random import Cells
from semeai.evolve.proposers.searching import Matched, z_score
from semeai.evolve.sample import A_GAME, Sample
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig

KINDS = (Cell.BLACK, Cell.WHITE, Cell.EMPTY, Cell.OFF_BOARD)


@dataclass
class Grown(Guided):
    """Proposes the best shapes of a pool after they have grown, at most to ``largest`` cells.

    Half of the positions choose each new cell, the other half confirms it.
    """

    parents: int = 30
    largest: int = 10
    name: ClassVar[str] = "grown"

    def _rank(self, context: Context, sample: Sample, gain: NDArray[np.float64]) -> list[Scored]:
        found: dict[str, Scored] = {}
        for parent in super()._rank(context, sample, gain)[: self.parents]:
            child = self._grow(parent, sample, gain)
            if child is not parent:
                found[child.pattern.shape] = child
        return sorted(found.values(), key=lambda scored: (-abs(scored.z), scored.pattern.shape))

    def _grow(self, scored: Scored, sample: Sample, gain: NDArray[np.float64]) -> Scored:
        """Return the shape with as many more cells as make its lift clearer; the same if there is none."""
        sign = math.copysign(1, scored.z)
        chooses = sample.half
        lifts = _lifts(scored.matched, sample, sign * gain)
        while len(scored.pattern.cells) < self.largest:
            children = [
                (z_score(_lifts(matched, sample, sign * gain)[chooses]), pattern, matched)
                for pattern, matched in self._children(scored, sample)
            ]
            if not children:
                break
            best, pattern, matched = max(children, key=lambda child: (child[0], child[1].shape))
            grown = _lifts(matched, sample, sign * gain)
            if best <= z_score(lifts[chooses]) or z_score(grown[~chooses]) <= z_score(lifts[~chooses]):
                break
            lifts, scored = grown, Scored(pattern, sign * z_score(grown), matched)
        return scored

    def _children(self, scored: Scored, sample: Sample) -> Iterator[tuple[Pattern, Matched]]:
        """Yield the shapes with one more cell that match fewer moves, but enough of them."""
        parent = scored.pattern
        taken = dict(parent.cells)
        seen = set()
        for offset, cell in itertools.product(parent.geometry.around(sample.radius), KINDS):
            if offset not in taken:
                pattern = Pattern((*parent.cells, (offset, cell)), parent.bias, parent.geometry).canonical()
                if pattern.shape not in seen:
                    seen.add(pattern.shape)
                    matched = sample.matches(pattern, scored.matched)
                    if self.source.least_share <= matched.mean() < scored.matched.mean():
                        yield pattern, matched


def _lifts(matched: Matched, sample: Sample, gain: NDArray[np.float64]) -> NDArray[np.float64]:
    return sample.by_position(np.where(matched, gain, 0.0))


class GrownSource(GuidedSource):
    """Shapes of the guided pool, grown cell by cell."""

    least_sample = 2 * A_GAME

    kind: Literal["grown"] = "grown"  # type: ignore[assignment]
    parents: Annotated[int, Field(ge=1, le=10_000)] = 30
    """Number of shapes of the pool, the best ones, that are grown."""
    largest: Cells = 10
    """Largest number of cells of a grown shape."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Grown(**self.values(first, seed), parents=self.parents, largest=self.largest)

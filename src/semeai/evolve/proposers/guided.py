"""Propose shapes of the moves that a deep search prefers more than a shallow one does.

The lift of a pattern is a sum over the moves that it matches: the move's share of the visits in a deep search minus its
share in a shallow search. The z-score over the positions of a sample says whether the lift may be chance. A good shape
with a high lift tells the shallow search early what it would find late.

A high lift does not say what the search does with the pattern. So the best patterns may be searched with, with each
weight that they may have: then they are ranked by how much nearer the visits of the shallow search come to those of
the deep one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.evolve.change import Change, PatternChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import Proposer, Rng, Share
from semeai.evolve.proposers.random import signs_of
from semeai.evolve.proposers.searching import Matched, Searching, SearchingSource, z_score
from semeai.evolve.sample import Sample
from semeai.patterns.pattern import Pattern
from semeai.players.config import PlayerConfig


class Scored(NamedTuple):
    """A pattern, the z-score of its lift or of its effect, and the points of the sample that it matches."""

    pattern: Pattern
    z: float
    matched: Matched


@dataclass
class Guided(Searching):
    """Proposes the best pattern of a pool that is not a near-duplicate of an earlier one.

    The ranking belongs to one baseline: after an acceptance the shallow search is repeated with the grown player, so
    that what it knows by now has no lift any more. The deep search is always the first player's.
    """

    least_z: float = 2.0
    searched: int = 0
    """Number of patterns, those with the clearest lift, that are searched with and ranked by their effect; 0: none."""
    most_overlap: float = 0.7
    """Two patterns that match the sets of moves A and B are near-duplicates if |A and B| / |A or B| is above this."""
    name: ClassVar[str] = "guided"

    _ranked: dict[tuple[Sample, str], list[Scored]] = field(default_factory=dict, init=False, repr=False)

    def draw(self, context: Context, rng: Rng) -> Change | None:
        sample = self.sample_of(context)
        before = {sign: [sample.matches(pattern) for pattern in _earlier(context, sample, sign)] for sign in (1, -1)}
        for scored in self.ranking(context, sample):
            change = PatternChange(scored.pattern, self.name)
            like_it = before[1 if scored.pattern.bias > 0 else -1]
            if context.is_new(change) and all(overlap(scored.matched, m) <= self.most_overlap for m in like_it):
                return change
        return None

    def ranking(self, context: Context, sample: Sample) -> list[Scored]:
        """Return the pool by z-score, the best first, for the present baseline."""
        place = sample, context.config.identity()
        if place not in self._ranked:
            deep = self.deep_shares(context, sample)
            ranked = self._rank(context, sample, deep - sample.shares(context.config, self.shallow, self.seed))
            if self.searched:
                effects = self._effects(ranked[: self.searched], context, sample)
                ranked = sorted(effects, key=lambda scored: (-scored.z, scored.pattern.text))
            self._ranked = {place: ranked}
        return self._ranked[place]

    def _effects(self, scored: list[Scored], context: Context, sample: Sample) -> Iterator[Scored]:
        """Yield each pattern, with each of its weights, with which searches come clearly nearer to the deep search."""
        every = np.ones(len(sample.positions), np.bool_)
        for one in scored:
            for bias in self.source.biases:
                pattern = Pattern(one.pattern.cells, math.copysign(bias, one.pattern.bias), one.pattern.geometry)
                z = self.effect(PatternChange(pattern), context, sample, every)
                if z >= self.least_z:
                    yield Scored(pattern, z, one.matched)

    def _rank(self, context: Context, sample: Sample, gain: NDArray[np.float64]) -> list[Scored]:
        found = []
        for pattern, matched in self.drawn(context, sample):
            z = z_score(sample.by_position(np.where(matched, gain, 0.0)))
            if abs(z) >= self.least_z:
                signed = Pattern(pattern.cells, math.copysign(pattern.bias, z), pattern.geometry)
                found.append(Scored(signed, z, matched))
        kept = [scored for scored in found if math.copysign(1, scored.z) in signs_of(self.source.shapes)]
        return sorted(kept, key=lambda scored: (-abs(scored.z), scored.pattern.shape))


def _earlier(context: Context, sample: Sample, sign: int) -> list[Pattern]:
    """Return earlier patterns of one sign and those of the baseline, up to the radius of the sample."""
    tried = [change.pattern for change in context.tried if isinstance(change, PatternChange)]
    alike = [pattern for pattern in tried if pattern.bias * sign > 0]
    return [pattern for pattern in [*alike, *context.patterns] if pattern.radius <= sample.radius]


def overlap(a: Matched, b: Matched) -> float:
    """Return the size of the intersection divided by the size of the union; 1 for two empty sets."""
    union = int((a | b).sum())
    return int((a & b).sum()) / union if union else 1.0


class GuidedSource(SearchingSource):
    """Shapes of the moves that a deep search prefers more than a shallow one does."""

    kind: Literal["guided"] = "guided"  # type: ignore[assignment]
    least_z: Annotated[float, Field(ge=0)] = 2.0
    """Smallest |z-score| of a pattern that is raced."""
    searched: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of patterns, the best of the pool, that are searched with and ranked by what they change; 0: none."""
    most_overlap: Share = 0.7
    """Patterns whose matched moves overlap more than this are near-duplicates; only one of them is raced."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Guided(**self.values(first, seed))

    def values(self, first: PlayerConfig, seed: int) -> dict[str, Any]:
        own = {"least_z": self.least_z, "searched": self.searched, "most_overlap": self.most_overlap}
        return {**super().values(first, seed), **own}

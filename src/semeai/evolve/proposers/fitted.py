"""Propose sets of patterns whose weights were fitted together.

One pattern changes a strong player little. Many together may be worth much more, if their weights belong together: two
shapes that match the same moves must not count twice. So the patterns of a pool that say most about a deep search,
beyond what a shallow one knows, are chosen and weighed by a conditional logit (``evolve.fitting``).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change, PatternSetChange
from semeai.evolve.context import Context, config_of
from semeai.evolve.fitting import Choices, Pool, Weighted, choose
from semeai.evolve.proposers.base import Proposer, Rng
from semeai.evolve.proposers.random import Bias, signs_of
from semeai.evolve.proposers.searching import Searching, SearchingSource
from semeai.evolve.sample import A_GAME, Sample
from semeai.patterns.pattern import MAX_BIAS, Pattern
from semeai.players.config import PlayerConfig
from semeai.rng import derive

Size = Annotated[int, Field(ge=1, le=200)]
DIGITS = 3
"""Significant digits of a bias: more would say nothing, and make long texts."""


class PatternSet(NamedTuple):
    """Patterns with their biases, and the z-score of how much nearer searches with them come to the deep search."""

    patterns: tuple[Pattern, ...]
    z: float


@dataclass
class Fitted(Searching):
    """Proposes sets of fitted patterns of several sizes and strengths, the best first.

    Half of the games choose and weigh the patterns. Shallow searches of the other half say which sets are best.
    The ranking belongs to one baseline, as that of ``Guided``.
    """

    sizes: tuple[int, ...] = (2, 5, 10, 20, 40)
    ridge: float = 4.0
    name: ClassVar[str] = "fitted"

    _ranked: dict[tuple[Sample, str], list[PatternSet]] = field(default_factory=dict, init=False, repr=False)

    def draw(self, context: Context, rng: Rng) -> Change | None:
        changes = (PatternSetChange(found.patterns, self.name) for found in self.ranking(context))
        return next((change for change in changes if context.is_new(change)), None)

    def ranking(self, context: Context) -> list[PatternSet]:
        """Return the sets by z-score, the best first, for the present baseline."""
        sample = self.sample_of(context)
        place = sample, context.config.identity()
        if place not in self._ranked:
            self._ranked = {place: sorted(self._sets(context, sample), key=lambda found: -found.z)}
        return self._ranked[place]

    def _sets(self, context: Context, sample: Sample) -> Iterator[PatternSet]:
        """Yield a set of each size, with the strength that does most for the search."""
        patterns, fits = self._fits(context, sample)
        for found in fits:
            sets = []
            for strength in self.source.biases:
                chosen = tuple(self._with_biases(patterns, found, strength))
                change = PatternSetChange(chosen)
                if chosen and can_be_played(change, context):
                    sets.append(PatternSet(chosen, self.effect(change, context, sample, ~sample.half)))
            if sets:
                yield max(sets, key=lambda one: one.z)

    def _fits(self, context: Context, sample: Sample) -> tuple[list[Pattern], list[Weighted]]:
        """Return the pool, and the chosen patterns and their weights for each size; or the most that say something."""
        among = sample.half[sample.owner]
        place = np.cumsum(among) - 1
        patterns, matched = [], []
        for pattern, matches in self.drawn(context, sample):
            if pattern.shape not in context.shapes:
                patterns.append(pattern)
                matched.append(place[matches & among].astype(np.int32))
        shallow = sample.shares(context.config, self.shallow, derive(self.seed, "known"))
        known = np.log(shallow[among] + 1 / self.shallow)  # every move counts as if it had one visit more
        owner = np.unique(sample.owner[among], return_inverse=True)[1]
        choices = Choices(owner, self.deep_shares(context, sample)[among], known)
        signs = signs_of(self.source.shapes)
        found = list(choose(Pool.of(matched), choices, max(self.sizes), self.ridge, signs))
        return patterns, [one for one in found if len(one.chosen) in self.sizes or one is found[-1]]

    def _with_biases(self, patterns: list[Pattern], found: Weighted, strength: float) -> Iterator[Pattern]:
        """Yield the chosen patterns, with ``strength`` times their weights as biases.

        A weight may round to 0, or have a sign that is not wanted beside the others: such a pattern is left out.
        """
        for place, weight in zip(found.chosen, found.weights, strict=True):
            bias = float(f"{np.clip(strength * weight, -MAX_BIAS, MAX_BIAS):.{DIGITS}g}")
            if bias != 0 and math.copysign(1, bias) in signs_of(self.source.shapes):
                yield Pattern(patterns[place].cells, bias, patterns[place].geometry)


def can_be_played(change: Change, context: Context) -> bool:
    """Return whether the patterns of the changed player fit into the tables of the kernels."""
    try:
        config_of(change.apply(context.baseline, context.config), context.game).policy.to_record()
    except ConfigError:
        return False
    return True


class FittedSource(SearchingSource):
    """Sets of patterns whose weights were fitted together."""

    least_sample = 2 * A_GAME

    kind: Literal["fitted"] = "fitted"  # type: ignore[assignment]
    sizes: Annotated[tuple[Size, ...], Field(min_length=1)] = (2, 5, 10, 20, 40)
    """Numbers of patterns in a set."""
    bias: Bias | tuple[Bias, ...] = (0.25, 0.5, 1.0)
    """A pattern's bias is its fitted weight times this; several are tried."""
    ridge: Annotated[float, Field(ge=0.01, le=1e6)] = 4.0
    """How strongly weights are held near 0: a pattern needs many positions to get a large weight."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Fitted(**self.values(first, seed), sizes=self.sizes, ridge=self.ridge)

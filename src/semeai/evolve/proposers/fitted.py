"""Propose sets of patterns whose weights were fitted together.

One pattern changes a strong player little. Many together may be worth much more, if their weights belong together: two
shapes that match the same moves must not count twice. So the patterns of a pool that say most about a deep search,
beyond what a shallow one knows, are chosen and weighed by a conditional logit (``evolve.fitting``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.evolve.change import Change, PatternSetChange
from semeai.evolve.context import Context, config_of
from semeai.evolve.fitting import Choices, Weighted, choose
from semeai.evolve.proposers.base import Positive, Proposer, Rng
from semeai.evolve.proposers.guided import z_score
from semeai.evolve.proposers.random import Bias, signs_of
from semeai.evolve.proposers.searching import Searching, SearchingSource
from semeai.evolve.sample import Sample
from semeai.patterns.pattern import MAX_BIAS, Pattern
from semeai.players.config import PlayerConfig
from semeai.rng import derive

Size = Annotated[int, Field(ge=1, le=1000)]
DIGITS = 3
"""Significant digits of a bias: more would say nothing, and make long texts."""


class PatternSet(NamedTuple):
    """Patterns with their biases, and the z-score of how much nearer searches with them come to the deep search."""

    patterns: tuple[Pattern, ...]
    z: float


@dataclass
class Fitted(Searching):
    """Proposes sets of fitted patterns of several sizes and strengths, the best first.

    Half of the positions choose and weigh the patterns. Shallow searches of the other half say which sets are best.
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
        pool = [(p, matched) for p, matched in self.drawn(context, sample) if p.shape not in context.shapes]
        if not pool:
            return
        patterns = [pattern for pattern, _ in pool]
        fits = sample.half(self.seed)
        deep, seed = self.deep_shares(context, sample), derive(self.seed, "effects")
        before = sample.distances(deep, sample.shares(context.config, self.shallow, seed))[~fits]
        for found in self._fitted(context, sample, fits, np.array([matched for _, matched in pool])):
            for strength in self.source.biases:
                chosen = tuple(_with_biases(patterns, found, strength))
                if chosen:
                    grown = config_of(PatternSetChange(chosen).apply(context.baseline, context.config), context.game)
                    after = sample.distances(deep, sample.shares(grown, self.shallow, seed))[~fits]
                    yield PatternSet(chosen, z_score(before - after))

    def _fitted(
        self, context: Context, sample: Sample, fits: NDArray[np.bool_], matched: NDArray[np.bool_]
    ) -> Iterator[Weighted]:
        """Yield the chosen patterns and their weights, for each size of a set."""
        deep, shallow = self.deep_shares(context, sample), sample.shares(context.config, self.shallow, self.seed)
        among = fits[sample.owner]
        known = np.log(shallow[among] + 1 / self.shallow)  # a move without visits counts as if it had one
        owner = np.unique(sample.owner[among], return_inverse=True)[1]
        signs = signs_of(self.source.shapes)
        choices = Choices(owner, deep[among], known)
        for found in choose(matched[:, among], choices, max(self.sizes), self.ridge, signs):
            if len(found.chosen) in self.sizes:
                yield found


def _with_biases(patterns: list[Pattern], found: Weighted, strength: float) -> Iterator[Pattern]:
    """Yield the chosen patterns, with ``strength`` times their weights as biases; without those that round to 0."""
    for place, weight in zip(found.chosen, found.weights, strict=True):
        bias = float(f"{np.clip(strength * weight, -MAX_BIAS, MAX_BIAS):.{DIGITS}g}")
        if bias != 0:
            yield Pattern(patterns[place].cells, bias, patterns[place].geometry)


class FittedSource(SearchingSource):
    """Sets of patterns whose weights were fitted together."""

    kind: Literal["fitted"] = "fitted"  # type: ignore[assignment]
    sizes: Annotated[tuple[Size, ...], Field(min_length=1)] = (2, 5, 10, 20, 40)
    """Numbers of patterns in a set."""
    bias: Bias | tuple[Bias, ...] = (0.25, 0.5, 1.0)
    """A pattern's bias is its fitted weight times this; several are tried."""
    ridge: Positive = 4.0
    """How strongly weights are held near 0: a pattern needs many positions to get a large weight."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Fitted(**self.values(first, seed), sizes=self.sizes, ridge=self.ridge)

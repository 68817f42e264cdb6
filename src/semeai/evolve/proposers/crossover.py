"""Propose mixtures of two accepted patterns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from semeai.evolve.change import Change, PatternChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import MOST_TRIES, Proposer, Rng, Share, Source
from semeai.evolve.proposers.random import often_enough
from semeai.patterns.geometry import Offset
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig


@dataclass(frozen=True)
class Crossover(Proposer):
    """Takes each cell from one of two accepted patterns, the second turned at random."""

    name: ClassVar[str] = "crossover"

    least_share: float = 0.001

    def draw(self, context: Context, rng: Rng) -> Change | None:
        parents = context.accepted_patterns
        if len(parents) < 2:
            return None
        for _ in range(MOST_TRIES):
            first, second = (parents[i] for i in rng.choice(len(parents), 2, replace=False))
            turned = second.turned(int(rng.integers(len(second.geometry.symmetries))))
            cells = _mixed(dict(first.cells), dict(turned.cells), rng)
            if cells:
                child = Pattern(tuple(cells.items()), first.bias, first.geometry).canonical()
                if often_enough(child, context.sample, self.least_share):
                    return PatternChange(child, self.name)
        return None


def _mixed(a: dict[Offset, Cell], b: dict[Offset, Cell], rng: Rng) -> dict[Offset, Cell]:
    """Return a mixture that takes each cell from one of the parents; the cell may be a joker there."""
    mixed: dict[Offset, Cell] = {}
    for offset in sorted(a.keys() | b.keys()):
        cell = (a if rng.random() < 0.5 else b).get(offset, Cell.ANY)
        if cell != Cell.ANY:
            mixed[offset] = cell
    return mixed


class CrossoverSource(Source):
    """Mixtures of two accepted patterns."""

    needs_sample = True

    kind: Literal["crossover"] = "crossover"
    least_share: Share = 0.001

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Crossover(self.least_share)

"""Propose accepted patterns with one cell changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from semeai.evolve.change import Change, PatternChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import MOST_TRIES, Proposer, Rng, Share, Source
from semeai.evolve.proposers.random import CELL_SHARES, Radius, often_enough, random_cell
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig


@dataclass(frozen=True)
class Mutation(Proposer):
    """Adds, drops, moves or changes one cell of an accepted pattern."""

    name: ClassVar[str] = "mutate"

    radius: int = 2
    least_share: float = 0.001
    cells: Mapping[Cell, float] = field(default_factory=lambda: dict(CELL_SHARES))

    def draw(self, context: Context, rng: Rng) -> Change | None:
        parents = context.accepted_patterns
        if not parents:
            return None
        for _ in range(MOST_TRIES):
            child = self.mutated(parents[int(rng.integers(len(parents)))], rng)
            if often_enough(child, context.sample, self.least_share):
                return PatternChange(child, self.name)
        return None

    def mutated(self, parent: Pattern, rng: Rng) -> Pattern:
        cells = dict(parent.cells)
        offsets = list(cells)
        chosen = offsets[int(rng.integers(len(offsets)))]
        free = [o for o in parent.geometry.around(max(self.radius, parent.radius)) if o not in cells]
        kind = (
            rng.choice(["add", "drop", "move", "change"]) if len(cells) > 1 else rng.choice(["add", "move", "change"])
        )
        if kind in ("add", "move") and free:
            cell = random_cell(self.cells, rng) if kind == "add" else cells.pop(chosen)
            cells[free[int(rng.integers(len(free)))]] = cell
        elif kind == "drop":
            del cells[chosen]
        else:
            cells[chosen] = random_cell(self.cells, rng)
        return Pattern(tuple(cells.items()), parent.bias, parent.geometry).canonical()


class MutateSource(Source):
    """Accepted patterns with one cell changed."""

    needs_sample = True

    kind: Literal["mutate"] = "mutate"
    radius: Radius = 2
    least_share: Share = 0.001

    @property
    def reach(self) -> int:
        return self.radius

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        return Mutation(self.radius, self.least_share)

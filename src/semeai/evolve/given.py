"""Patterns that somebody has in mind: proposed in a random order, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from semeai.evolve.change import Change, PatternChange
from semeai.evolve.proposers import Context, Proposer, Rng
from semeai.patterns.pattern import Pattern


@dataclass(frozen=True)
class Given(Proposer):
    patterns: Sequence[str]
    name: ClassVar[str] = "given"

    def draw(self, context: Context, rng: Rng) -> Change | None:
        changes = [PatternChange(Pattern.parse(text, context.geometry), self.name) for text in self.patterns]
        new = [change for change in changes if context.is_new(change)]
        return new[int(rng.integers(len(new)))] if new else None

"""Propose the patterns of a given list, each once, in random order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from semeai.evolve.change import Change, PatternChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import Proposer, Rng, Source
from semeai.patterns.pattern import Pattern
from semeai.players.config import PlayerConfig
from semeai.players.pattern_files import geometry_of


@dataclass(frozen=True)
class FixedPatterns(Proposer):
    patterns: Sequence[str]
    name: ClassVar[str] = "given"

    def draw(self, context: Context, rng: Rng) -> Change | None:
        changes = [PatternChange(Pattern.parse(text, context.geometry), self.name) for text in self.patterns]
        new = [change for change in changes if context.is_new(change)]
        return new[int(rng.integers(len(new)))] if new else None


class GivenSource(Source):
    """Patterns of a given list."""

    kind: Literal["given"] = "given"
    patterns: Annotated[tuple[str, ...], Field(min_length=1)]
    """The patterns, one line per pattern, such as `+1 XOX/.*?`."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        for text in self.patterns:
            Pattern.parse(text, geometry_of(first.game))
        return FixedPatterns(self.patterns)

"""The settings of patterns in a player's configuration, for every game that has patterns."""

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from semeai.models import Model
from semeai.patterns.geometry import SQUARE, Geometry
from semeai.patterns.pattern import Pattern
from semeai.patterns.texts import canonical_texts, pattern_of


class PatternPolicy(Model):
    """The base of a game's policy whose nodes look at patterns."""

    geometry: ClassVar[Geometry] = SQUARE

    patterns: tuple[str, ...] = ()
    """Shapes with their bias, such as ``+1 XOX/.*?``; kept in canonical form. ``patterns=FILE`` reads them from a
    file."""
    pattern_visits: Annotated[float, Field(ge=0, le=1e6)] = 10.0
    """Virtual visits that a bias of 1 puts into the RAVE statistics, all won; a bias of -1 puts lost ones there."""
    pattern_heuristic: Annotated[float, Field(ge=0, le=1e6)] = 0.2
    """What a bias of 1 adds to H, for choices without RAVE, progressive bias and progressive widening."""

    @field_validator("patterns")
    @classmethod
    def _in_canonical_form(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return canonical_texts(texts, cls.geometry)

    def parsed_patterns(self) -> list[Pattern]:
        """Return the patterns of the setting ``patterns``."""
        return [pattern_of(text, self.geometry) for text in self.patterns]

"""Patterns in a player's settings: canonical texts in a fixed order. So equal patterns give equal identities."""

from collections.abc import Iterable
from functools import lru_cache

from semeai.errors import ConfigError
from semeai.patterns.file import check_distinct_shapes
from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern


@lru_cache(maxsize=8192)
def pattern_of(text: str, geometry: Geometry) -> Pattern:
    """Return the canonical pattern of a text. It is cached, because a race makes its players again for each game."""
    return Pattern.parse(text, geometry).canonical()


def canonical_texts(texts: Iterable[str], geometry: Geometry) -> tuple[str, ...]:
    """Return the patterns in canonical form and order. Raises ConfigError for a bad text or a shape given twice."""
    patterns = [pattern_of(text, geometry) for text in texts]
    check_distinct_shapes(patterns)
    return tuple(sorted(pattern.text for pattern in patterns))


def texts_of(patterns: Iterable[Pattern], geometry: Geometry, place: str) -> tuple[str, ...]:
    """Return the canonical texts of patterns read from ``place``, for a game on ``geometry``."""
    found = list(patterns)
    for pattern in found:
        if pattern.geometry != geometry:
            raise ConfigError(f"{place}: the patterns are {pattern.geometry.name}, but the board is {geometry.name}")
    return canonical_texts((pattern.text for pattern in found), geometry)

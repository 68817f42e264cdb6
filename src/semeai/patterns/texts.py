"""Patterns in a player's settings: canonical texts in a fixed order, so that its identity depends on what they say."""

from collections.abc import Iterable
from functools import lru_cache

from semeai.errors import ConfigError
from semeai.patterns.file import check_distinct_shapes
from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern


@lru_cache(maxsize=8192)
def pattern_of(text: str, geometry: Geometry) -> Pattern:
    """The canonical pattern of a text; players are made again for each game of a race, so it is remembered."""
    return Pattern.parse(text, geometry).canonical()


def canonical_texts(texts: Iterable[str], geometry: Geometry) -> tuple[str, ...]:
    """The same patterns as every equal set of them is written; ConfigError for a bad text or a shape given twice."""
    patterns = [pattern_of(text, geometry) for text in texts]
    check_distinct_shapes(patterns)
    return tuple(sorted(pattern.text for pattern in patterns))


def texts_of(patterns: Iterable[Pattern], geometry: Geometry, place: str) -> tuple[str, ...]:
    """Canonical texts of patterns that were read at ``place``, for a game on ``geometry``."""
    found = list(patterns)
    for pattern in found:
        if pattern.geometry != geometry:
            raise ConfigError(f"{place}: its patterns are {pattern.geometry.name}, and the board is {geometry.name}")
    return canonical_texts((pattern.text for pattern in found), geometry)

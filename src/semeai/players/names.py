"""The names of settings that lie in tables of settings."""

from collections.abc import Iterator, Mapping
from typing import Any


def flat_settings(table: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """``search = {exploration = 1}`` as ``search.exploration``."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat_settings(value, f"{place}{key}.")
        else:
            yield f"{place}{key}", value

"""Configurations of runs: their hash, and the differences between two of them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

RACE = "race"
"""The kind of run of a race."""


def hash_config(config: Mapping[str, Any]) -> str:
    """Return the hash that identifies the configuration of a run."""
    return hashlib.sha256(json.dumps(config, sort_keys=True, allow_nan=False).encode()).hexdigest()


def describe_changes(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield the differences between two configurations, one phrase per place."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from describe_changes(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
    elif isinstance(old, list) and isinstance(new, list):
        for i in range(max(len(old), len(new))):
            before, after = (side[i] if i < len(side) else None for side in (old, new))
            yield from describe_changes(before, after, f"{place}[{i}]")
    elif old != new:
        yield f"{place} was {old!r}, is {new!r}"

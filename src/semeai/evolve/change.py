"""Changes of a player as data: one more pattern, or another value of a setting."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern
from semeai.patterns.texts import canonical_texts
from semeai.players.config import PlayerConfig
from semeai.registry import Registry

Params = Mapping[str, Any]
"""A player's table, as ``players.catalog`` reads it."""
PATTERNS = "policy.patterns"


class Change(ABC):
    """A change of a player. Changes with equal keys are the same change, and only one of them is ever raced."""

    proposer: str

    @property
    @abstractmethod
    def key(self) -> str: ...

    @abstractmethod
    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        """Return the table ``params`` with the change made; ``config`` is the same player, parsed."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return the change as JSON data that ``from_data`` of its class reads."""

    @classmethod
    @abstractmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "Change":
        """Return the change that ``to_data`` has written, for a board of that geometry."""


CHANGES: Registry[type[Change]] = Registry("kind of change", "semeai.changes")


def change_to_data(change: Change) -> dict[str, Any]:
    """Return a change of any registered kind as JSON data."""
    kind = next(name for name, known in CHANGES.items() if known is type(change))
    return {"kind": kind, "proposer": change.proposer, **change.to_data()}


def change_from_data(data: Mapping[str, Any], geometry: Geometry) -> Change:
    """Return the change that ``change_to_data`` has written."""
    return CHANGES[data["kind"]].from_data(data, geometry, data["proposer"])


@CHANGES.register("pattern")
@dataclass(frozen=True)
class PatternChange(Change):
    """Add a pattern to the player."""

    pattern: Pattern
    proposer: str = field(default="given", compare=False)

    @property
    def key(self) -> str:
        return f"pattern {self.pattern.digest}"

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        texts = canonical_texts([*config.policy.patterns, self.pattern.text], self.pattern.geometry)
        return {**params, PATTERNS: list(texts)}

    def to_data(self) -> dict[str, Any]:
        return {"pattern": str(self)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "PatternChange":
        return cls(Pattern.parse(data["pattern"], geometry), proposer)

    def __str__(self) -> str:
        return self.pattern.canonical().text


@CHANGES.register("number")
@dataclass(frozen=True)
class NumberChange(Change):
    """Change the value of one setting."""

    setting: str
    value: float
    proposer: str = field(default="given", compare=False)

    @property
    def key(self) -> str:
        return f"number {self.setting}={self.value!r}"

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        return {**params, self.setting: self.value}

    def to_data(self) -> dict[str, Any]:
        return {"setting": self.setting, "value": self.value}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "NumberChange":
        return cls(data["setting"], data["value"], proposer)

    def __str__(self) -> str:
        return f"{self.setting}={self.value!r}"

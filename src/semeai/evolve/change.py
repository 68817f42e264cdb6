"""Changes of a player as data: one or more new patterns, or other values of settings."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns that it adds."""
        return ()

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

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        return (self.pattern,)

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        return _with_patterns(params, config, self.patterns)

    def to_data(self) -> dict[str, Any]:
        return {"pattern": str(self)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "PatternChange":
        return cls(Pattern.parse(data["pattern"], geometry), proposer)

    def __str__(self) -> str:
        return self.pattern.canonical().text


@CHANGES.register("patterns")
@dataclass(frozen=True)
class PatternSetChange(Change):
    """Add several patterns to the player at once, with weights that belong together."""

    added: tuple[Pattern, ...]
    proposer: str = field(default="given", compare=False)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        return self.added

    @property
    def key(self) -> str:
        return "patterns " + " ".join(sorted(pattern.digest for pattern in self.added))

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        return _with_patterns(params, config, self.added)

    def to_data(self) -> dict[str, Any]:
        return {"patterns": [pattern.canonical().text for pattern in self.added]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "PatternSetChange":
        return cls(tuple(Pattern.parse(text, geometry) for text in data["patterns"]), proposer)

    def __str__(self) -> str:
        texts = [pattern.canonical().text for pattern in self.added]
        return texts[0] if len(texts) == 1 else f"{len(texts)} patterns: {texts[0]}, …"


def _with_patterns(params: Params, config: PlayerConfig, patterns: Sequence[Pattern]) -> dict[str, Any]:
    texts = (*config.policy.patterns, *(pattern.text for pattern in patterns))
    return {**params, PATTERNS: list(canonical_texts(texts, patterns[0].geometry))}


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


@CHANGES.register("settings")
@dataclass(frozen=True)
class SettingsChange(Change):
    """Change the values of several settings at once."""

    settings: tuple[tuple[str, Any], ...]
    proposer: str = field(default="given", compare=False)
    words: str = field(default="", compare=False)
    """A short name for people, if there is one."""

    @property
    def key(self) -> str:
        return f"settings {self._all()}"

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        return {**params, **dict(self.settings)}

    def to_data(self) -> dict[str, Any]:
        return {"settings": dict(self.settings), "words": self.words}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], geometry: Geometry, proposer: str) -> "SettingsChange":
        return cls(tuple(data["settings"].items()), proposer, data["words"])

    def __str__(self) -> str:
        return self.words or self._all()

    def _all(self) -> str:
        return ",".join(f"{name}={value}" for name, value in sorted(self.settings))

"""What is proposed: a change of a player as data, a pattern more or another number."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern
from semeai.patterns.texts import canonical_texts
from semeai.players.config import PlayerConfig
from semeai.race.candidate import Candidate

Params = Mapping[str, Any]
"""A player's table, as ``players.catalog`` reads it."""
PATTERNS = "policy.patterns"


class Change(ABC):
    """Frozen; two changes of one key are the same change, and only one of them is ever raced."""

    proposer: str

    @property
    @abstractmethod
    def key(self) -> str: ...

    @abstractmethod
    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        """The table ``params``, which is the player ``config``, with the change made."""

    def as_candidate(self, number: int, params: Params, config: PlayerConfig) -> Candidate:
        """For a race against the player of ``params``; the number makes the name its own."""
        return Candidate(f"{number} {self.proposer}: {self}", self.apply(params, config))


@dataclass(frozen=True)
class PatternChange(Change):
    """One more pattern."""

    pattern: Pattern
    proposer: str = field(default="given", compare=False)

    @property
    def key(self) -> str:
        return f"pattern {self.pattern.digest}"

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        texts = canonical_texts([*config.policy.patterns, self.pattern.text], self.pattern.geometry)
        return {**params, PATTERNS: list(texts)}

    def __str__(self) -> str:
        return self.pattern.canonical().text


@dataclass(frozen=True)
class NumberChange(Change):
    """Another value of one setting."""

    setting: str
    value: float
    proposer: str = field(default="given", compare=False)

    @property
    def key(self) -> str:
        return f"number {self.setting}={self.value!r}"

    def apply(self, params: Params, config: PlayerConfig) -> dict[str, Any]:
        return {**params, self.setting: self.value}

    def __str__(self) -> str:
        return f"{self.setting}={self.value!r}"


def change_of(candidate: Candidate, geometry: Geometry) -> Change:
    """The change that ``as_candidate`` made this candidate of: what a ledger knows of a proposal is enough."""
    head, _, text = candidate.name.partition(": ")
    proposer = head.split(" ")[-1]
    setting, is_number, value = text.partition("=")
    if is_number:
        return NumberChange(setting, json.loads(value), proposer)
    return PatternChange(Pattern.parse(text, geometry), proposer)

"""What is raced, and what can become of it."""

import enum
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import ConfigError


class Verdict(enum.StrEnum):
    UNDECIDED = "undecided"  # still racing, or the race ended before its verdict
    ACCEPTED = "accepted"  # better than accept_above, at the risk of the race
    DISCARDED = "discarded"  # worse than discard_below, at the risk of the race
    EXHAUSTED = "exhausted"  # its own limit of evaluations ended without evidence either way
    FAILED = "failed"  # its program does not run


@dataclass(frozen=True)
class Candidate:
    """A change of the program, as data: a name and the parameters that its evaluator understands."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Canonical text: the same candidate always gives the same."""
        return json.dumps({"name": self.name, "params": dict(self.params)}, sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Candidate":
        return cls(**json.loads(text))

    @property
    def digest(self) -> str:
        """Hash of the parameters alone: equal for two names of one change."""
        text = json.dumps(dict(self.params), sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def check_distinct(candidates: Iterable[Candidate]) -> None:
    """Refuse two candidates of one name: verdicts could not be told apart."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.name in seen:
            raise ConfigError(f"two candidates are named {candidate.name!r}")
        seen.add(candidate.name)

"""Candidates of a race and the possible verdicts on them."""

import enum
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.errors import ConfigError


class Verdict(enum.StrEnum):
    """The state of a candidate in a race."""

    UNDECIDED = "undecided"  # still racing, or the race ended before a verdict
    ACCEPTED = "accepted"  # better than accept_above, at the risk of the race
    DISCARDED = "discarded"  # worse than discard_below, at the risk of the race
    EXHAUSTED = "exhausted"  # it used up its limit of evaluations without enough evidence
    FAILED = "failed"  # its program does not run
    REOPENED = "reopened"  # only in the list of decisions: its failure was taken back, and it races on


@dataclass(frozen=True)
class Candidate:
    """A changed version of the program: a name and the parameters that its evaluator understands."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the canonical JSON text; equal candidates have equal texts."""
        return json.dumps({"name": self.name, "params": dict(self.params)}, sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Candidate":
        return cls(**json.loads(text))

    @property
    def digest(self) -> str:
        """Hash of the parameters without the name: equal for the same change under two names."""
        text = json.dumps(dict(self.params), sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def check_distinct(candidates: Iterable[Candidate]) -> None:
    """Raise ConfigError if two candidates have the same name: their verdicts could not be told apart."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.name in seen:
            raise ConfigError(f"two candidates are named {candidate.name!r}")
        seen.add(candidate.name)

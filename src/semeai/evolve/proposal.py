"""A proposed change: its name as a candidate, and its row in the ledger."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semeai.evolve.change import Change, NumberChange, PatternChange, change_from_data, change_to_data
from semeai.evolve.context import Context
from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern
from semeai.race.candidate import Candidate


@dataclass(frozen=True)
class Proposal:
    """A change and the name of its candidate."""

    number: int
    """Position among the proposals of the step, from 1; makes the name unique."""
    change: Change

    @property
    def name(self) -> str:
        return f"{self.number} {self.change.proposer}: {self.change}"

    def candidate(self, context: Context) -> Candidate:
        """Return the candidate for a race against the baseline of ``context``."""
        return Candidate(self.name, self.change.apply(context.baseline, context.config))

    def row(self, step: int) -> dict[str, Any]:
        """Return its row in the ledger."""
        return {"step": step, "number": self.number, "change": json.dumps(change_to_data(self.change))}

    @classmethod
    def from_row(cls, row: Mapping[str, Any], geometry: Geometry) -> "Proposal":
        return cls(row["number"], change_from_data(json.loads(row["change"]), geometry))

    @classmethod
    def from_name(cls, name: str, geometry: Geometry) -> "Proposal":
        """Return the proposal with this name. Ledgers of semeai 0.1 kept only the names of candidates."""
        head, _, text = name.partition(": ")
        number, proposer = head.split(" ")
        setting, is_number, value = text.partition("=")
        if is_number:
            return cls(int(number), NumberChange(setting, json.loads(value), proposer))
        return cls(int(number), PatternChange(Pattern.parse(text, geometry), proposer))

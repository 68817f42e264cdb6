"""Propose other values of a player's numeric settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change, NumberChange
from semeai.evolve.context import Context, value_of
from semeai.evolve.proposers.base import Positive, Proposer, Rng, Share, Source
from semeai.models import Model
from semeai.players.config import PlayerConfig


@dataclass(frozen=True)
class Range:
    """Range of a setting; with ``log``, steps are ratios instead of differences."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ConfigError(f"a range needs finite numbers low < high, not {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise ConfigError(f"a logarithmic range needs low above 0, not {self.low}")

    def place(self, value: float) -> float:
        """Return the position of a value in the range, from 0 to 1."""
        low, high = (math.log(x) if self.log else x for x in (self.low, self.high))
        at = math.log(max(value, self.low)) if self.log else value
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def value(self, place: float) -> float:
        low, high = (math.log(x) if self.log else x for x in (self.low, self.high))
        found = low + min(1.0, max(0.0, place)) * (high - low)
        return math.exp(found) if self.log else found


@dataclass(frozen=True)
class Numbers(Proposer):
    """Proposes another value of a setting: usually a step from the present one, sometimes anywhere in its range."""

    ranges: Mapping[str, Range]
    name: ClassVar[str] = "number"
    step: float = 0.15
    """Standard deviation of a step, as a share of the range."""
    anywhere: float = 0.2

    def __post_init__(self) -> None:
        if not self.ranges:
            raise ConfigError("numbers: name at least one setting and its range")

    def draw(self, context: Context, rng: Rng) -> Change | None:
        setting = sorted(self.ranges)[int(rng.integers(len(self.ranges)))]
        limits, now = self.ranges[setting], value_of(context.config, setting)
        place = rng.random() if rng.random() < self.anywhere else limits.place(float(now)) + self.step * rng.normal()
        drawn = limits.value(place)
        value = round(drawn) if isinstance(now, int) else float(f"{drawn:.3g}")
        return NumberChange(setting, value, self.name)


class RangeConfig(Model):
    """Range of a setting."""

    low: float
    high: float
    log: bool = False
    """Whether steps are ratios instead of differences."""


class NumberSource(Source):
    """Other values of the player's numeric settings."""

    kind: Literal["number"] = "number"
    settings: Annotated[dict[str, RangeConfig], Field(min_length=1)]
    """Ranges by name of the setting."""
    step: Positive = 0.15
    """Standard deviation of a step, as a share of the range."""
    anywhere: Share = 0.2
    """Probability of drawing a value from the whole range instead."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        for setting in self.settings:
            value_of(first, setting)
        ranges = {name: Range(r.low, r.high, r.log) for name, r in self.settings.items()}
        return Numbers(ranges, self.step, self.anywhere)

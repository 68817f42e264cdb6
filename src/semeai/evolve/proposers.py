"""Where candidates come from: one interface, any number of sources, mixed by weights.

A proposer is asked with what is known so far (``Context``) and a source of random numbers, and depends on nothing else:
the same history and the same seed give the same proposals, so an evolution resumes exactly.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from semeai.errors import ConfigError
from semeai.evolve.change import Change, NumberChange, Params, PatternChange
from semeai.evolve.sample import Sample
from semeai.patterns.geometry import Geometry, Offset
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.pattern_files import geometry_of
from semeai.players.specs import MctsSpec

Rng = np.random.Generator
Shapes = Literal["good", "bad", "both"]

CELL_SHARES: Mapping[Cell, float] = {
    Cell.BLACK: 0.3, Cell.WHITE: 0.3, Cell.EMPTY: 0.3, Cell.STONE: 0.05, Cell.OFF_BOARD: 0.05,
}  # fmt: skip
"""Which cells random patterns have; a feasibility study found these to give good shapes often."""
MOST_TRIES = 1000
"""Draws in a row that give nothing new: then a proposer has nothing more to say."""


@dataclass(frozen=True)
class Context:
    """What is known when a candidate is proposed."""

    baseline: Params
    """The player as it is now, accepted changes included."""
    game: str = "go"
    accepted: tuple[Change, ...] = ()
    tried: tuple[Change, ...] = ()
    """All that was ever proposed, accepted or not."""
    sample: Sample | None = None

    first: Params | None = None
    """The player that the evolution began with; None: the baseline."""

    @cached_property
    def config(self) -> PlayerConfig:
        return config_of(self.baseline, self.game)

    @cached_property
    def first_config(self) -> PlayerConfig:
        return self.config if self.first is None else config_of(self.first, self.game)

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of all that was proposed."""
        return frozenset(change.key for change in self.tried)

    @property
    def geometry(self) -> Geometry:
        return geometry_of(self.game)

    @property
    def patterns(self) -> list[Pattern]:
        """Those of the baseline."""
        found: list[Pattern] = self.config.policy.parsed_patterns()
        return found

    @cached_property
    def shapes(self) -> frozenset[str]:
        """Of the baseline's patterns: another bias for one of them is not one pattern more."""
        return frozenset(pattern.shape for pattern in self.patterns)

    def after(self, change: Change, accepted: bool) -> "Context":
        """What is known once a change has its verdict."""
        tried = (*self.tried, change)
        if not accepted:
            return replace(self, tried=tried)
        grown = change.apply(self.baseline, self.config)
        first = self.baseline if self.first is None else self.first
        return replace(self, baseline=grown, first=first, accepted=(*self.accepted, change), tried=tried)

    def is_new(self, change: Change) -> bool:
        """Whether it was never proposed, and changes the baseline at all."""
        if isinstance(change, PatternChange) and change.pattern.shape in self.shapes:
            return False
        if isinstance(change, NumberChange) and change.value == value_of(self.config, change.setting):
            return False
        return change.key not in self.known


def config_of(params: Params, game: str) -> PlayerConfig:
    """The player of a table; only MCTS players can be grown."""
    spec = parse_spec(dict(params), game=game)
    if not isinstance(spec, MctsSpec):
        raise ConfigError(f"only mcts players can be grown, not {spec.label!r}")
    return spec.config


class Proposer(ABC):
    """A source of candidates."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, context: Context, rng: Rng) -> Change | None:
        """A change, new or not; None where there is nothing to draw from."""

    def propose(self, context: Context, rng: Rng) -> Change | None:
        """A change that was never proposed before; None where no more are found."""
        for _ in range(MOST_TRIES):
            change = self.draw(context, rng)
            if change is None:
                return None
            if context.is_new(change):
                return change
        return None


@dataclass(frozen=True)
class Mixture(Proposer):
    """One of several proposers, drawn by weight; those that have nothing to say are left out."""

    parts: Sequence[tuple[Proposer, float]]
    name: ClassVar[str] = "mixture"

    def __post_init__(self) -> None:
        if not self.parts or not all(math.isfinite(w) and w > 0 for _, w in self.parts):
            raise ConfigError("a mixture needs proposers, each with a weight above 0")

    def draw(self, context: Context, rng: Rng) -> Change | None:
        return self.propose(context, rng)

    def propose(self, context: Context, rng: Rng) -> Change | None:
        left = list(self.parts)
        while left:
            weights = np.array([weight for _, weight in left])
            i = int(rng.choice(len(left), p=weights / weights.sum()))
            change = left[i][0].propose(context, rng)
            if change is not None:
                return change
            del left[i]
        return None


@dataclass(frozen=True)
class RandomPatterns(Proposer):
    """Patterns as the papers draw them: a few cells around the move, the rest jokers."""

    name: ClassVar[str] = "random"

    radius: int = 1
    least_cells: int = 2
    most_cells: int = 3
    shapes: Shapes = "good"
    bias: float = 1.0
    least_share: float = 0.001
    """Patterns that match fewer of the sample's points are dropped: to race them shows nothing."""
    cells: Mapping[Cell, float] = field(default_factory=lambda: dict(CELL_SHARES))

    def draw(self, context: Context, rng: Rng) -> Change | None:
        for _ in range(MOST_TRIES):
            pattern = self.pattern(context.geometry, rng)
            if often_enough(pattern, context.sample, self.least_share):
                return PatternChange(pattern, self.name)
        return None

    def pattern(self, geometry: Geometry, rng: Rng) -> Pattern:
        around = geometry.around(self.radius)
        n = int(rng.integers(self.least_cells, self.most_cells + 1))
        offsets = [around[i] for i in rng.choice(len(around), min(n, len(around)), replace=False)]
        found = tuple((offset, random_cell(self.cells, rng)) for offset in offsets)
        sign = {"good": 1, "bad": -1, "both": int(rng.choice((1, -1)))}[self.shapes]
        return Pattern(found, sign * self.bias, geometry).canonical()


def random_cell(shares: Mapping[Cell, float], rng: Rng) -> Cell:
    weights = np.array(list(shares.values()))
    return list(shares)[int(rng.choice(len(weights), p=weights / weights.sum()))]


def often_enough(pattern: Pattern, sample: Sample | None, least_share: float) -> bool:
    """Whether a pattern matches enough of the sample; without a sample anything does."""
    return sample is None or float(sample.matches(pattern).mean()) >= least_share


@dataclass(frozen=True)
class Mutation(Proposer):
    """An accepted pattern with one cell added, dropped, moved or changed."""

    name: ClassVar[str] = "mutate"

    radius: int = 2
    least_share: float = 0.001
    cells: Mapping[Cell, float] = field(default_factory=lambda: dict(CELL_SHARES))

    def draw(self, context: Context, rng: Rng) -> Change | None:
        parents = accepted_patterns(context)
        if not parents:
            return None
        for _ in range(MOST_TRIES):
            child = self.mutated(parents[int(rng.integers(len(parents)))], rng)
            if often_enough(child, context.sample, self.least_share):
                return PatternChange(child, self.name)
        return None

    def mutated(self, parent: Pattern, rng: Rng) -> Pattern:
        cells = dict(parent.cells)
        offsets = list(cells)
        chosen = offsets[int(rng.integers(len(offsets)))]
        free = [o for o in parent.geometry.around(max(self.radius, parent.radius)) if o not in cells]
        kind = (
            rng.choice(["add", "drop", "move", "change"]) if len(cells) > 1 else rng.choice(["add", "move", "change"])
        )
        if kind in ("add", "move") and free:
            cell = random_cell(self.cells, rng) if kind == "add" else cells.pop(chosen)
            cells[free[int(rng.integers(len(free)))]] = cell
        elif kind == "drop":
            del cells[chosen]
        else:
            cells[chosen] = random_cell(self.cells, rng)
        return Pattern(tuple(cells.items()), parent.bias, parent.geometry).canonical()


@dataclass(frozen=True)
class Crossover(Proposer):
    """Two accepted patterns laid over each other, the second turned at random: each cell comes from one of them."""

    name: ClassVar[str] = "crossover"

    least_share: float = 0.001

    def draw(self, context: Context, rng: Rng) -> Change | None:
        parents = accepted_patterns(context)
        if len(parents) < 2:
            return None
        for _ in range(MOST_TRIES):
            first, second = (parents[i] for i in rng.choice(len(parents), 2, replace=False))
            turned = second.turned(int(rng.integers(len(second.geometry.symmetries))))
            cells = _mixed(dict(first.cells), dict(turned.cells), rng)
            if cells:
                child = Pattern(tuple(cells.items()), first.bias, first.geometry).canonical()
                if often_enough(child, context.sample, self.least_share):
                    return PatternChange(child, self.name)
        return None


def _mixed(a: dict[Offset, Cell], b: dict[Offset, Cell], rng: Rng) -> dict[Offset, Cell]:
    """Each offset from one of the parents, who may have a joker there."""
    mixed: dict[Offset, Cell] = {}
    for offset in sorted(a.keys() | b.keys()):
        cell = (a if rng.random() < 0.5 else b).get(offset, Cell.ANY)
        if cell != Cell.ANY:
            mixed[offset] = cell
    return mixed


def accepted_patterns(context: Context) -> list[Pattern]:
    return [change.pattern for change in context.accepted if isinstance(change, PatternChange)]


@dataclass(frozen=True)
class Range:
    """Where a setting may go; ``log`` for what is compared by its ratio."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ConfigError(f"a range goes from a number to a greater one, not from {self.low} to {self.high}")
        if self.log and self.low <= 0:
            raise ConfigError(f"a logarithmic range is above 0, not from {self.low}")

    def place(self, value: float) -> float:
        """A value as a number from 0 to 1."""
        low, high = (math.log(x) if self.log else x for x in (self.low, self.high))
        at = math.log(max(value, self.low)) if self.log else value
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def value(self, place: float) -> float:
        low, high = (math.log(x) if self.log else x for x in (self.low, self.high))
        found = low + min(1.0, max(0.0, place)) * (high - low)
        return math.exp(found) if self.log else found


@dataclass(frozen=True)
class Numbers(Proposer):
    """Another value for one of a player's settings: usually a step from today's, sometimes anywhere in its range."""

    ranges: Mapping[str, Range]
    name: ClassVar[str] = "number"
    step: float = 0.15
    """The standard deviation of a step, as a part of the range."""
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


def value_of(config: PlayerConfig, setting: str) -> float:
    """The number that a setting has now; ConfigError where it is none."""
    place: Any = config.model_dump()
    for name in setting.split("."):
        place = place.get(name) if isinstance(place, dict) else None
    if isinstance(place, bool) or not isinstance(place, int | float):
        raise ConfigError(f"numbers: {setting!r} is no number of this player")
    return place

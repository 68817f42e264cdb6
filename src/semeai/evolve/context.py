"""Input of the proposers: the player so far, the changes tried so far, a sample of positions."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from semeai.errors import ConfigError
from semeai.evolve.change import Change, Params
from semeai.evolve.sample import Sample
from semeai.patterns.geometry import Geometry
from semeai.patterns.pattern import Pattern
from semeai.players.catalog import parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.pattern_files import geometry_of
from semeai.players.specs import MctsSpec


@dataclass(frozen=True)
class Context:
    """All that a proposer may depend on."""

    baseline: Params
    """The present player, with all accepted changes."""
    game: str = "go"
    accepted: tuple[Change, ...] = ()
    tried: tuple[Change, ...] = ()
    """All changes tried so far, accepted or not."""
    sample: Sample | None = None

    first: Params | None = None
    """The player that the evolution began with; None if it is still the baseline."""

    @cached_property
    def config(self) -> PlayerConfig:
        return config_of(self.baseline, self.game)

    @cached_property
    def first_config(self) -> PlayerConfig:
        return self.config if self.first is None else config_of(self.first, self.game)

    @cached_property
    def known(self) -> frozenset[str]:
        """Keys of all changes that were tried."""
        return frozenset(change.key for change in self.tried)

    @property
    def geometry(self) -> Geometry:
        return geometry_of(self.game)

    @property
    def patterns(self) -> list[Pattern]:
        """The patterns of the baseline."""
        found: list[Pattern] = self.config.policy.parsed_patterns()
        return found

    @cached_property
    def shapes(self) -> frozenset[str]:
        """Shapes of the baseline's patterns: one of them with another bias is not a new pattern."""
        return frozenset(pattern.shape for pattern in self.patterns)

    def after(self, change: Change, accepted: bool) -> "Context":
        """Return the context after the verdict on a change."""
        tried = (*self.tried, change)
        if not accepted:
            return replace(self, tried=tried)
        grown = change.apply(self.baseline, self.config)
        first = self.baseline if self.first is None else self.first
        return replace(self, baseline=grown, first=first, accepted=(*self.accepted, change), tried=tried)

    @property
    def accepted_patterns(self) -> list[Pattern]:
        """The patterns among the accepted changes."""
        return [pattern for change in self.accepted for pattern in change.patterns]

    def is_new(self, change: Change) -> bool:
        """Return whether the change was never tried and would change the baseline."""
        if change.key in self.known or any(pattern.shape in self.shapes for pattern in change.patterns):
            return False
        if not change.patterns:  # another value of a setting may change nothing, as that of a model that is not used
            changed = config_of(change.apply(self.baseline, self.config), self.game)
            return changed.identity() != self.config.identity()
        return True


def config_of(params: Params, game: str) -> PlayerConfig:
    """Return the player of a table. Raises ConfigError unless it is an MCTS player: no other can be grown."""
    spec = parse_spec(dict(params), game=game)
    if not isinstance(spec, MctsSpec):
        raise ConfigError(f"only mcts players can be grown, not {spec.label!r}")
    return spec.config


def value_of(config: PlayerConfig, setting: str) -> float:
    """Return the present value of a setting. Raises ConfigError if it is not a number."""
    place: Any = config.model_dump()
    for name in setting.split("."):
        place = place.get(name) if isinstance(place, dict) else None
    if isinstance(place, bool) or not isinstance(place, int | float):
        raise ConfigError(f"numbers: {setting!r} is not a numeric setting of this player")
    return place

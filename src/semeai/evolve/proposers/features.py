"""Propose groups of the move model's features, as candidates: which of them a player should know, and how much."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change, SettingsChange
from semeai.evolve.context import Context
from semeai.evolve.proposers.base import Proposer, Rng, Share, Source
from semeai.games.move_model import Factor, ModelPolicy
from semeai.players.config import PlayerConfig


@dataclass(frozen=True)
class FeatureGroups(Proposer):
    """To a player without a move model, proposes the model with some of its groups; else another weight of a group."""

    model: str
    """The setting of the model that a player without one gets."""
    factors: tuple[float, ...] = (0.0, 0.5, 1.0, 1.5)
    share: float = 0.8
    """Probability that a group is a part of a proposed model."""
    name: ClassVar[str] = "features"

    def draw(self, context: Context, rng: Rng) -> Change | None:
        policy = context.config.policy
        names = list(policy.features.factors)
        if policy.model:
            chosen = names[int(rng.integers(len(names)))]
            factor = self.factors[int(rng.integers(len(self.factors)))]
            return SettingsChange(((f"policy.{chosen}", factor),), self.name)
        known = [name for name in names if rng.random() < self.share] or [names[int(rng.integers(len(names)))]]
        factors = tuple((f"policy.{name}", float(name in known)) for name in names)
        words = f"a model of {', '.join(name.removeprefix('model_') for name in known)}"
        return SettingsChange((("policy.model", self.model), *factors), self.name, words)


class FeaturesSource(Source):
    """Groups of the move model's features."""

    kind: Literal["features"] = "features"
    factors: Annotated[tuple[Factor, ...], Field(min_length=1)] = (0.0, 0.5, 1.0, 1.5)
    """What the weights of a group may be multiplied with."""
    share: Share = 0.8
    """Probability that a group is a part of the model that a player without one gets."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        if not isinstance(first.policy, ModelPolicy):
            raise ConfigError(f"features: players of {first.game} have no move model")
        if getattr(first.policy, "database", ""):
            raise ConfigError("features: a player has a move model or a database, not both: write database=none")
        return FeatureGroups(first.policy.features.own_model, self.factors, self.share)

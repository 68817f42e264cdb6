"""Where candidates come from: one interface, any number of sources, mixed by weights.

A proposer is asked with what is known so far (``Context``) and a source of random numbers, and depends on nothing else:
the same history and the same seed give the same proposals, so an evolution resumes exactly.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from semeai.errors import ConfigError
from semeai.evolve.change import Change
from semeai.evolve.context import Context
from semeai.models import Model
from semeai.players.config import PlayerConfig

Rng = np.random.Generator
Positive = Annotated[float, Field(gt=0, le=1e6)]
Share = Annotated[float, Field(ge=0, le=1)]

MOST_TRIES = 1000
"""Draws in a row that give nothing new: then a proposer has nothing more to say."""


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


class Source(Model):
    """A table ``[[proposers]]`` of an evolution file: the settings of one proposer."""

    needs_sample: ClassVar[bool] = False
    """Whether it looks at a sample of positions."""
    has_shapes: ClassVar[bool] = False
    """Whether it has the setting ``shapes``."""

    kind: str
    weight: Positive = 1.0
    """How often it is asked, compared with the others."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        """Return the proposer for an evolution that begins with the player ``first``."""
        raise NotImplementedError


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

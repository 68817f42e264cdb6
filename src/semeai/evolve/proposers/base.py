"""Interface of proposers, and a mixture of several by weight.

A proposer depends only on what is known so far (``Context``) and on a random generator. So the same history and the
same seed give the same proposals, and an evolution resumes exactly.
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
"""After this many draws in a row without a new change, a proposer gives up."""


class Proposer(ABC):
    """Proposes changes of a player."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, context: Context, rng: Rng) -> Change | None:
        """Return a change, new or not; None if there is nothing to draw from."""

    def propose(self, context: Context, rng: Rng) -> Change | None:
        """Return a change that was never tried before; None if no more are found."""
        for _ in range(MOST_TRIES):
            change = self.draw(context, rng)
            if change is None:
                return None
            if context.is_new(change):
                return change
        return None


class Source(Model):
    """Settings of one proposer: a table ``[[proposers]]`` of an evolution file."""

    needs_sample: ClassVar[bool] = False
    """Whether the proposer looks at a sample of positions."""
    least_sample: ClassVar[int] = 0
    """Smallest number of positions that it can work with."""
    has_shapes: ClassVar[bool] = False
    """Whether the proposer has the setting ``shapes``."""

    @property
    def reach(self) -> int:
        """Largest radius of a proposed pattern; 0 if it proposes none."""
        return 0

    kind: str
    weight: Positive = 1.0
    """How often this proposer is used, relative to the others."""

    def make(self, first: PlayerConfig, seed: int) -> Proposer:
        """Return the proposer for an evolution that begins with the player ``first``."""
        raise NotImplementedError


@dataclass(frozen=True)
class Mixture(Proposer):
    """Asks one of several proposers, drawn by weight; if it has no new change, asks another."""

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

"""The part of a player's configuration that says how many ranks search, and what they tell one another."""

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from semeai.errors import ConfigError

Scheme = Literal["off", "slow_tree", "slow_root", "voting", "fast_tree"]
MAX_RANKS = 4096


class ParallelConfig(BaseModel):
    """Ranks and their scheme, by the names of "Scalability and parallelization of MCTS", section 4.

    It does not say where ranks run: by messages between processes or as a virtual cluster, they choose the same moves.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scheme: Scheme = "off"
    """``slow_tree``, ``slow_root`` and ``voting``: a tree a rank; ``fast_tree``: one tree, playouts on all ranks."""
    ranks: Annotated[int, Field(ge=1, le=MAX_RANKS)] = 1
    """How many search; the player's simulations or seconds are those of each."""
    share_fraction: Annotated[float, Field(gt=0, le=1)] = 0.05
    """x: a node is shared if it has at least this part of the root's simulations."""
    share_depth: Annotated[int, Field(ge=0, le=100)] = 3
    """d: the depth of the deepest nodes that ``slow_tree`` shares; the root has 0."""
    share_period: Annotated[float, Field(gt=0, le=1e9)] = 50.0
    """From one share to the next, in ``share_unit``; ``voting`` shares once, at the end."""
    share_unit: Literal["simulations", "seconds"] = "simulations"
    """Simulations of a rank, so that the same seed gives the same moves; or time, for ranks of different speed."""
    share_rule: Literal["mean", "sum"] = "sum"
    """What a rank's tree gets of all ranks' simulations: all of them, or their mean, as in the paper."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.scheme == "off" and self.ranks > 1:
            raise ValueError(f"{self.ranks} ranks need a scheme: slow_tree, slow_root, voting or fast_tree")
        if self.share_unit == "simulations" and self.share_period != int(self.share_period):
            raise ValueError(f"a share_period of {self.share_period:g} simulations is no whole number")
        return self

    @property
    def depth(self) -> int:
        """Of the deepest nodes that are shared."""
        return self.share_depth if self.scheme == "slow_tree" else 0

    @property
    def period(self) -> float:
        return math.inf if self.scheme == "voting" else self.share_period

    @property
    def shares_by_time(self) -> bool:
        return self.share_unit == "seconds" and self.scheme in ("slow_tree", "slow_root")

    @property
    def weight(self) -> float:
        """Of each rank's simulations in a rank's tree."""
        return 1.0 if self.share_rule == "sum" else 1.0 / self.ranks


def counted_in_simulations(ranks: int) -> ConfigError:
    return ConfigError(f"a virtual cluster of {ranks} ranks is counted in simulations: give those, not seconds")

"""The settings of parallel search: how many ranks there are, and what they share."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from semeai.errors import ConfigError
from semeai.models import Model

Scheme = Literal["off", "slow_tree", "slow_root", "voting", "fast_tree"]
MAX_RANKS = 4096


class ParallelConfig(Model):
    """Ranks and their scheme, named as in "Scalability and parallelization of MCTS", section 4.

    These settings do not say where ranks run. As processes or as a virtual cluster, they choose the same moves.
    """

    scheme: Scheme = "off"
    """``slow_tree``, ``slow_root``, ``voting``: one tree per rank; ``fast_tree``: one tree, playouts on all ranks."""
    ranks: Annotated[int, Field(ge=1, le=MAX_RANKS)] = 1
    """The number of ranks. The player's simulations or seconds are the budget of each one."""
    share_fraction: Annotated[float, Field(gt=0, le=1)] = 0.05
    """x of the paper: a node is shared if it has at least this fraction of the root's simulations."""
    share_depth: Annotated[int, Field(ge=0, le=100)] = 3
    """d of the paper: the depth of the deepest nodes that ``slow_tree`` shares; the root has depth 0."""
    share_period: Annotated[float, Field(gt=0, le=1e9)] = 50.0
    """Simulations or seconds between two exchanges, see ``share_unit``; ``voting`` shares once, at the end."""
    share_unit: Literal["simulations", "seconds"] = "simulations"
    """Simulations of a rank, so that the same seed gives the same moves; or seconds, for ranks of different speed."""
    share_rule: Literal["mean", "sum"] = "sum"
    """Whether a tree gets the sum of all ranks' simulations, or their mean, as in the paper."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.scheme == "off" and self.ranks > 1:
            raise ValueError(f"{self.ranks} ranks need a scheme: slow_tree, slow_root, voting or fast_tree")
        if self.share_unit == "simulations" and self.share_period != int(self.share_period):
            raise ValueError(f"a share_period of {self.share_period:g} simulations is no whole number")
        return self

    @property
    def depth(self) -> int:
        """Depth of the deepest nodes that are shared."""
        return self.share_depth if self.scheme == "slow_tree" else 0

    @property
    def period(self) -> float:
        """Distance between two exchanges, in ``share_unit``."""
        return math.inf if self.scheme == "voting" else self.share_period

    @property
    def shares_by_time(self) -> bool:
        return self.share_unit == "seconds" and self.scheme in ("slow_tree", "slow_root")

    @property
    def weight(self) -> float:
        """Weight of each rank's simulations in the tree of a rank."""
        return 1.0 if self.share_rule == "sum" else 1.0 / self.ranks


def counted_in_simulations(ranks: int) -> ConfigError:
    """Return the error for a virtual cluster with a budget in seconds."""
    return ConfigError(f"the budget of a virtual cluster of {ranks} ranks is counted in simulations, not in seconds")

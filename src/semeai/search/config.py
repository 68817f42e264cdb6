"""The search's part of a player's configuration."""

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from semeai.search.kernels.params import SEARCH_PARAMS
from semeai.search.kernels.simulation import HAND_PICKED, MINIMUM_MSE, NO_RAVE

_SCHEDULES = {"off": NO_RAVE, "minimum_mse": MINIMUM_MSE, "hand_picked": HAND_PICKED}


class SearchConfig(BaseModel):
    """Which child is tried next, and when a node gets children."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exploration: Annotated[float, Field(ge=0, le=100)] = 0.0
    """C of C * sqrt(log N / n); Algorithm 1 has sqrt(2), the best value with RAVE is near 0."""
    first_play_urgency: Annotated[float, Field(ge=-1e9, le=1e9)] = 1.1
    """The value of a move about which nothing is known; Algorithm 1 has infinity."""
    rave: Literal["off", "minimum_mse", "hand_picked"] = "minimum_mse"
    rave_bias: Annotated[float, Field(ge=0, le=1)] = 0.0008
    """4 b^2 of beta = m / (m + n + 4 b^2 m n); priors fade by it even where RAVE is off."""
    rave_equivalence: Annotated[float, Field(gt=0, le=1e9)] = 1000.0
    """k of beta = sqrt(k / (3 n + k)), the hand-picked schedule."""
    rave_horizon: Annotated[float, Field(ge=0, le=1)] = 1.0
    """The share of a playout, from its start, whose moves count for RAVE."""
    rave_fade: Annotated[float, Field(ge=0, le=1)] = 0.6
    """A playout's moves count less for RAVE the later they come, the last one by this part; 0: all the same."""
    plain_every: Annotated[int, Field(ge=0, le=10**6)] = 12
    """Every so many visits of a node choose without RAVE, so that what looks bad in playouts is tried; 0: never."""
    plain_visits: Annotated[float, Field(gt=0, le=1e6)] = 1.5
    """Virtual visits of the value 0.5 + H that stand in for RAVE then."""
    bias_constant: Annotated[float, Field(ge=0, le=100)] = 0.0
    bias_decay: Annotated[float, Field(ge=0, le=100)] = 0.0
    """Progressive bias (bias_constant + bias_decay / log(2 + n)) * H."""
    widening: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """K of PW(n) = K n^(1/4), the number of moves considered in the order of H; 0 considers all."""
    expansion_threshold: Annotated[int, Field(ge=1, le=10**6)] = 2
    """Visits of a node before it gets children."""
    proof_backup: bool = False
    """Prove wins, losses and draws from the ends of games that the tree reaches, and try no move that is proven lost.
    It is sound where a node's moves are all that matter, as in Havannah; Go's nodes leave out eyes and edges."""

    def to_record(self) -> NDArray[Any]:
        """The same as kernels read it."""
        record = np.zeros(1, SEARCH_PARAMS)
        for name in SEARCH_PARAMS.names or ():
            record[0][name] = _SCHEDULES[self.rave] if name == "rave" else getattr(self, name)
        return record

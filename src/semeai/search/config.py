"""The settings of the search, a part of a player's configuration."""

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.models import Model
from semeai.search.kernels.params import SEARCH_PARAMS
from semeai.search.kernels.simulation import HAND_PICKED, MINIMUM_MSE, NO_RAVE

_SCHEDULES = {"off": NO_RAVE, "minimum_mse": MINIMUM_MSE, "hand_picked": HAND_PICKED}


class SearchConfig(Model):
    """How the search chooses the next child of a node, and when a node gets children."""

    exploration: Annotated[float, Field(ge=0, le=100)] = 0.0
    """C of C * sqrt(log N / n). Algorithm 1 has sqrt(2); with RAVE the best value is near 0."""
    first_play_urgency: Annotated[float, Field(ge=-1e9, le=1e9)] = 1.1
    """The value of a move without any statistics. Algorithm 1 has infinity."""
    rave: Literal["off", "minimum_mse", "hand_picked"] = "minimum_mse"
    """How the weight of RAVE falls with the visits of a move; ``off`` keeps no RAVE statistics."""
    rave_bias: Annotated[float, Field(ge=0, le=1)] = 0.0008
    """4 b^2 of beta = m / (m + n + 4 b^2 m n). It also sets how fast priors fade, even if RAVE is off."""
    rave_equivalence: Annotated[float, Field(gt=0, le=1e9)] = 1000.0
    """k of beta = sqrt(k / (3 n + k)), the hand-picked schedule."""
    rave_per_move: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """RAVE lasts longer in nodes with many moves: 1 / rave_bias, or k, grows by this for each move of the node."""
    rave_horizon: Annotated[float, Field(ge=0, le=1)] = 1.0
    """The fraction of a playout, from its start, whose moves count for RAVE."""
    rave_fade: Annotated[float, Field(ge=0, le=1)] = 0.6
    """The fraction of its RAVE weight that the last move of a playout loses; earlier moves lose less. 0: all equal."""
    plain_every: Annotated[int, Field(ge=0, le=10**6)] = 12
    """Ignore RAVE at every such visit of a node, so that moves that look bad in playouts are tried too; 0: never."""
    plain_visits: Annotated[float, Field(gt=0, le=1e6)] = 1.5
    """Virtual visits with the value 0.5 + H that replace RAVE at these visits."""
    bias_constant: Annotated[float, Field(ge=0, le=100)] = 0.0
    """The constant part of the progressive bias, see ``search.bias_decay``."""
    bias_decay: Annotated[float, Field(ge=0, le=100)] = 0.0
    """The decaying part of the progressive bias (bias_constant + bias_decay / log(2 + n)) * H."""
    heuristic_visits: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """Virtual visits with the value 0.5 + H in the mean of a move's own results."""
    heuristic_exploration: Annotated[float, Field(ge=0, le=100)] = 0.0
    """C_H of the exploration by H: C_H * H * sqrt(N) / (1 + n)."""
    widening: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """K of PW(n) = K n^(1/4), the number of moves considered, in the order of H; 0: all moves."""
    expansion_threshold: Annotated[int, Field(ge=1, le=10**6)] = 2
    """Visits of a node before it gets children."""
    proof_backup: bool = False
    """Prove wins, losses and draws from the ends of games in the tree, and do not try moves that are proven lost. This
    is correct only if nodes have all moves that matter, as in Havannah; nodes in Go leave out eyes and edges."""

    def to_record(self) -> NDArray[Any]:
        """Convert to the record that kernels read."""
        record = np.zeros(1, SEARCH_PARAMS)
        for name in SEARCH_PARAMS.names or ():
            record[0][name] = _SCHEDULES[self.rave] if name == "rave" else getattr(self, name)
        return record

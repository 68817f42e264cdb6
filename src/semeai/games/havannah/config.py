"""Havannah's part of a player's configuration: how its playouts play, and what a new node believes."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from semeai.games.havannah.kernels.policy import HAVANNAH_POLICY
from semeai.games.havannah.model import FEATURES, OWN_MODEL, compile_model
from semeai.games.move_model import Factor, Features, ModelPolicy, Visits
from semeai.games.patterns.masks import compile_patterns
from semeai.patterns.geometry import HEX, Geometry
from semeai.rng_kernels import CERTAIN

Probability = Annotated[float, Field(ge=0, le=1)]

_PROBABILITIES = ("win", "block", "bridge_reply", "last_good_reply")


class HavannahPolicy(ModelPolicy):
    """Probabilities of the slow playout's rules, and virtual visits for each feature of a move."""

    geometry: ClassVar[Geometry] = HEX
    features: ClassVar[Features] = FEATURES

    playout: Literal["fast", "slow"] = "slow"
    """Fast playouts are uniformly random; slow ones follow the rules below first."""
    win: Probability = 1.0
    """Play a cell that wins."""
    block: Probability = 0.0
    """Play a cell where the opponent would win. Table 2's slow playouts do; leaving it to the tree won 64 to 72%."""
    bridge_reply: Probability = 1.0
    """Answer between two own stones beside the last move, or between one and the edge."""
    last_good_reply: Probability = 1.0
    """Give the reply to the last move that won when a playout last gave it; one that loses is forgotten."""

    decisive: bool = True
    """Where a move wins, a node has no other."""
    anti_decisive: bool = True
    """Where the opponent threatens to win, a node has only moves that prevent it."""

    prior_even: Visits = 4.0
    """Visits that say nothing; 0 switches all priors off."""
    prior_near_1: Visits = 0.0
    """By distance to the last move; 4, 3 and 1 lost matches on base 6."""
    prior_near_2: Visits = 0.0
    prior_near_3: Visits = 0.0
    prior_near_own_1: Visits = 3.0
    """By distance to the player's own last move."""
    prior_near_own_2: Visits = 3.0
    prior_near_own_3: Visits = 0.0
    prior_join: Visits = 4.0
    """For each group, from the second on, that the move connects."""
    prior_own: Visits = 0.0
    """For each own stone beside the move."""
    prior_other: Visits = 0.0
    """For each of the opponent's."""
    prior_virtual: Visits = 6.0
    """For each own stone that the move is linked to over two empty cells."""
    prior_reply: Visits = 4.0
    """What the playout's bridge reply would be."""

    model: str = OWN_MODEL
    model_even: Visits = 10.0
    model_visits: Visits = 150.0
    model_exponent: Annotated[float, Field(gt=0, le=10)] = 1.0
    model_shape: Factor = 1.0
    """What the weights of the six neighbours are multiplied with; 0 leaves them out. The same below."""
    model_bridges: Factor = 1.0
    """Bridges made and broken."""
    model_edges: Factor = 1.0
    """Distance from the edge, by phase of the game."""
    model_groups: Factor = 1.0
    """Groups joined, what they touch, and their sizes."""
    model_last_move: Factor = 1.0
    """Distance from the last move, and places around it."""
    model_own_last_move: Factor = 1.0
    """The same for the own last move."""

    def to_record(self) -> NDArray[Any]:
        """Convert to the record that kernels read."""
        record = np.zeros(1, HAVANNAH_POLICY)
        row = record[0]
        row["slow"] = self.playout == "slow"
        for name in _PROBABILITIES:
            row[name] = round(getattr(self, name) * CERTAIN)
        row["decisive"], row["anti_decisive"] = self.decisive, self.anti_decisive
        for name in ("prior_near", "prior_near_own"):
            row[name] = (0.0, *(getattr(self, f"{name}_{distance}") for distance in (1, 2, 3)))
        for name in ("even", "join", "own", "other", "virtual", "reply"):
            row[f"prior_{name}"] = getattr(self, f"prior_{name}")
        compile_patterns(row["patterns"], self.parsed_patterns(), self.pattern_visits, self.pattern_heuristic)
        if self.model:
            compile_model(self.scaled_model(), row)
            self.write_model(row["model"])
        return record

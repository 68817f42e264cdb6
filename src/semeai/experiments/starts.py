"""The first programs of the evolutions in ``growing``, and the settings that suit how strong they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from semeai.evolve.proposers import PROPOSERS

CONFIRMING_GAMES = 1000
LEAST_SHALLOW = 20
"""Fewer simulations would visit few moves twice."""


@dataclass(frozen=True)
class Start:
    """A first program, and what its races look for."""

    player: str
    discard_below: float
    """A candidate proven to be below this is discarded."""
    title_words: str = ""
    """What titles of tables say of it."""
    confirm: int = 0
    """Separate games that an accepted change must win; 0: none."""
    points: int = 0
    """Points in the sample of positions that proposers look at, so that large boards need fewer positions; 0: 200
    positions."""
    proposers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of proposers, by kind."""
    compares_depths: bool = False
    """Whether these proposers compare searches of a tenth of the raced budget with searches of ten times that budget.

    What is known beforehand matters in nodes with few visits, as most nodes are. What should be known there is seen
    after many.
    """

    def sample(self, size: int) -> int:
        """Return the number of positions that proposers look at."""
        return self.points // size**2 if self.points else 200

    def proposer(self, kind: str, shapes: str, budget: int) -> dict[str, Any]:
        """Return the table of a proposer in an evolution file."""
        found: dict[str, Any] = {"kind": kind}
        if kind in PROPOSERS and PROPOSERS[kind].has_shapes:
            found["shapes"] = shapes
        if self.compares_depths and kind in self.proposers:
            found |= {"shallow": max(LEAST_SHALLOW, budget // 10), "deep": 10 * budget}
        return {**found, **self.proposers.get(kind, {})}


_ONE_PATTERN = {"searched": 20, "bias": [0.25, 0.5, 1.0]}

STARTS = {
    # MoGo's playouts and RAVE without priors: all that the player knows of shapes is grown or learnt. The first-play
    # urgency is that of an even move; above 1, moves without a pattern would be tried before moves with a good one.
    # A player without shapes can gain much, so that small gains are discarded.
    "bare": Start("mcts:default,database=none,policy.prior_even=0,search.first_play_urgency=0.5", 0.53),
    # The player with its hand-made knowledge and nothing learnt, as the papers' MoGo on 9x9. Each of its patterns
    # gains little, so that proposals are searched with, and what races accept is confirmed.
    "strong": Start(
        "mcts:default,database=none,resign_below=0.05",
        discard_below=0.515,
        title_words="from the strong player, ",
        confirm=CONFIRMING_GAMES,
        points=2000 * 9**2,
        proposers={
            "guided": _ONE_PATTERN,
            "grown": _ONE_PATTERN,
            # The weights of a set balance each other: both signs are needed.
            "fitted": {"shapes": "both", "radius": 2, "most_cells": 6, "pool": 5000},
        },
        compares_depths=True,
    ),
}

"""Measure how well a model predicts the moves of games."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.learn.bradley_terry import mean_log_likelihood
from semeai.learn.competitions import Competitions

AMONG_FIRST = 5


@dataclass(frozen=True)
class Accuracy:
    """Means over moves. Points of equal strength are ranked at random."""

    n_moves: int
    first: float
    """Share of moves that were the strongest point."""
    among_first: float
    """Share of moves that were among the five strongest points."""
    mean_rank: float
    log_likelihood: float
    """Mean natural logarithm of the probability of the move played."""


def measure(competitions: Competitions, leaves: NDArray[np.int64], weights: NDArray[np.float64]) -> Accuracy:
    """Return the accuracy; ``leaves`` is each point's pattern, ``weights`` each pattern's logarithm of strength."""
    values, starts, winners = weights[leaves], competitions.starts, competitions.winners
    played = np.repeat(values[winners], np.diff(starts))
    better = np.add.reduceat(values > played, starts[:-1], dtype=np.int64)
    equal = np.add.reduceat(values == played, starts[:-1], dtype=np.int64)  # includes the move itself

    def among(n: int) -> float:
        return float(np.mean(np.clip(n - better, 0, equal) / equal))

    return Accuracy(
        len(competitions),
        among(1),
        among(AMONG_FIRST),
        float(np.mean(better + (equal + 1) / 2)),
        mean_log_likelihood(weights, leaves, starts, winners),
    )

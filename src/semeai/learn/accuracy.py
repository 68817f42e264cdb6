"""How well the moves of games are predicted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.learn.bradley_terry import mean_log_likelihood
from semeai.learn.competitions import Competitions

AMONG_FIRST = 5


@dataclass(frozen=True)
class Accuracy:
    """Means over moves. Of points of the same strength any order is as likely as another."""

    n_moves: int
    first: float
    """How often the move played was the strongest point."""
    among_first: float
    """How often it was among the five strongest."""
    mean_rank: float
    log_likelihood: float
    """Of the move played, in natural logarithms."""


def measure(competitions: Competitions, leaves: NDArray[np.int64], weights: NDArray[np.float64]) -> Accuracy:
    """The accuracy where ``leaves`` is the pattern of each point and ``weights`` its strength's logarithm."""
    values, starts, winners = weights[leaves], competitions.starts, competitions.winners
    played = np.repeat(values[winners], np.diff(starts))
    better = np.add.reduceat(values > played, starts[:-1], dtype=np.int64)
    equal = np.add.reduceat(values == played, starts[:-1], dtype=np.int64)  # the move itself is one of them

    def among(n: int) -> float:
        return float(np.mean(np.clip(n - better, 0, equal) / equal))

    return Accuracy(
        len(competitions),
        among(1),
        among(AMONG_FIRST),
        float(np.mean(better + (equal + 1) / 2)),
        mean_log_likelihood(weights, leaves, starts, winners),
    )

"""Bradley-Terry strengths of nested patterns by minorization-maximization.

Coulom 2007, "Computing Elo ratings of move patterns in the game of Go", section 2: a point is a team of all known
patterns around it, from the smallest to the largest; its strength is the product of their gammas, and it wins a
competition with the probability of its share of all points' strengths. Each pattern has also won and lost ``prior``
times against a gamma of 1, so a rare one is about as strong as what it lies in.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.neighbourhoods import N_SIZES
from semeai.jit import kernel
from semeai.learn.harvest import PatternTree

PRIOR = 2.0
SWEEPS = 60
ENOUGH = 5e-5
"""A sweep that gains less than this, in logarithms of probability a move, is the last one."""


class Model:
    """The gammas of a tree's patterns; ``fit`` makes the games more and more likely."""

    def __init__(self, tree: PatternTree, prior: float = PRIOR) -> None:
        self.tree = tree
        self.prior = prior
        self.gammas = np.ones(len(tree.keys))

    @property
    def weights(self) -> NDArray[np.float64]:
        """The logarithm of the strength of a point by the largest pattern around it."""
        found = np.log(self.gammas)
        for size in range(N_SIZES):
            part = self.tree.of_size(size)
            found[part] += found[self.tree.parents[part]]
        return found

    def fit(
        self,
        leaves: NDArray[np.int64],
        starts: NDArray[np.int64],
        winners: NDArray[np.int64],
        sizes: int = N_SIZES,
        sweeps: int = SWEEPS,
        enough: float = ENOUGH,
        on_sweep: Callable[[int, float], object] = lambda sweep, likelihood: None,
    ) -> float:
        """Sweep over the first ``sizes`` sizes; the mean logarithm of the probability of the moves played.

        ``leaves`` is the largest pattern around each point that is not larger than these sizes.
        """
        wins = self._up(np.bincount(leaves[winners], minlength=len(self.gammas)).astype(np.float64))
        likelihood = -np.inf
        for sweep in range(sweeps):
            for size in range(sizes):
                self._step(size, wins, leaves, starts)
            before, likelihood = likelihood, mean_log_likelihood(self.weights, leaves, starts, winners)
            on_sweep(sweep, likelihood)
            if likelihood - before < enough:
                break
        return likelihood

    def _step(self, size: int, wins: NDArray[np.float64], leaves: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
        """The minorization-maximization update of all patterns of one size, of which a point has one at most."""
        part = self.tree.of_size(size)
        strengths = np.exp(self.weights)
        rates = np.zeros(len(strengths))
        _add_rates(leaves, starts, strengths, rates)
        expected = self._up(strengths * rates)[part]
        gammas, prior = self.gammas[part], self.prior
        self.gammas[part] = (wins[part] + prior) / (expected / gammas + 2 * prior / (gammas + 1))

    def _up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over each pattern and all that contain it."""
        for size in reversed(range(N_SIZES)):
            part = self.tree.of_size(size)
            values += np.bincount(self.tree.parents[part], values[part], len(values))
        return values


@kernel
def _add_rates(
    leaves: NDArray[np.int64], starts: NDArray[np.int64], strengths: NDArray[np.float64], rates: NDArray[np.float64]
) -> None:
    """Add one over the strength of all points of a competition for each point's pattern."""
    for i in range(len(starts) - 1):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += strengths[leaves[k]]
        for k in range(starts[i], starts[i + 1]):
            rates[leaves[k]] += 1.0 / total


def mean_log_likelihood(
    weights: NDArray[np.float64], leaves: NDArray[np.int64], starts: NDArray[np.int64], winners: NDArray[np.int64]
) -> float:
    """Of the moves played, by the model that has these ``weights``."""
    points = weights[leaves]
    totals = np.add.reduceat(np.exp(points), starts[:-1])
    return float(np.mean(points[winners] - np.log(totals)))

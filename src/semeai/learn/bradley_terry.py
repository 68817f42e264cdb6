"""Fit Bradley-Terry strengths of nested patterns by minorization-maximization.

Coulom 2007, "Computing Elo ratings of move patterns in the game of Go", section 2: a point is a team of all known
patterns around it, from the smallest to the largest. Its strength is the product of their gammas. It wins a
competition with a probability equal to its share of the strengths of all points. As a prior, each pattern has also won
and lost ``prior`` times against a gamma of 1, so a rare pattern is about as strong as the next smaller one inside it.
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
"""Stop after a sweep that gains less than this, in mean log-likelihood per move."""


class Model:
    """The gammas of a tree's patterns; ``fit`` increases the likelihood of the games."""

    def __init__(self, tree: PatternTree, prior: float = PRIOR) -> None:
        self.tree = tree
        self.prior = prior
        self.gammas = np.ones(len(tree.keys))

    @property
    def weights(self) -> NDArray[np.float64]:
        """Logarithm of a point's strength, by the largest pattern around it."""
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
        """Sweep over the first ``sizes`` sizes. Returns the mean log-likelihood of the moves played.

        ``leaves`` is the largest pattern of these sizes around each point.
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
        """Update all patterns of one size by minorization-maximization. A point has at most one pattern per size."""
        part = self.tree.of_size(size)
        strengths = np.exp(self.weights)
        rates = np.zeros(len(strengths))
        _add_rates(leaves, starts, strengths, rates)
        expected = self._up(strengths * rates)[part]
        gammas, prior = self.gammas[part], self.prior
        self.gammas[part] = (wins[part] + prior) / (expected / gammas + 2 * prior / (gammas + 1))

    def _up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for each pattern, the sum of ``values`` over it and all patterns that contain it."""
        for size in reversed(range(N_SIZES)):
            part = self.tree.of_size(size)
            values += np.bincount(self.tree.parents[part], values[part], len(values))
        return values


@kernel
def _add_rates(
    leaves: NDArray[np.int64], starts: NDArray[np.int64], strengths: NDArray[np.float64], rates: NDArray[np.float64]
) -> None:
    """Add 1 / (total strength of the competition) to the rate of each point's pattern, over all competitions."""
    for i in range(len(starts) - 1):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += strengths[leaves[k]]
        for k in range(starts[i], starts[i + 1]):
            rates[leaves[k]] += 1.0 / total


def mean_log_likelihood(
    weights: NDArray[np.float64], leaves: NDArray[np.int64], starts: NDArray[np.int64], winners: NDArray[np.int64]
) -> float:
    """Return the mean log-likelihood of the moves played, under the model with these ``weights``."""
    points = weights[leaves]
    totals = np.add.reduceat(np.exp(points), starts[:-1])
    return float(np.mean(points[winners] - np.log(totals)))

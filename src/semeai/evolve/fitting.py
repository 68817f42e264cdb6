"""Choose patterns of a pool, and fit the weights of the chosen ones together.

The model is a conditional logit, as in "Computing Elo ratings of move patterns in the game of Go" (Coulom 2007): the
chance of a move is in proportion to exp(what is known of it + the sum of the weights of its patterns). Patterns are
chosen one after the other, each time the one whose weight is most clearly not 0; then all weights are fitted again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_STEPS = 50
PRECISE = 1e-9
"""The fit ends when a step raises the likelihood by less than this, per position."""


class Weighted(NamedTuple):
    """Patterns by their place in the pool, and their weights."""

    chosen: list[int]
    weights: Floats


@dataclass(frozen=True)
class Choices:
    """What was chosen among the moves of some positions. All arrays have one value per move."""

    owner: NDArray[np.int64]
    """The position of the move; they count from 0, and each has a move."""
    target: Floats
    """How much the move was chosen. The sum over a position is the weight of this position."""
    known: Floats
    """What is known of the move already, as the logarithm of a strength."""

    def __post_init__(self) -> None:
        assert len(self.owner) == len(self.target) == len(self.known) > 0

    @property
    def n_positions(self) -> int:
        return int(self.owner[-1]) + 1

    def by_position(self, values: Floats) -> Floats:
        found: Floats = np.bincount(self.owner, values, minlength=self.n_positions).astype(np.float64)
        return found

    def chances(self, strength: Floats) -> Floats:
        """Return the chance of each move, times the weight of its position."""
        scale = self.by_position(self.target) / self.by_position(odds := self._odds(strength))
        found: Floats = odds * scale[self.owner]
        return found

    def log_likelihood(self, strength: Floats) -> float:
        """Return the sum of the logarithms of the chances of the chosen moves."""
        odds = self._odds(strength)
        logs = np.log(odds, out=np.zeros_like(odds), where=self.target > 0)
        return float(self.target @ logs - self.by_position(self.target) @ np.log(self.by_position(odds)))

    def _odds(self, strength: Floats) -> Floats:
        """Return the strengths of the moves, relative to the best of each position."""
        top = np.full(self.n_positions, -np.inf)
        np.maximum.at(top, self.owner, strength)
        odds: Floats = np.exp(np.maximum(strength - top[self.owner], -700.0))
        return odds


@dataclass(frozen=True)
class Pool:
    """The moves that each pattern matches, one list after the other: most patterns match few moves."""

    moves: NDArray[np.int32]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, matched: Sequence[NDArray[np.integer]]) -> "Pool":
        """Make a pool of the numbers of the moves that each pattern matches."""
        ends = np.cumsum([0, *(len(moves) for moves in matched)])
        return cls(np.concatenate([np.zeros(0, np.int32), *matched]).astype(np.int32), ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def sums(self, values: Floats) -> Floats:
        """Return for each pattern the sum of the values of its moves."""
        totals = np.concatenate([[0.0], np.cumsum(values[self.moves])])
        found: Floats = totals[self.ends[1:]] - totals[self.ends[:-1]]
        return found

    def row(self, i: int, n_moves: int) -> Floats:
        """Return 1 for each move that pattern ``i`` matches, and 0 for the others."""
        found = np.zeros(n_moves)
        found[self.moves[self.ends[i] : self.ends[i + 1]]] = 1.0
        return found


def choose(pool: Pool, choices: Choices, most: int, ridge: float, signs: Sequence[int] = (1, -1)) -> Iterator[Weighted]:
    """Yield the best one pattern, the best two, and so on up to ``most``, with their weights.

    ``ridge`` is the strength of a prior that holds the weights near 0: a pattern needs many choices to get a large
    weight. Only patterns whose weight alone would have one of the ``signs`` are chosen.
    """
    chosen: list[int] = []
    weights, features = np.zeros(0), np.zeros((0, len(choices.known)))
    strength = choices.known
    while len(chosen) < min(most, len(pool)):
        chances = choices.chances(strength)
        gradient = pool.sums(choices.target - chances)
        clearness = np.max([sign * gradient for sign in signs], axis=0) / np.sqrt(pool.sums(chances) + ridge)
        clearness[chosen] = 0.0
        best = int(np.argmax(clearness))
        if clearness[best] <= 0:
            return
        chosen.append(best)
        features = np.vstack([features, pool.row(best, len(choices.known))])
        weights = _fitted(features, choices, np.append(weights, 0.0), ridge)
        strength = choices.known + weights @ features
        yield Weighted(list(chosen), weights.copy())


def _fitted(features: Floats, choices: Choices, weights: Floats, ridge: float) -> Floats:
    """Return the weights that maximise the likelihood and the prior.

    Newton's method from ``weights`` on; a step that leads too far is halved until it leads upwards.
    """

    def value(weights: Floats) -> float:
        return choices.log_likelihood(choices.known + weights @ features) - ridge / 2 * float(weights @ weights)

    totals = choices.by_position(choices.target)
    totals = np.where(totals > 0, totals, 1.0)
    now = value(weights)
    for _ in range(MOST_STEPS):
        chances = choices.chances(choices.known + weights @ features)
        gradient = features @ (choices.target - chances) - ridge * weights
        means = np.array([choices.by_position(chances * row) for row in features])
        curvature = (features * chances) @ features.T - (means / totals) @ means.T + ridge * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        while (then := value(weights + step)) < now and np.abs(step).max() > PRECISE:
            step = step / 2
        if then < now:
            break
        weights, gained, now = weights + step, then - now, then
        if gained <= PRECISE * choices.n_positions:
            break
    return weights

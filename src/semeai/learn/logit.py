"""Fit a conditional logit model (generalised Bradley-Terry) to examples, one chunk after another.

The probability of a point is exp(its strength), divided by the sum over all points. The strength is the sum of the
weights of its features, and of the products of the factors of each two features of its slots (latent factor ranking,
Wistuba & Schmidt-Thieme 2013). Weights move along the gradient of the log-likelihood, with a step per weight that falls
with its past gradients (Adagrad; Duchi et al. 2011). Points that are very unlikely are drawn at random, so that most of
them cost nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.games.move_model import Features
from semeai.learn.examples import Examples
from semeai.learn.kernels.fitting import N_BINS, find_shapes, fit_positions, judge_positions, number_shapes
from semeai.rng import generator

_FIRST_SQUARES, _FIRST_FACTOR = 0.3, 0.05
_LEARNT_SQUARES = 20.0
"""The same for weights that were learnt before, so that a few new games do not undo what many old ones showed."""


class ShapeNumbers:
    """Numbers of known shapes by key."""

    def __init__(self, keys: NDArray[np.uint32], features: Features) -> None:
        self.keys = keys
        self._begins = np.array(features.first_keys, np.bool_)
        slots = 1 << max(4, (2 * len(keys) - 1).bit_length())
        self._slots, self._numbers = np.zeros(slots, np.uint32), np.zeros(slots, np.int32)
        number_shapes(keys, self._slots, self._numbers)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, examples: Examples) -> NDArray[np.int32]:
        """Return the number of each key, or -1. A shape is unknown if a smaller one inside it is."""
        found = np.empty(examples.keys.shape, np.int32)
        find_shapes(examples.keys, self._begins, self._slots, self._numbers, found)
        return found


@dataclass(frozen=True, eq=False)
class Judged:
    """Ranks and log-likelihoods of the moves played in games, or found by searches, and their numbers in the game."""

    ranks: NDArray[np.float64]
    """Number of points that are more likely; half a point for each equal one."""
    log_chances: NDArray[np.float64]
    """Logarithm of the probability of the move; its mean over the visits, if they are the target."""
    numbers: NDArray[np.int64]
    bins: NDArray[np.float64]
    """By probability, in steps of 1 / N_BINS: number of points, sum of their probabilities, number of moves played."""

    @classmethod
    def joined(cls, parts: "Sequence[Judged]") -> "Judged":
        """Return all parts as one."""
        ranks, chances = (np.concatenate([getattr(p, name) for p in parts]) for name in ("ranks", "log_chances"))
        return cls(ranks, chances, np.concatenate([p.numbers for p in parts]), np.sum([p.bins for p in parts], axis=0))

    def top(self, n: int) -> float:
        """Return the share of moves among the ``n`` most likely ones."""
        return float(np.mean(self.ranks < n))

    @property
    def log_likelihood(self) -> float:
        """Mean natural logarithm of the probability of the move played."""
        return float(np.mean(self.log_chances))

    def between(self, first: int, last: int) -> "Judged":
        """Return the part with these numbers of moves; the bins stay those of all."""
        part = (self.numbers >= first) & (self.numbers <= last)
        return Judged(self.ranks[part], self.log_chances[part], self.numbers[part], self.bins)


@dataclass
class Weights:
    """Weights of all features, and the sums of their squared gradients."""

    rows: NDArray[np.float32]
    """By value of a slot: its weight, then its factors."""
    row_squares: NDArray[np.float32]
    shapes: NDArray[np.float32]
    shape_squares: NDArray[np.float32]

    @classmethod
    def first(cls, features: Features, n_shapes: int, seed: int, factors: bool = True) -> "Weights":
        """Return weights of 0 and small random factors, or none."""
        deviation = _FIRST_FACTOR if factors else 0.0
        rows = generator(seed, "factors").normal(0, deviation, (features.n_ids, features.width)).astype(np.float32)
        rows[:, 0] = 0
        full = np.full_like(rows, _FIRST_SQUARES)
        return cls(rows, full, np.zeros(n_shapes, np.float32), np.full(n_shapes, _FIRST_SQUARES, np.float32))

    def begin_with(self, rows: NDArray[np.float32], shapes: NDArray[np.float32]) -> None:
        """Take the weights of a model, whose shapes are the first ones, and let them move slowly."""
        self.rows[:], self.shapes[: len(shapes)] = rows, shapes
        self.row_squares[:], self.shape_squares[: len(shapes)] = _LEARNT_SQUARES, _LEARNT_SQUARES

    def fit(
        self,
        examples: Examples,
        found: NDArray[np.int32],
        order: NDArray[np.int64],
        steps: tuple[float, float],
        seed: int,
        used: NDArray[np.bool_],
    ) -> float:
        """Improve the weights by the positions of ``order``. Returns the sum of their log-likelihoods.

        ``found`` has the numbers of shapes, ``steps`` those of weights and of factors, and ``used`` says which slots
        and keys count, in this order.
        """
        draws = np.random.default_rng(seed).random(1 << 16, np.float32)
        step, factor_step = map(np.float32, steps)
        return float(
            fit_positions(
                order, examples.starts, examples.targets, examples.ids, found, used,
                self.rows, self.row_squares, self.shapes, self.shape_squares, step, factor_step, draws,
            )
        )  # fmt: skip

    def judge(self, examples: Examples, found: NDArray[np.int32], used: NDArray[np.bool_]) -> Judged:
        """Return how well the weights predict the moves played."""
        n = len(examples)
        ranks, log_chances, bins = np.zeros(n), np.zeros(n), np.zeros((N_BINS, 3))
        judge_positions(
            examples.starts, examples.winners, examples.targets, examples.ids, found, used, self.rows, self.shapes,
            ranks, log_chances, bins,
        )  # fmt: skip
        return Judged(ranks, log_chances, examples.numbers, bins)

"""The compiled part of ``learn.logit``: numbers of shapes, steps along the gradient, and predictions."""

import numpy as np
from numpy.typing import NDArray

from semeai.jit import inlined, kernel

_UNLIKELY = np.float32(2e-3)
_MOST_POINTS = 625
N_BINS = 20
_HALF = np.float32(0.5)


@kernel
def number_shapes(keys: NDArray[np.uint32], slots: NDArray[np.uint32], numbers: NDArray[np.int32]) -> None:
    """Write the shapes with their numbers into a table with open addressing."""
    mask = len(slots) - 1
    for i in range(len(keys)):
        at = np.int64(keys[i]) & mask
        while slots[at] != np.uint32(0):
            at = (at + 1) & mask
        slots[at] = keys[i]
        numbers[at] = i


@kernel
def find_shapes(
    keys: NDArray[np.uint32],
    begins: NDArray[np.bool_],
    slots: NDArray[np.uint32],
    numbers: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:
    """Write the number of each key, or -1. A shape is unknown if a smaller one inside it is.

    ``begins`` says which keys have no smaller one before them.
    """
    mask = len(slots) - 1
    for i in range(len(keys)):
        known = True
        for k in range(keys.shape[1]):
            known |= begins[k]
            found[i, k] = -1
            key = keys[i, k]
            if known and key != np.uint32(0):
                at = np.int64(key) & mask
                while slots[at] != np.uint32(0) and slots[at] != key:
                    at = (at + 1) & mask
                if slots[at] == key:
                    found[i, k] = numbers[at]
                else:
                    known = False


@inlined
def _add_rows(
    i: int,
    ids: NDArray[np.uint16],
    used: NDArray[np.bool_],
    rows: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> np.float32:
    """Write the sums of the rows of a point's features. Returns the sum of the squares of the factors."""
    width = rows.shape[1]
    for k in range(width):
        sums[k] = 0
    squares = np.float32(0.0)
    for slot in range(ids.shape[1]):
        if used[slot]:
            row = ids[i, slot]
            sums[0] += rows[row, 0]
            for k in range(1, width):
                sums[k] += rows[row, k]
                squares += rows[row, k] * rows[row, k]
    return squares


@kernel
def _chances(
    first: int,
    end: int,
    ids: NDArray[np.uint16],
    found: NDArray[np.int32],
    used: NDArray[np.bool_],
    rows: NDArray[np.float32],
    shapes: NDArray[np.float32],
    chances: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Write the probability of each point of a position."""
    n_slots = ids.shape[1]
    best = np.float32(-1e30)
    for i in range(first, end):
        total = -_HALF * _add_rows(i, ids, used, rows, sums)
        total += sums[0]
        for k in range(1, rows.shape[1]):
            total += _HALF * sums[k] * sums[k]
        for k in range(found.shape[1]):
            if found[i, k] >= 0 and used[n_slots + k]:
                total += shapes[found[i, k]]
        chances[i - first] = total
        best = max(best, total)
    whole = np.float32(0.0)
    for i in range(end - first):
        chances[i] = np.exp(chances[i] - best)
        whole += chances[i]
    for i in range(end - first):
        chances[i] /= whole


@inlined
def _log_likelihood(first: int, end: int, targets: NDArray[np.float32], chances: NDArray[np.float32]) -> float:
    total = 0.0
    for i in range(first, end):
        if targets[i] > 0:
            total += targets[i] * np.log(max(chances[i - first], np.float32(1e-12)))
    return total


@kernel
def fit_positions(
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    targets: NDArray[np.float32],
    ids: NDArray[np.uint16],
    found: NDArray[np.int32],
    used: NDArray[np.bool_],
    rows: NDArray[np.float32],
    row_squares: NDArray[np.float32],
    shapes: NDArray[np.float32],
    shape_squares: NDArray[np.float32],
    step: np.float32,
    factor_step: np.float32,
    draws: NDArray[np.float32],
) -> float:
    """Move the weights along the gradient, position by position. Returns the sum of the log-likelihoods.

    ``targets`` has the probability of each point that is to be learnt.
    """
    chances, sums = np.zeros(_MOST_POINTS, np.float32), np.zeros(rows.shape[1], np.float32)
    n_slots, total, drawn = ids.shape[1], 0.0, 0
    for position in order:
        first, end = starts[position], starts[position + 1]
        _chances(first, end, ids, found, used, rows, shapes, chances, sums)
        total += _log_likelihood(first, end, targets, chances)
        for i in range(first, end):
            gradient = chances[i - first]
            if targets[i] > 0:
                gradient -= targets[i]
            elif gradient < _UNLIKELY:
                drawn = (drawn + 1) & (len(draws) - 1)
                if draws[drawn] * _UNLIKELY >= gradient:
                    continue
                gradient = _UNLIKELY
            _add_rows(i, ids, used, rows, sums)
            for slot in range(n_slots):
                if used[slot]:
                    row = ids[i, slot]
                    row_squares[row, 0] += gradient * gradient
                    rows[row, 0] -= step * gradient / np.sqrt(row_squares[row, 0])
                    if factor_step > 0:
                        for k in range(1, rows.shape[1]):
                            slope = gradient * (sums[k] - rows[row, k])
                            row_squares[row, k] += slope * slope
                            rows[row, k] -= factor_step * slope / np.sqrt(row_squares[row, k])
            for k in range(found.shape[1]):
                f = np.int64(found[i, k])
                if f >= 0 and used[n_slots + k]:
                    shape_squares[f] += gradient * gradient
                    shapes[f] -= step * gradient / np.sqrt(shape_squares[f])
    return total


@kernel
def judge_positions(
    starts: NDArray[np.int64],
    winners: NDArray[np.int64],
    targets: NDArray[np.float32],
    ids: NDArray[np.uint16],
    found: NDArray[np.int32],
    used: NDArray[np.bool_],
    rows: NDArray[np.float32],
    shapes: NDArray[np.float32],
    ranks: NDArray[np.float64],
    log_chances: NDArray[np.float64],
    bins: NDArray[np.float64],
) -> None:
    """Write rank and log-likelihood of each point played, and how often points of each probability were played."""
    chances, sums = np.zeros(_MOST_POINTS, np.float32), np.zeros(rows.shape[1], np.float32)
    for position in range(len(winners)):
        first, end = starts[position], starts[position + 1]
        _chances(first, end, ids, found, used, rows, shapes, chances, sums)
        played = chances[winners[position] - first]
        rank = 0.0
        for i in range(end - first):
            won = first + i == winners[position]
            rank += 1.0 if chances[i] > played else 0.5 if chances[i] == played and not won else 0.0
            row = bins[np.int64(min(chances[i] * N_BINS, np.float32(N_BINS - 1)))]
            row[0] += 1
            row[1] += chances[i]
            row[2] += targets[first + i]
        ranks[position], log_chances[position] = rank, _log_likelihood(first, end, targets, chances)

"""Expected games of mixture betting, computed exactly, and the weights and gaps that would be best."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linprog

from semeai.stats.betting import accept_log_factors, discard_log_factors, mixture, wide_mixture
from semeai.stats.information import information_bound
from semeai.table import Cell, ResultTable

Floats = NDArray[np.float64]

LOW, HIGH, RISK = 0.501, 0.504, 0.05
BATCH, GROWTH = 8, 1 / 128  # of the looks, as in a race
COARSE = 1 / 64  # growth while the best mixture is sought
MOST = 8_000_000  # games; every race has ended before
EFFICIENCIES = (0.45, 0.48, 0.49, 0.5, 0.5025, 0.505, 0.51, 0.52, 0.535, 0.55, 0.567)
TARGETS = (0.567, 0.55, 0.52, 0.51, 0.5025)
"""Where the best mixtures are sought: one side is enough, because the thresholds lie almost symmetrically."""
START = np.array([0.0023, 0.0067, 0.019, 0.05, 0.08])  # gaps of the gamblers where the search begins
STEPS = 10
FINEST = 5.0  # cells of the lattice per standard deviation of a batch


def run() -> list[ResultTable]:
    return [ratios()]


def ratios() -> ResultTable:
    """Return the expected games of each mixture as multiples of the information bound."""
    mixtures = {"betting (default)": mixture(HIGH - LOW), "wide_betting": wide_mixture(HIGH - LOW)}
    mixtures["best of 5 stakes for the largest multiple"] = best(START, np.ones(len(TARGETS)))
    reference = multiples(*mixtures["betting (default)"], TARGETS, COARSE)
    mixtures["best of 5 stakes for the multiples of the default"] = best(START, reference)
    rows: list[tuple[Cell, ...]] = []
    for name, (gaps, weights) in mixtures.items():
        found = multiples(gaps, weights, EFFICIENCIES)
        stakes = ", ".join(f"{gap:.4f}: {weight:.2f}" for gap, weight in zip(gaps, weights, strict=True))
        rows.append((name, f"{found.max():.3f}", *(f"{x:.3f}" for x in found), stakes))
    return ResultTable(
        "Games of one candidate as multiples of the information bound",
        ("mixture", "largest", *map(str, EFFICIENCIES), "gaps and weights"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5%, looks as in a race; games up to the verdict, without the batch that "
        "was under way. Expectations over all sequences of wins and losses, by adding up probabilities on a lattice. "
        "The best mixtures are found by a sequence of linear programs over gaps and weights.",
    )


def multiples(gaps: Floats, weights: Floats, efficiencies: tuple[float, ...], growth: float = GROWTH) -> Floats:
    """Return expected games divided by the information bound, for each efficiency."""
    ends = verdicts(gaps, weights, growth)
    bounds = [information_bound(e, RISK, LOW, HIGH) for e in efficiencies]
    return np.array([expected_games(*ends, e)[0] / bound for e, bound in zip(efficiencies, bounds, strict=True)])


def verdicts(gaps: Floats, weights: Floats, growth: float) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the numbers of games at each look, and the wins from which it accepts and up to which it discards."""
    win_loss = np.array([1.0, 0.0])
    accept = accept_log_factors(win_loss, gaps / (LOW * (1 - LOW)), LOW)
    discard = discard_log_factors(win_loss, gaps / (HIGH * (1 - HIGH)), HIGH)
    return _verdicts(np.log(weights), accept, discard, growth)


@njit
def _log_wealth(log_weights, factors, wins, losses):  # type: ignore[no-untyped-def]
    values = log_weights + wins * factors[0] + losses * factors[1]
    largest = values.max()
    return largest + math.log(np.exp(values - largest).sum())


@njit
def _verdicts(log_weights, accept, discard, growth):  # type: ignore[no-untyped-def]
    looks, accepts, discards = [], [], []
    n = 0
    while n < MOST:
        n += max(BATCH, int(n * growth))
        low, high = n * LOW, float(n)  # the least wins that accept
        if _log_wealth(log_weights, accept, high, 0.0) < -math.log(RISK):
            high = math.inf
        while high - low > 1e-6 * n and high < math.inf:
            middle = (low + high) / 2
            if _log_wealth(log_weights, accept, middle, n - middle) >= -math.log(RISK):
                high = middle
            else:
                low = middle
        accepts.append(high)
        low, high = 0.0, n * HIGH  # the most wins that discard
        if _log_wealth(log_weights, discard, low, float(n)) < -math.log(RISK):
            low = -math.inf
        while high - low > 1e-6 * n and low > -math.inf:
            middle = (low + high) / 2
            if _log_wealth(log_weights, discard, middle, n - middle) >= -math.log(RISK):
                low = middle
            else:
                high = middle
        discards.append(low)
        looks.append(n)
    return np.array(looks), np.array(accepts), np.array(discards)


@njit
def batch_of(size, efficiency, unit):  # type: ignore[no-untyped-def]
    """Return the first cell and the probabilities of the cells of the wins of a batch; exact if a cell is one win."""
    if unit == 1 and size <= 400:
        p = np.zeros(size + 1)
        for j in range(size + 1):
            log_ways = math.lgamma(size + 1) - math.lgamma(j + 1) - math.lgamma(size - j + 1)
            p[j] = math.exp(log_ways + j * math.log(efficiency) + (size - j) * math.log(1 - efficiency))
        return 0, p
    mean, sd = size * efficiency / unit, math.sqrt(size * efficiency * (1 - efficiency)) / unit
    first = math.floor(mean - 6 * sd)
    p = np.zeros(math.ceil(mean + 6 * sd) - first + 1)
    for j in range(len(p)):
        x = (first + j - mean) / (sd * math.sqrt(2.0))
        half = 0.5 / (sd * math.sqrt(2.0))
        p[j] = 0.5 * (math.erf(x + half) - math.erf(x - half))
    return first, p / p.sum()


@njit
def expected_games(looks, accepts, discards, efficiency):  # type: ignore[no-untyped-def]
    """Return the expected games until the verdict, and the probability to accept.

    Cell i of the lattice has (first + i) * unit wins. Cells are joined in pairs as batches grow, and split evenly where
    they do not fit, which keeps the mean.
    """
    p = np.ones(1)
    first, unit, last = 0, 1, 0
    games, accepted = 0.0, 0.0
    for t in range(len(looks)):
        size, last = looks[t] - last, looks[t]
        while unit * 2 * FINEST <= math.sqrt(size * efficiency * (1 - efficiency)):
            if first % 2:
                p, first = np.append(np.zeros(1), p), first - 1
            if len(p) % 2:
                p = np.append(p, np.zeros(1))
            joined = np.append(p[::2] + p[1::2] / 2, np.zeros(1))
            joined[1:] += p[1::2] / 2
            p, first, unit = joined, first // 2, unit * 2
        start, step = batch_of(size, efficiency, unit)
        moved = np.convolve(p, step)
        first += start
        low, high = len(moved), -1
        for i in range(len(moved)):
            wins = (first + i) * unit
            if wins >= accepts[t] - 1e-6 or wins <= discards[t] + 1e-6:
                games += moved[i] * last
                accepted += moved[i] * (wins >= accepts[t] - 1e-6)
                moved[i] = 0.0
            elif moved[i] > 1e-16:
                low, high = min(low, i), max(high, i)
        if high < 0:
            return games, accepted
        p = moved[low : high + 1].copy()
        first += low
        if p.sum() < 1e-9:
            break
    return games + p.sum() * last, accepted


def best(start: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Return gaps and weights that make the largest quotient of multiple and target small, from a start."""
    k = len(start)
    point = np.append(np.log(start), -0.75 * np.log(np.arange(1, k + 1)))
    radius = 0.4

    def value(x: Floats) -> Floats:
        weights = np.exp(x[k:])
        return multiples(np.exp(x[:k]), weights / weights.sum(), TARGETS, COARSE) / target

    here = value(point)
    for _ in range(STEPS):
        slopes = np.array([(value(point + 0.05 * unit) - here) / 0.05 for unit in np.eye(2 * k)]).T
        # Minimise z with here + slopes @ step <= z and |step| <= radius.
        rows = np.column_stack([slopes, -np.ones(len(here))])
        limits = [(-radius, radius)] * (2 * k) + [(0, 100)]
        step = linprog(np.append(np.zeros(2 * k), 1), A_ub=rows, b_ub=-here, bounds=limits).x[:-1]
        there = value(point + step)
        if there.max() < here.max() - 1e-5:
            point, here = point + step, there
        else:
            radius /= 2.5
    weights = np.exp(point[k:])
    return np.exp(point[:k]), weights / weights.sum()

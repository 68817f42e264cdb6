"""The best possible test of one candidate: how even can the cost be, at most, as multiples of the information bound?

A test that looks as often as a race accepts, discards or goes on after each look. Give each efficiency e a weight w_e
(their sum is 1) and each of the two errors a price. The test with the least weighted cost

    sum of w_e E_e[games] / bound(e) + price_a P_low(accept) + price_d P_high(discard)

is found by backward induction over the number of games and wins. For every test that keeps both risks, the largest
multiple is at least its weighted mean, so at least that least cost minus risk (price_a + price_d). This is a lower
bound for all tests, for any weights and prices. The best weights and prices are sought by cutting planes: each test
that was found limits the bound for all others. The same linear program mixes these tests, which shows how much of the
bound is reached by a test that first draws which of them to use.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linprog

from benchmarks.mixtures import BATCH, EFFICIENCIES, FINEST, GROWTH, HIGH, LOW, RISK, batch_of, expected_games
from semeai.stats.information import information_bound
from semeai.table import Cell, ResultTable

Floats = NDArray[np.float64]

REFERENCE = (LOW + HIGH) / 2  # probabilities are computed for it, and weighted by likelihood ratios
MOST = 4_000_000  # games
WIDTH = 9.0  # standard deviations of the wins, on each side; beyond, every test has stopped
ROUNDS = 60
CLOSE = 0.003  # of bound and mixed tests
LARGEST_PRICE = 100.0
STEP = 0.3  # of the way to the point that the linear program proposes


class Found(NamedTuple):
    """The bound of some weights and prices; and the test that nearly reaches it, with its multiples and errors."""

    bound: float
    multiples: Floats
    errors: Floats


def run() -> list[ResultTable]:
    return [optimum()]


def optimum() -> ResultTable:
    """Return how small the largest multiple can be, with and without the efficiency between the thresholds."""
    outside = tuple(e for e in EFFICIENCIES if not LOW < e < HIGH)
    rows: list[tuple[Cell, ...]] = []
    for name, efficiencies in (("outside the thresholds", outside), ("and between them", EFFICIENCIES)):
        bound, reached, weights = best_bound(efficiencies)
        used = ", ".join(f"{e:g}: {w:.2f}" for e, w in zip(efficiencies, weights, strict=True) if w > 0.005)
        rows.append((name, f"{bound:.3f}", f"{reached:.3f}", used))
    return ResultTable(
        "The least possible largest multiple of the information bound",
        ("efficiencies", "no test is below", "a mixture of tests reaches", "weights of the bound"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5% on each side, coins, looks as in a race; games up to the verdict. "
        f"Efficiencies: {', '.join(map(str, EFFICIENCIES))}. A test that is made for coins is not valid for other "
        "rewards, as betting is.",
    )


def best_bound(efficiencies: tuple[float, ...]) -> tuple[float, float, Floats]:
    """Return the best lower bound that was found, what mixtures of tests reach, and the weights of the bound."""
    bounds = np.array([information_bound(e, RISK, LOW, HIGH) for e in efficiencies])
    k = len(efficiencies)
    weights, prices = np.full(k, 1 / k), np.full(2, 5.0)
    best, centre, tests = -math.inf, np.append(weights, prices), list[Found]()
    reached = math.inf
    for _ in range(ROUNDS):
        found = best_test(np.array(efficiencies), bounds, weights, prices)
        tests.append(found)
        if found.bound > best:
            best, centre = found.bound, np.append(weights, prices)
        # Maximise t with t <= weights @ multiples + prices @ (errors - risk) for each test found.
        rows = np.array([[*-test.multiples, *(RISK - test.errors), 1.0] for test in tests])
        limits = [(0, 1)] * k + [(0, LARGEST_PRICE)] * 2 + [(None, None)]
        solved = linprog(
            np.append(np.zeros(k + 2), -1.0), A_ub=rows, b_ub=np.zeros(len(tests)),
            A_eq=[[1.0] * k + [0.0] * 3], b_eq=[1.0], bounds=limits,
        )  # fmt: skip
        reached = -float(solved.fun)
        if reached - best < CLOSE:
            break
        # A part of the way from the best point so far: cutting planes alone jump from corner to corner.
        point = centre + STEP * (solved.x[:-1] - centre)
        weights, prices = point[:k], point[k:]
    return best, reached, centre[:k]


def best_test(efficiencies: Floats, bounds: Floats, weights: Floats, prices: Floats) -> Found:
    """Return the test with the least weighted cost."""
    looks = [0]
    while looks[-1] < MOST:
        looks.append(looks[-1] + max(BATCH, int(looks[-1] * GROWTH)))
    cost, accepts, discards = _induce(np.array(looks), efficiencies, weights / bounds, prices)
    ends = [expected_games(np.array(looks[1:]), accepts, discards, e) for e in (*efficiencies, LOW, HIGH)]
    multiples = np.array([games for games, _ in ends[:-2]]) / bounds
    return Found(cost - RISK * float(prices.sum()), multiples, np.array([ends[-2][1], 1 - ends[-1][1]]))


@njit
def _likelihood(e, n, wins):  # type: ignore[no-untyped-def]
    log = wins * math.log(e / REFERENCE) + (n - wins) * math.log((1 - e) / (1 - REFERENCE))
    return math.exp(min(log, 600.0))


@njit
def _induce(looks, efficiencies, costs, prices):  # type: ignore[no-untyped-def]
    """Return the least cost, and the wins from which the best test accepts and up to which it discards at each look.

    Far away from both thresholds the cheapest verdict may be the wrong one, because only errors at the thresholds have
    a price. A test stops there with the right one, which costs next to nothing more; the least cost is without that.
    """
    accepts, discards = np.full(len(looks) - 1, math.inf), np.full(len(looks) - 1, -math.inf)
    later = np.zeros(0)  # values at the next look, from cell ``later_first`` of ``later_unit`` wins on
    later_first, later_unit = 0, 1
    for t in range(len(looks) - 1, -1, -1):
        n = looks[t]
        last = t == len(looks) - 1
        size = 1 if last else looks[t + 1] - n
        unit = 1
        while unit * 2 * FINEST <= math.sqrt(size * REFERENCE * (1 - REFERENCE)):
            unit *= 2
        if last:
            unit = later_unit = 1
            while unit * 2 * FINEST <= math.sqrt(n * GROWTH * REFERENCE * (1 - REFERENCE)):
                unit *= 2
        spread = WIDTH * math.sqrt(n * REFERENCE * (1 - REFERENCE))
        first = max(0, math.floor((n * REFERENCE - spread) / unit))
        final = min(n // unit, math.ceil((n * REFERENCE + spread) / unit))
        values = np.empty(final - first + 1)
        start, chances = batch_of(size, REFERENCE, unit)
        reach = np.zeros(0)
        if not last:  # the values after one more batch, on cells of this look's size
            reach = np.empty(len(values) + len(chances) - 1)
            for i in range(len(reach)):
                wins = (first + start + i) * unit
                place = wins / later_unit - later_first
                j = math.floor(place)
                if j >= 0 and j + 1 < len(later):
                    reach[i] = later[j] + (place - j) * (later[j + 1] - later[j])
                elif j == place and 0 <= j < len(later):
                    reach[i] = later[j]
                else:
                    m = looks[t + 1]
                    w = min(max(wins, 0), m)
                    reach[i] = min(prices[0] * _likelihood(LOW, m, w), prices[1] * _likelihood(HIGH, m, w))
        lowest, highest, turn = len(values), -1, len(values)  # where it goes on, and from where accepting is cheaper
        for i in range(len(values)):
            wins = (first + i) * unit
            if_accepted, if_discarded = prices[0] * _likelihood(LOW, n, wins), prices[1] * _likelihood(HIGH, n, wins)
            go_on = math.inf
            if not last:
                go_on = 0.0
                for j in range(len(chances)):
                    go_on += chances[j] * reach[i + j]
                for k in range(len(efficiencies)):
                    go_on += size * costs[k] * _likelihood(efficiencies[k], n, wins)
            if t == 0:
                return go_on, accepts, discards
            values[i] = min(if_accepted, if_discarded, go_on)
            if go_on < min(if_accepted, if_discarded):
                lowest, highest = min(lowest, i), i
            elif if_accepted <= if_discarded:
                turn = min(turn, i)
        if highest < 0:
            lowest, highest = turn, turn - 1
        if highest < len(values) - 1:
            accepts[t - 1] = (first + highest + 1) * unit
        if lowest > 0:
            discards[t - 1] = (first + lowest - 1) * unit
        later, later_first, later_unit = values, first, unit
    raise AssertionError

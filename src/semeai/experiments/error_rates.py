"""Error rates in the worst cases that the guarantee allows: each must be at most its risk.

A race assumes only that the expectation of a reward, given all rewards before it, is at most ``accept_above`` if the
candidate is bad. So an adversary may choose the distribution of each reward after looking at the evidence.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semeai.rng import generator
from semeai.stats.betting import Floats, MixtureBetting, accept_log_factors, discard_log_factors
from semeai.stats.counts import SCALE, RewardCounts
from semeai.stats.elo import LEVELS, NORMALISED_PER_UNIT, elo, elo_estimate, normalised_elo
from semeai.stats.finite import FiniteSample, is_better
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

LOW, HIGH = 0.505, 0.525  # accept_above, discard_below
STEPS = 6000  # evaluations of a candidate
RISK = 0.05

Reward = Callable[[np.random.Generator, Floats, int, float], Floats]
"""Rewards of the next evaluation of many candidates, from their evidence (log wealth), its number and their mean."""


def _coin(rng: np.random.Generator, p: Floats | float, n: int) -> Floats:
    found: Floats = (rng.random(n) < p).astype(float)
    return found


def _two_points(rng: np.random.Generator, evidence: Floats, low: Floats | float, high: float, mean: float) -> Floats:
    found: Floats = np.where(rng.random(len(evidence)) < (mean - low) / (high - low), high, low)
    return found


REWARDS: dict[str, Reward] = {
    "coins": lambda rng, e, t, mean: _coin(rng, mean, len(e)),
    "95% ties": lambda rng, e, t, mean: np.where(rng.random(len(e)) < 0.95, 0.5, _coin(rng, 20 * mean - 9.5, len(e))),
    "heavy tail: 1 in 1,000 is worth more than the rest": lambda rng, e, t, mean: _two_points(
        rng, e, (mean - 0.001) / 0.999, 1.0, mean
    ),
    "heavy tail downwards": lambda rng, e, t, mean: _two_points(rng, e, 0.0, mean / 0.999, mean),
    "pairs of games, correlation 0.9": lambda rng, e, t, mean: np.where(
        rng.random(len(e)) < 0.9, _coin(rng, mean, len(e)), (_coin(rng, mean, len(e)) + _coin(rng, mean, len(e))) / 2
    ),
    "noise that grows and shrinks": lambda rng, e, t, mean: mean + _width(t) * (2 * _coin(rng, 0.5, len(e)) - 1),
    "adversary: coins while the evidence is small, then tiny steps": lambda rng, e, t, mean: np.where(
        e < 1.5, _coin(rng, mean, len(e)), _two_points(rng, e, mean - 0.02, mean + 0.02, mean)
    ),
    "adversary: safe gains, and a rare large loss": lambda rng, e, t, mean: np.where(
        e > 1, _two_points(rng, e, 0.0, mean + 0.01, mean), _coin(rng, mean, len(e))
    ),
    "adversary: best efficiency first, then the worst": lambda rng, e, t, mean: _coin(
        rng, mean if t < STEPS // 4 else mean - 0.1, len(e)
    ),
}


def _width(t: int) -> float:
    return 0.01 + 0.45 * (1 + math.sin(t / 200)) / 2


def worst_cases(races: int, seed: int) -> ResultTable:
    """Return the error rates of one candidate at a threshold, a look after each evaluation."""
    several = max(1, races // 40)
    rows: list[tuple[Cell, ...]] = []
    for name, reward in REWARDS.items():
        row: list[Cell] = [name]
        for wide in (False, True):
            test = MixtureBetting(LOW, HIGH, wide=wide)
            for accepting in (True, False):
                row.append(_ever_wrong(test, reward, several, seed, name, accepting=accepting).words)
        rows.append(tuple(row))
    return ResultTable(
        f"Worst cases: errors of one candidate, {several:,} races of at most {STEPS:,} evaluations per cell",
        ("rewards", "betting: accepted at accept_above", "discarded at discard_below",
         "wide_betting: accepted at accept_above", "discarded at discard_below"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5%, a look after each evaluation. Each rate must be compatible with at "
        f"most 5%. For discards all rewards are mirrored: 1 - x, with the expectation discard_below. {OPEN_NOTE}",
    )  # fmt: skip


OPEN_NOTE = "Open: without a verdict at the end, so 0% beside many open races only says that nothing was proven."


class Ends(NamedTuple):
    """How the races of one worst case ended."""

    wrong: NDArray[np.bool_]
    open: NDArray[np.bool_]

    @property
    def words(self) -> str:
        share = f"; {percent(self.open.mean())} open" if self.open.any() else ""
        return _rate(self.wrong) + share


def _ever_wrong(test: MixtureBetting, reward: Reward, several: int, seed: int, name: str, *, accepting: bool) -> Ends:
    """Simulate candidates with the expectation of a threshold. Returns which ones ever get the wrong verdict."""
    rng = generator(seed, "worst case", name)
    m = test.accept_above if accepting else 1 - test.discard_below
    wealth = np.repeat(test.log_weights[None, :], several, axis=0)
    other = wealth.copy()
    wrong = np.zeros(several, bool)
    open_ones = np.arange(several)
    for t in range(STEPS):
        x = reward(rng, np.logaddexp.reduce(wealth[open_ones], axis=1), t, m)
        assert x.min() >= 0
        assert x.max() <= 1
        own = x if accepting else 1 - x
        up = accept_log_factors(own, test.accept_bets, test.accept_above)
        down = discard_log_factors(own, test.discard_bets, test.discard_below)
        wealth[open_ones] += up if accepting else down
        other[open_ones] += down if accepting else up
        bad = np.logaddexp.reduce(wealth[open_ones], axis=1) >= -math.log(RISK)
        wrong[open_ones[bad]] = True
        right = np.logaddexp.reduce(other[open_ones], axis=1) >= -math.log(RISK)
        open_ones = open_ones[~bad & ~right]
        if not len(open_ones):
            break
    still_open = np.zeros(several, bool)
    still_open[open_ones] = True
    return Ends(wrong, still_open)


POPULATIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "coins": lambda rng, n: np.repeat([0.0, 1.0], n // 2),
    "nine of ten items are ties": lambda rng, n: np.repeat([0.0, 0.5, 1.0], [n // 20, n - 2 * (n // 20), n // 20]),
    "one item is worth as much as all others": lambda rng, n: np.append(np.full(n - 1, 0.5 - 0.5 / (n - 1)), 1.0),
    "nearly constant": lambda rng, n: _centred(rng.normal(0.5, 0.01, n)),
    "many small gains, few large losses": lambda rng, n: _centred(np.where(np.arange(n) < n // 10, 0.0, 0.555)),
}
N_ITEMS = 200


def _centred(values: Floats) -> Floats:
    found: Floats = values - values.mean() + 0.5
    return np.clip(found, 0, 1)


def without_replacement(races: int, seed: int) -> ResultTable:
    """Return how often the interval of a finite list ever misses its mean, from the first batch to the last item."""
    several, batch = max(1, races // 40), 10
    rows: list[tuple[Cell, ...]] = []
    for name, population in POPULATIONS.items():
        rng = generator(seed, "finite", name)
        missed = np.zeros(several, bool)
        looks = np.zeros(several, np.int64)
        for r in range(several):
            values = population(rng, N_ITEMS)
            mean = float(values.mean())
            sample, order = FiniteSample(N_ITEMS), rng.permutation(N_ITEMS)
            for start in range(0, N_ITEMS - batch, batch):  # after the last batch the mean is known
                sample.add(values[order[start : start + batch]].tolist())
                looks[r] += 1
                evidence = max(sample.log_wealth_above(mean), sample.log_wealth_below(mean))
                missed[r] |= evidence >= -math.log(RISK / 2)
        rows.append((f"{name}: mean of the list", "interval ever misses it", "5%", _rate(missed)))
    of_items = max(1, races // 100)
    for name, wrong in _races_of_items(of_items, seed):
        rows.append((name, "any wrong verdict", "5%", _rate(wrong)))
    return ResultTable(
        f"Without replacement, to exhaustion: lists of {N_ITEMS} items, {several:,} orders; races: {of_items:,}",
        ("case", "error", "risk", "rate"),
        tuple(rows),
        "A look after every 10 items, until none is left. The races are judged as by semeai.prompts.race_items.",
    )


def _races_of_items(several: int, seed: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield which races on a test set err: five candidates that are as good as the baseline, worse, or better."""
    for name, gain in (("as good as the baseline", 0), ("4% worse", -8), ("4% better", 8)):
        wrong = np.zeros(several, bool)
        for r in range(several):
            rng = generator(seed, "items", r, name)
            n_right = N_ITEMS // 2
            graded = [rng.permutation(np.arange(N_ITEMS) < n) for n in (n_right, *[n_right + gain] * 5)]
            order = generator(r, "items").permutation(N_ITEMS)
            baseline = graded[0][order].astype(float)
            wrong[r] = any(_errs((1 + own[order] - baseline) / 2, gain) for own in graded[1:])
        yield f"race of five, all {name}", wrong


def _errs(rewards: Floats, gain: int) -> bool:
    """Return whether one of five candidates with these rewards, in the order of the race, gets a wrong verdict."""
    sample = FiniteSample(N_ITEMS)
    for start in range(0, N_ITEMS, 10):
        sample.add(rewards[start : start + 10].tolist())
        better = is_better(sample, 0.02, RISK / 5)
        if better is not None:
            return better != (gain > 0)
    return False


def elo_intervals(races: int, seed: int) -> ResultTable:
    """Return how often an always-valid Elo interval ever misses the truth."""
    several = max(1, races // 40)
    rows = tuple((name, _rate(missed)) for name, missed in _elo(several, seed))
    return ResultTable(
        f"Elo: {several:,} matches of 300 pairs of games, a look after every 10",
        ("case", "interval ever misses the truth"),
        rows,
        "Intervals of 95%: each rate must be compatible with at most 5%.",
    )


PAIRS = {
    "pairs, most are split": (0.01, 0.04, 0.88, 0.05, 0.02),
    "pairs, unbalanced openings": (0.05, 0.0, 0.88, 0.0, 0.07),
    "pairs, no draws at all": (0.2, 0.0, 0.5, 0.0, 0.3),
}


def _elo(several: int, seed: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    rewards = np.array(LEVELS) / SCALE
    for name, chances in PAIRS.items():
        p = np.array(chances)
        mean = float(p @ rewards)
        variance = 2 * float(p @ (rewards - mean) ** 2)  # of a game
        truth = (elo(mean), NORMALISED_PER_UNIT * (mean - 0.5) / math.sqrt(variance))
        missed = np.zeros((2, several), bool)
        for r in range(several):
            draws = generator(seed, "elo", name, r).choice(5, 300, p=p)
            for n in range(10, 301, 10):
                counts = RewardCounts(
                    {LEVELS[i]: int(c) for i, c in enumerate(np.bincount(draws[:n], minlength=5)) if c}
                )
                for i, found in enumerate((elo_estimate(counts), normalised_elo(counts))):
                    missed[i, r] |= not found.lower <= truth[i] <= found.upper
        yield f"Elo, {name}", missed[0]
        yield f"normalised Elo, {name}", missed[1]


def _rate(events: NDArray[np.bool_]) -> str:
    count, n = int(events.sum()), events.size
    return percent(count / n, wilson_interval(count, n))

"""How many games the first good candidate needs, beside what any method with the guarantee needs at least.

Two lower bounds hold for a race of K candidates of which one is good, and nobody knows which one.

- *Certainty*: before the good candidate is accepted, the race must be told apart from one in which all candidates are
  at ``accept_above``. There the probabilities to accept number 1, 2, ..., K add up to at most the risk, so over the
  places where the good one may stand their mean is at most risk / K. By the transport inequality of Garivier & Kaufmann
  ("Optimal best arm identification with fixed confidence", 2016, section 2) and the convexity of kl, the mean number
  of games is at least kl(1 - risk, risk / K) / KL(good, accept_above). It does not contain the search, because a lucky
  order needs none.
- *Search*: the games of an oracle that knows both efficiencies and that exactly one candidate is good. Its candidates
  have posterior probabilities; it plays the most probable one, and stops when one reaches 1 - risk. That is the best
  search for a fixed number of games (Castanon, "Optimal search strategies in dynamic hypothesis testing", 1995; see
  Chandrasekaran & Karp, "Finding a most biased coin with fewest flips", 2014). Where a test solves small cases exactly
  no other search is cheaper by more than 1%, so it is a bound up to that.

The larger one is the bound of the tables.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from semeai.experiments.simulated_race import simulate
from semeai.jit import kernel
from semeai.race.settings import RaceSettings
from semeai.rng import derive
from semeai.rng_kernels import State, seed_state, uniform
from semeai.stats.information import bernoulli_kl
from semeai.table import Cell, ResultTable, percent

BAD = 0.5
GOOD = (0.51, 0.52, 0.55)
CANDIDATES = (2, 5, 10, 20, 50)
CORRELATIONS = (0.0, 0.5, 0.9)
WIDE = RaceSettings(method="wide_betting")
EFFECT = 0.05  # of the good candidate, in standard deviations of a program's result


@kernel
def search_once(
    n_candidates: int, good: float, bad: float, risk: float, state: State, log_odds: NDArray[np.float64]
) -> int:
    """Search the good one of several candidates, at a random place, as the oracle does. Returns the number of games.

    Of equally probable candidates it plays the first one.
    """
    up, down = math.log(good / bad), math.log((1 - good) / (1 - bad))
    log_odds[:] = 0.0
    place = int(uniform(state) * n_candidates)
    games = 0
    while True:
        best = 0
        for i in range(1, n_candidates):
            if log_odds[i] > log_odds[best]:
                best = i
        others = 0.0
        runner_up = -math.inf
        for i in range(n_candidates):
            if i != best:
                others += math.exp(log_odds[i])
                runner_up = max(runner_up, log_odds[i])
        stop_at = math.log(others * (1 - risk) / risk)
        efficiency = good if best == place else bad
        if log_odds[best] >= stop_at:
            return games
        while log_odds[best] >= runner_up:
            log_odds[best] += up if uniform(state) < efficiency else down
            games += 1
            if log_odds[best] >= stop_at:
                return games


@kernel
def search_often(
    n_candidates: int, good: float, bad: float, risk: float, key: np.uint64, games: NDArray[np.int64]
) -> None:
    """Fill in the games of one search per element of ``games``."""
    state = np.empty(4, np.uint64)
    seed_state(state, key)
    log_odds = np.zeros(n_candidates)
    for r in range(len(games)):
        games[r] = search_once(n_candidates, good, bad, risk, state, log_odds)


def search_bound(n_candidates: int, good: float, bad: float, risk: float, searches: int, seed: int) -> float:
    """Return the mean number of games of the oracle's search, by simulation."""
    games = np.zeros(searches, np.int64)
    search_often(n_candidates, good, bad, risk, np.uint64(derive(seed, "search", n_candidates)), games)
    return float(games.mean())


def certainty_bound(n_candidates: int, good: float, risk: float, accept_above: float) -> float:
    """Return the least mean number of games before a race may accept one good candidate among several."""
    return bernoulli_kl(1 - risk, risk / n_candidates) / bernoulli_kl(good, accept_above)


def first_good(races: int, seed: int) -> ResultTable:
    """Compare the games to the first acceptance with the lower bounds, by the number of candidates."""
    several = max(1, races // 20)  # as for ten candidates
    settings = RaceSettings()
    rows: list[tuple[Cell, ...]] = []
    for good in GOOD:
        for k in CANDIDATES:
            certainty = certainty_bound(k, good, settings.risk, settings.accept_above)
            search = search_bound(k, good, BAD, settings.risk, several, seed)
            truth = [BAD] * (k - 1) + [good]
            games, wide = (simulate(s, truth, several, seed).games for s in (settings, WIDE))
            bound = max(certainty, search)
            ratios = (mean_and_error(found / bound) for found in (games, wide))
            rows.append((good, k, float(games.mean()), float(wide.mean()), certainty, search, *ratios))
    return ResultTable(
        f"The first good candidate: games beside lower bounds, {several:,} races per row",
        ("efficiency of the good one", "candidates", "games", "games, wide_betting", "certainty", "search",
         "games / larger bound", "wide_betting / larger bound"),
        tuple(rows),
        f"All others have efficiency {BAD}; thresholds 0.501 and 0.504, risk 5%. Certainty: what the proof needs at "
        "least. Search: an oracle that knows both efficiencies, and that exactly one is good. Half widths of 95% "
        "intervals.",
    )  # fmt: skip


def mean_and_error(values: NDArray[np.float64]) -> str:
    """Return a mean with the half width of its 95% interval."""
    return f"{values.mean():.2f} ± {1.96 * values.std() / math.sqrt(len(values)):.2f}"


def shared_seeds(races: int, seed: int) -> ResultTable:
    """Return how many programs a race of ten runs, by correlation on equal seeds, with and without shared baseline."""
    several, k = max(1, races // 20), 10
    rows: list[tuple[Cell, ...]] = []
    first = None
    for correlation in CORRELATIONS:
        good = NormalDist().cdf(EFFECT / math.sqrt(2 * (1 - correlation)))
        told = simulate(RaceSettings(), [BAD] * (k - 1) + [good], several, seed).told
        games = float(told.sum(1).mean())
        alone, shared = 2 * games, games + float(told.max(1).mean())
        first = first or alone
        rows.append((correlation, good, games, alone, shared, percent(shared / alone), percent(shared / first)))
    return ResultTable(
        f"Equal seeds and a shared baseline: programs that a race of ten runs, {several:,} races per row",
        ("correlation", "efficiency of the good one", "games", "programs, each its own baseline",
         "programs, shared baseline", "shared / own", "shared / own without correlation"),
        tuple(rows),
        f"A game compares the results of candidate and baseline on one seed. Results are normal; that of the good "
        f"candidate is {EFFECT} standard deviations better, the nine others are as good as the baseline. Equal seeds "
        "correlate the two results, so the better one wins more often. A shared baseline runs once per seed.",
    )  # fmt: skip

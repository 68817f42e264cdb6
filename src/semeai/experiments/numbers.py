"""Error rates and cost of what races any number: medians, shared baselines, the wide mixture, false discovery rates."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from semeai.race.rules import betting_levels
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.stats.betting import MixtureBetting, accept_log_factors, discard_log_factors
from semeai.stats.information import bernoulli_kl
from semeai.stats.intervals import wilson_interval
from semeai.stats.medians import wins_needed
from semeai.table import Cell, ResultTable, percent

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]

LOOKS = 500
MEDIANS: dict[str, Draw] = {
    "normal": lambda rng, n, t: rng.normal(size=(n, t)),
    "Cauchy: no mean": lambda rng, n, t: rng.standard_cauchy((n, t)),
    "exponential: skewed": lambda rng, n, t: rng.exponential(size=(n, t)) - math.log(2),
    "half of them ties": lambda rng, n, t: rng.choice([-1.0, 0.0, 0.0, 3.0], (n, t)),
    "noise that grows fifty-fold": lambda rng, n, t: rng.normal(size=(n, t)) * np.linspace(1, 50, t),
    "log ratio of equal commands, 10% slow runs": lambda rng, n, t: _slow_runs(rng, n, t) - _slow_runs(rng, n, t),
}
LOW, HIGH = 0.505, 0.525  # thresholds of the wide mixture's table
VARIANCES: dict[str, Draw] = {
    "always 0.535": lambda rng, n, t: np.full((n, t), 0.535),
    "0.535, standard deviation 0.05": lambda rng, n, t: rng.normal(0.535, 0.05, (n, t)),
    "0.535, standard deviation 0.1": lambda rng, n, t: rng.normal(0.535, 0.1, (n, t)),
    "pairs, 90% split, mean 0.535": lambda rng, n, t: rng.choice([0, 0.5, 1], (n, t), p=[0.015, 0.9, 0.085]),
    "Beta(8, 7)": lambda rng, n, t: rng.beta(8, 7, (n, t)),
    "coins, 0.55": lambda rng, n, t: rng.binomial(1, 0.55, (n, t)).astype(float),
    "coins, 0.45": lambda rng, n, t: rng.binomial(1, 0.45, (n, t)).astype(float),
    "coins, 0.505 (none may be accepted)": lambda rng, n, t: rng.binomial(1, 0.505, (n, t)).astype(float),
}
LONGEST = 6000  # evaluations of a simulated candidate
BATCH = 8


def medians(races: int, seed: int) -> ResultTable:
    """Return how often an always-valid interval for a median ever misses it."""
    several = max(1, races // 10)
    needed = np.array([wins_needed(n, 0.025) for n in range(1, LOOKS + 1)])
    rows: list[tuple[Cell, ...]] = []
    for name, draw in MEDIANS.items():
        values = draw(generator(seed, "medians", name), several, LOOKS)
        missed = ((values > 0).cumsum(1) >= needed).any(1) | ((values < 0).cumsum(1) >= needed).any(1)
        rows.append((name, _rate(missed)))
    return ResultTable(
        f"Medians: {several:,} samples of {LOOKS} values, a look after each",
        ("distribution", "interval ever misses the median"),
        tuple(rows),
        "Intervals of 95%: each rate must be compatible with at most 5%.",
    )


def median_cost(races: int, seed: int) -> ResultTable:
    """Return how many values exclude a median of 0, by the part of them that is above 0."""
    several, most = max(1, races // 20), 2000
    needed = np.array([wins_needed(n, 0.025) for n in range(1, most + 1)])
    rows: list[tuple[Cell, ...]] = []
    for part in (1.0, 0.95, 0.9, 0.8, 0.7, 0.6):
        above = generator(seed, "median cost", int(100 * part)).random((several, most)) < part
        values = (above.cumsum(1) >= needed).argmax(1) + 1
        known = -math.log(0.025) / bernoulli_kl(part, 0.5)
        rows.append((percent(part), float(values.mean()), int(np.quantile(values, 0.95)), known))
    return ResultTable(
        f"Medians: values until 0 is excluded, {several:,} samples",
        ("values above 0", "mean", "95% quantile", "log(1 / risk) / KL: known part, no overshoot"),
        tuple(rows),
        "At a risk of 2.5% on each side.",
    )


def _slow_runs(rng: np.random.Generator, n: int, t: int) -> Floats:
    spikes: Floats = np.log1p((rng.random((n, t)) < 0.1) * rng.pareto(1.1, (n, t)))
    return 0.1 * rng.normal(size=(n, t)) + spikes


def shared_baseline(races: int, seed: int) -> ResultTable:
    """Return the error rates of five candidates at the threshold that are compared with the same baseline."""
    several, k, t = max(1, races // 20), 5, 1600
    settings = RaceSettings(mode="plain", accept_above=0.51, discard_below=0.6)
    shift = math.sqrt(2) * NormalDist().inv_cdf(settings.accept_above)
    rows: list[tuple[Cell, ...]] = []
    for name in ("each its own baseline and seeds", "one baseline and the same seeds"):
        rng = generator(seed, "shared baseline", name)
        shared = rng.normal(size=(several, t))
        wrong = np.zeros((several, k), bool)
        for i in range(k):
            baseline = shared if name.startswith("one") else rng.normal(size=(several, t))
            rewards = (rng.normal(size=(several, t)) + shift > baseline).astype(float)
            wrong[:, i] = _verdicts(settings, k, rewards)[0] > 0
        programs = k + 1 if name.startswith("one") else 2 * k
        rows.append((name, _rate(wrong.any(1)), percent(wrong.mean()), programs))
    return ResultTable(
        f"Shared baseline: five candidates exactly at accept_above, {several:,} plain races",
        ("baseline", "any accepted", "a candidate accepted", "programs per seed"),
        tuple(rows),
        "Thresholds 0.51 and 0.6, risk 5%: the first rate must be compatible with at most 5%. The union bound over "
        "candidates holds whatever their dependence.",
    )


def small_variances(races: int, seed: int) -> ResultTable:
    """Compare the wide mixture with the default one on rewards of small variance, and on coins."""
    several = max(1, races // 100)
    rows: list[tuple[Cell, ...]] = []
    for name, draw in VARIANCES.items():
        rewards = np.clip(draw(generator(seed, "variance", name), several, LONGEST), 0, 1)
        found = []
        for method in ("betting", "wide_betting"):
            settings = RaceSettings(method=method, accept_above=LOW, discard_below=HIGH)
            found.append(_verdicts(settings, 1, rewards))
        games = [float(n.mean()) for _, n in found]
        accepted = (_rate(verdict > 0) for verdict, _ in found)
        rows.append((name, games[0], games[1], percent(games[1] / games[0]), *accepted))
    return ResultTable(
        f"Rewards of small variance: evaluations of one candidate, {several:,} races",
        ("rewards", "betting", "wide_betting", "ratio", "betting accepts", "wide_betting accepts"),
        tuple(rows),
        f"Thresholds {LOW} and {HIGH}, risk 5%. Races without a verdict end after {LONGEST:,} evaluations.",
    )


def _verdicts(settings: RaceSettings, k: int, rewards: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each row of rewards 1, -1 or 0 (accepted, discarded, open), and the evaluations until then."""
    test = MixtureBetting(settings.accept_above, settings.discard_below, wide=settings.method == "wide_betting")
    levels = betting_levels(settings, k, 1)
    accept = np.empty((len(rewards), rewards.shape[1] // BATCH))
    discard = np.empty_like(accept)
    for i, row in enumerate(rewards):
        for factors, bets, m, out in (
            (accept_log_factors, test.accept_bets, test.accept_above, accept),
            (discard_log_factors, test.discard_bets, test.discard_below, discard),
        ):
            wealth = test.log_weights + factors(row, bets, m).cumsum(0)[BATCH - 1 :: BATCH]
            out[i] = np.logaddexp.reduce(wealth, axis=1)
    accepts, discards = accept >= -math.log(levels.accept), discard >= -math.log(levels.discard)
    first = (accepts | discards).argmax(1)
    rows = np.arange(len(rewards))
    decided = accepts[rows, first] | discards[rows, first]
    verdict = np.where(decided, np.where(accepts[rows, first], 1, -1), 0)
    return verdict, np.where(decided, (first + 1) * BATCH, rewards.shape[1])


def discoveries(races: int, seed: int) -> ResultTable:
    """Return what a stream of 200 candidates finds with bounds on any error (FWER) and on their part (FDR)."""
    several, length = max(1, races // 20), 200
    rows: list[tuple[Cell, ...]] = []
    for share in (0.0, 0.1, 0.3):
        for fdr in (False, True):
            rng = generator(seed, "discoveries", int(100 * share))
            good = rng.random(length) < share
            accepted, games = _stream(rng, np.where(good, 0.6, 0.505), several, fdr)
            wrong, all_of_them = accepted[:, ~good].sum(1), accepted.sum(1)
            rows.append(
                (
                    percent(share),
                    "fdr = true" if fdr else "default",
                    games,
                    percent(accepted[:, good].mean()) if good.any() else "",
                    _mean_share(wrong / np.maximum(1, all_of_them)),
                    _rate(wrong > 0),
                )
            )
    return ResultTable(
        f"Streams of {length} candidates: false discovery rate beside the family-wise error rate, {several:,} streams",
        ("good ones", "stream", "games", "good ones accepted", "false discovery rate", "any bad one accepted"),
        tuple(rows),
        "Good candidates have efficiency 0.6, the others 0.505, which is accept_above; discard_below is 0.55, risk 5%. "
        "The default keeps the last column at 5%, fdr = true the last but one. Rates with 95% intervals.",
    )


def _mean_share(values: Floats) -> str:
    """Return the mean of numbers between 0 and 1, with its interval: Wilson's of the most varied such numbers."""
    return percent(float(values.mean()), wilson_interval(float(values.sum()), len(values)))


def _stream(rng: np.random.Generator, truth: Floats, several: int, fdr: bool) -> tuple[NDArray[np.bool_], float]:
    """Simulate streams of win or loss rewards, all at once.

    Returns who was accepted, a row per stream, and the mean number of games of a stream.
    """
    settings = RaceSettings(mode="stream", accept_above=0.505, discard_below=0.55, fdr=fdr)
    test = MixtureBetting(settings.accept_above, settings.discard_below)
    win_loss = np.array([1.0, 0.0])
    accept_win, accept_loss = accept_log_factors(win_loss, test.accept_bets, test.accept_above)
    discard_win, discard_loss = discard_log_factors(win_loss, test.discard_bets, test.discard_below)
    accepted = np.zeros((several, len(truth)), bool)
    games = 0
    for i, efficiency in enumerate(truth):
        levels = [betting_levels(settings, 1, i + 1, int(n)) for n in accepted.sum(1)]
        accept_at = -np.log([level.accept for level in levels])
        wins, n, open_ones = np.zeros(several), 0, np.arange(several)
        while len(open_ones):
            size = max(BATCH, n // 16)
            n += size
            games += size * len(open_ones)
            wins[open_ones] += rng.binomial(size, efficiency, len(open_ones))
            w = wins[open_ones][:, None]
            merit = np.logaddexp.reduce(test.log_weights + w * accept_win + (n - w) * accept_loss, axis=1)
            doubt = np.logaddexp.reduce(test.log_weights + w * discard_win + (n - w) * discard_loss, axis=1)
            accepts = merit >= accept_at[open_ones]
            accepted[open_ones[accepts], i] = True
            open_ones = open_ones[~accepts & (doubt < -math.log(settings.risk))]
    return accepted, games / several


def _rate(events: NDArray[np.bool_] | np.bool_) -> str:
    count, n = int(events.sum()), events.size
    return percent(count / n, wilson_interval(count, n))

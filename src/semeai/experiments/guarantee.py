"""Measure the cost and the error rates of each method on simulated games of known efficiency.

The papers prove that their race is right with probability 1 - risk but "have no bounds on rates" (long version,
section 4). This module measures the rates of their variants and of the default method, and compares them with the
information bound that no method can beat.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from semeai.experiments import comparisons, error_rates, first_good, numbers
from semeai.experiments.simulated_race import ACCEPTED, DISCARDED, Simulation, simulate
from semeai.race.settings import RaceSettings
from semeai.stats.information import information_bound
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

EFFICIENCIES = (0.45, 0.48, 0.49, 0.50, 0.5025, 0.51, 0.52, 0.55, 0.567)
PAPER = RaceSettings(method="hoeffding", spending="quadratic")
DEFAULT = RaceSettings()
METHODS = {
    "variant 1": RaceSettings(method="hoeffding", spending="geometric"),
    "variant 2": PAPER,
    "bernstein": RaceSettings(method="bernstein", spending="quadratic"),
    "betting": DEFAULT,
    "betting, coverage": RaceSettings(coverage=True),
    "betting, throughput": RaceSettings(throughput=True),
    "wide_betting": RaceSettings(method="wide_betting"),
    "bold_betting": RaceSettings(method="bold_betting"),
}
STREAM_LENGTH = 400
DEFAULT_RACES = 5000

Progress = Callable[[str], object]


def run(races: int = DEFAULT_RACES, seed: int = 1, progress: Progress = lambda text: None) -> list[ResultTable]:
    tables = []
    for title, make in (
        ("one candidate", single_candidate),
        ("errors at the thresholds", boundary_errors),
        ("ten candidates", ten_candidates),
        ("selection rules", selection_rules),
        ("the first good candidate", first_good.first_good),
        ("equal seeds and a shared baseline", first_good.shared_seeds),
        ("a stream", stream),
        ("medians", numbers.medians),
        ("the cost of medians", numbers.median_cost),
        ("a shared baseline", numbers.shared_baseline),
        ("a shared baseline in bgp races", comparisons.adaptive_selection),
        ("several commands", comparisons.several_commands),
        ("mean differences", comparisons.mean_differences),
        ("tournaments", comparisons.tournaments),
        ("rewards of small variance", numbers.small_variances),
        ("false discoveries", numbers.discoveries),
        ("worst cases", error_rates.worst_cases),
        ("lists without replacement", error_rates.without_replacement),
        ("Elo", error_rates.elo_intervals),
        ("pruned trials", comparisons.pruned_trials),
    ):
        progress(f"simulating {title} …")
        tables.append(make(races, seed))
    return tables


def single_candidate(races: int, seed: int) -> ResultTable:
    """Return the expected games of one candidate, by efficiency and method."""
    rows = [row for e in EFFICIENCIES for row in _methods_at([e], races, seed, METHODS)]
    return ResultTable(
        f"One candidate: expected games, {races:,} races per cell",
        ("efficiency", *_COLUMNS),
        tuple(rows),
        "Thresholds 0.501 and 0.504, risk 5%. Games include the batch that was running at the verdict. "
        "Rates with 95% Wilson intervals. Between the thresholds (0.5025) either verdict is right.",
    )


def ten_candidates(races: int, seed: int) -> ResultTable:
    """Return the same for BGP with |S0| = 10: nine candidates at 0.50 and one that varies."""
    rows: list[tuple[Cell, ...]] = []
    for e in EFFICIENCIES:
        several = max(1, races // (20 if e >= DEFAULT.discard_below else 50))  # discarding all ten takes long
        rows += _methods_at([0.5] * 9 + [e], several, seed, METHODS)
    return ResultTable(
        f"Ten candidates, nine at 0.50: expected games to the end of BGP, {max(1, races // 20):,} races per cell, "
        f"{max(1, races // 50):,} if none is good",
        ("efficiency of the tenth", *_COLUMNS),
        tuple(rows),
        "The information bound is that of the good candidate alone or, if none is good, the sum over all ten. "
        "An error is a wrong verdict on any candidate in the race.",
    )


_COLUMNS = ("method", "games", "games / variant 2", "games / information bound", "false accepts", "false discards")


def _methods_at(
    truth: list[float], races: int, seed: int, methods: Mapping[str, RaceSettings]
) -> Iterator[tuple[Cell, ...]]:
    """Yield one row per method, for candidates of these efficiencies; the last one varies."""
    low, high = DEFAULT.accept_above, DEFAULT.discard_below
    values = np.array(truth)
    efficiency = truth[-1]
    bounds = [information_bound(e, DEFAULT.risk, low, high) for e in truth]
    bound = bounds[-1] if efficiency >= high else sum(bounds)
    paper = mean_games(simulate(PAPER, truth, races, seed))
    for name, settings in methods.items():
        result = simulate(settings, truth, races, seed)
        games = mean_games(result)
        accepts = (result.verdicts[:, values <= low] == ACCEPTED).any(1)
        discards = (result.verdicts[:, values >= high] == DISCARDED).any(1)
        yield (
            efficiency,
            name,
            games,
            percent(games / paper),
            f"{games / bound:.2f}",
            _rate(accepts) if (values <= low).any() else "",
            _rate(discards) if (values >= high).any() else "",
        )


def boundary_errors(races: int, seed: int) -> ResultTable:
    """Return the error rates at the thresholds, where they are largest."""
    rows: list[tuple[Cell, ...]] = []
    low, high = DEFAULT.accept_above, DEFAULT.discard_below
    several = max(1, races // 10)
    for name, settings in METHODS.items():
        alone_low = simulate(settings, [low], races, seed).verdicts == ACCEPTED
        alone_high = simulate(settings, [high], races, seed).verdicts == DISCARDED
        ten_low = simulate(settings, [low] * 10, several, seed).verdicts == ACCEPTED
        mixed = simulate(settings, [low] * 9 + [high], several, seed).verdicts
        wrong = (mixed[:, :9] == ACCEPTED).any(1) | (mixed[:, 9] == DISCARDED)
        rows.append((name, _rate(alone_low), _rate(alone_high), _rate(ten_low.any(1)), _rate(wrong)))
    return ResultTable(
        f"Errors at the thresholds: {races:,} races of one candidate, {several:,} of ten",
        ("method", "accepted at 0.501", "discarded at 0.504", "ten at 0.501: any accepted",
         "nine at 0.501, one at 0.504: any error"),
        tuple(rows),
        "95% Wilson intervals. Each must be compatible with at most 5%, except the discards of throughput mode: it "
        "allows more of them (at most 47%) to save games.",
    )  # fmt: skip


def selection_rules(races: int, seed: int) -> ResultTable:
    """Compare selection rules on nine candidates at 0.50 and a good one."""
    rows: list[tuple[Cell, ...]] = []
    contenders = {
        "variant 2, max_upper (the papers)": PAPER,
        "betting, max_evidence": RaceSettings(selection="max_evidence"),
        "betting, hdoc": RaceSettings(selection="hdoc"),
        "betting, round_robin": RaceSettings(selection="round_robin"),
        "betting, max_progress (default)": DEFAULT,
    }
    several = max(1, races // 20)  # as for ten candidates and for the first good one: the same races
    for good in (0.51, 0.52, 0.55):
        truth = [0.5] * 9 + [good]
        paper = mean_games(simulate(PAPER, truth, several, seed))
        for name, settings in contenders.items():
            result = simulate(settings, truth, several, seed)
            games = mean_games(result)
            bad = (result.verdicts[:, :9] == ACCEPTED).any(1)
            lost = result.verdicts[:, 9] != ACCEPTED
            rows.append((good, name, games, percent(games / paper), _rate(bad), _rate(lost)))
    return ResultTable(
        f"Selection rules: nine candidates at 0.50 and a good one, {several:,} races per cell",
        ("efficiency of the good one", "method", "games", "games / papers", "bad one accepted", "good one not found"),
        tuple(rows),
    )


def stream(races: int, seed: int) -> ResultTable:
    """Return the results of a stream of 400 candidates, 2% of them good."""
    several = max(1, races // 50)
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.47, 0.50, STREAM_LENGTH)
    good = np.arange(25, STREAM_LENGTH, 50)
    truth[good] = 0.52
    threshold = np.full(100, DEFAULT.accept_above)  # the first hundred have 99.4% of the risk
    contenders = {
        "variant 2, a fresh risk each (the papers)": PAPER.model_copy(update={"mode": "stream"}),
        "variant 3 (the papers)": RaceSettings(mode="stream", method="hoeffding", spending="countable"),
        "betting": RaceSettings(mode="stream"),
        "betting, throughput": RaceSettings(mode="stream", throughput=True),
    }
    rows: list[tuple[Cell, ...]] = []
    paper = mean_games(simulate(contenders["variant 2, a fresh risk each (the papers)"], truth, several, seed))
    for name, settings in contenders.items():
        result = simulate(settings, truth, several, seed)
        accepted = result.verdicts == ACCEPTED
        bad = np.delete(accepted, good, axis=1).any(1)
        worst = (simulate(settings, threshold, several, seed).verdicts == ACCEPTED).any(1)
        games = mean_games(result)
        rows.append((name, games, percent(games / paper), percent(accepted[:, good].mean()), _rate(bad), _rate(worst)))
    return ResultTable(
        f"A stream of {STREAM_LENGTH}: {len(good)} at 0.52, the others uniform from 0.47 to 0.50; {several:,} streams",
        (
            "method",
            "games",
            "games / papers",
            "good ones accepted",
            "any bad one accepted",
            "a hundred at 0.501: any accepted",
        ),
        tuple(rows),
        "The last two columns are family-wise error rates over the whole stream, with 95% Wilson intervals.",
    )


def mean_games(result: Simulation) -> float:
    return float(result.games.mean())


def _rate(events: NDArray[np.bool_]) -> str:
    count, n = int(events.sum()), events.size
    return percent(count / n, wilson_interval(count, n))

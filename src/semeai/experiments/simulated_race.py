"""Simulate whole races of candidates with known efficiency in compiled code: thousands of races per second.

The kernel repeats what ``Race`` does, batch by batch, for win/loss rewards; a test checks that both agree exactly.
"""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.experiments.simulated_bold import bold_log_gain, bold_tables
from semeai.jit import compile_kernels, kernel, warm_up
from semeai.race.rules import betting_levels
from semeai.race.settings import RaceSettings
from semeai.rng import derive
from semeai.rng_kernels import State, binomial, seed_state
from semeai.stats.betting import MixtureBetting, accept_log_factors, discard_log_factors
from semeai.stats.bold import BoldBetting
from semeai.work.needs import Needs, Say
from semeai.work.spread import Spread, SpreadTask

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flag = NDArray[np.bool_]

UNDECIDED, ACCEPTED, DISCARDED = 0, 1, 2
BOLD = 3
_METHODS = {"betting": 0, "wide_betting": 0, "hoeffding": 1, "bernstein": 2, "bold_betting": BOLD}
_SPENDINGS = {"geometric": 0, "quadratic": 1, "countable": 2}
_SELECTIONS = {
    "first_alive": 0,
    "round_robin": 1,
    "max_upper": 2,
    "max_evidence": 3,
    "hdoc": 4,
    "max_progress": 5,
}

parameters = np.dtype(
    [
        ("method", np.int64),
        ("spending", np.int64),
        ("selection", np.int64),
        ("first_acceptance_ends", np.int64),
        ("risk", np.float64),
        ("n_shares", np.int64),  # candidates that share the risk of the papers' methods
        ("accept_above", np.float64),
        ("discard_below", np.float64),
        ("batch", np.int64),
        ("growth", np.float64),
        ("lookahead", np.int64),
        ("width", np.int64),
    ],
    align=True,
)


@kernel
def _log_wealth(log_weights: Floats, factors: Floats, wins: int, losses: int) -> float:
    """Return the logarithm of the mixture's wealth; ``factors[0]`` belongs to a win, ``factors[1]`` to a loss."""
    largest = -math.inf
    for k in range(len(log_weights)):
        value = log_weights[k] + wins * factors[0, k] + losses * factors[1, k]
        largest = max(largest, value)
    total = 0.0
    for k in range(len(log_weights)):
        total += math.exp(log_weights[k] + wins * factors[0, k] + losses * factors[1, k] - largest)
    return largest + math.log(total)


@kernel
def _deviation(rules: Any, n: int, wins: int, n_tests: int, index: int) -> float:
    basel = math.pi**2 / 6
    if rules.spending == 0:
        log_risk = math.log(rules.risk / rules.n_shares) - n_tests * math.log(2.0)
    elif rules.spending == 1:
        log_risk = math.log(rules.risk / (rules.n_shares * basel * n_tests * n_tests))
    else:
        log_risk = math.log(rules.risk / (basel * index * index) / (basel * n_tests * n_tests))
    if rules.method == 1:
        return math.sqrt((math.log(2.0) - log_risk) / (2.0 * n))
    mean = wins / n
    term = (math.log(3.0) - log_risk) / n
    return math.sqrt(mean * (1.0 - mean)) * math.sqrt(2.0 * term) + 3.0 * term


@kernel
def _choose(
    rules: Any,
    verdict: Integers,
    in_flight: Integers,
    told: Integers,
    dispatched: Integers,
    wins: Integers,
    merit: Floats,
    upper: Floats,
    progress: Floats,
) -> int:
    """Return the next candidate by the rules of ``race.selection``, or -1; ties: fewer dispatched, smaller index."""
    total = 0
    for i in range(len(verdict)):
        if verdict[i] == UNDECIDED and in_flight[i] < rules.lookahead:
            total += told[i]
    best, best_score, best_dispatched = -1, -math.inf, 0
    for i in range(len(verdict)):
        if verdict[i] != UNDECIDED or in_flight[i] >= rules.lookahead:
            continue
        if rules.selection == 0:
            return i
        if rules.selection == 1:
            score = 0.0
        elif rules.selection == 4:
            score = math.inf
            if told[i] > 0:
                score = wins[i] / told[i] + math.sqrt(math.log(max(2, total)) / (2 * told[i]))
        elif dispatched[i] == 0:
            score = math.inf
        else:
            score = upper[i] if rules.selection == 2 else merit[i] if rules.selection == 3 else progress[i]
        if best < 0 or score > best_score or (score == best_score and dispatched[i] < best_dispatched):
            best, best_score, best_dispatched = i, score, dispatched[i]
    return best


class Tables(NamedTuple):
    """The race settings as numbers for the kernel."""

    rules: Any  # a record of ``parameters``
    accept_at: Floats  # [candidate] log wealth that accepts
    discard_at: Floats  # [candidate] log wealth that discards
    log_weights: Floats  # [gambler]
    pace_weights: Floats  # [gambler]
    accept_factors: Floats  # [win or loss, gambler]
    discard_factors: Floats  # [win or loss, gambler]
    bold_stakes: Floats  # [accept or discard, gambler]
    reserves: Floats  # [accept or discard, candidate, number]: see bold_tables


@kernel
def simulate_race(
    tables: Tables, efficiencies: Floats, state: State, verdict: Integers, told: Integers, stop: Flag
) -> int:
    """Simulate one race and fill in each candidate's verdict and games. Returns the number of games of the race.

    It ends early, with a result of no meaning, if another thread sets ``stop[0]``.
    """
    rules = tables.rules
    n_candidates = len(efficiencies)
    verdict[:] = UNDECIDED
    told[:] = 0
    dispatched = np.zeros(n_candidates, np.int64)
    wins = np.zeros(n_candidates, np.int64)
    n_tests = np.zeros(n_candidates, np.int64)
    merit = np.full(n_candidates, -math.inf)
    upper = np.full(n_candidates, math.inf)
    progress = np.full(n_candidates, -math.inf)
    bold = np.zeros((2, n_candidates))  # log wealth of both sides
    in_flight = np.zeros(n_candidates, np.int64)  # batches
    queue_index = np.zeros(rules.width, np.int64)
    queue_size = np.zeros(rules.width, np.int64)
    first, under_way, alive, games = 0, 0, n_candidates, 0
    while True:
        while under_way < rules.width and alive > 0:
            i = _choose(rules, verdict, in_flight, told, dispatched, wins, merit, upper, progress)
            if i < 0:
                break
            size = max(rules.batch, int(dispatched[i] * rules.growth))
            last = (first + under_way) % rules.width
            queue_index[last], queue_size[last] = i, size
            dispatched[i] += size
            in_flight[i] += 1
            under_way += 1
        if under_way == 0 or stop[0]:
            return games
        i, size = queue_index[first], queue_size[first]
        first = (first + 1) % rules.width
        under_way -= 1
        in_flight[i] -= 1
        before = told[i] - wins[i]
        won = binomial(state, size, efficiencies[i])
        wins[i] += won
        told[i] += size
        games += size
        if verdict[i] != UNDECIDED:
            continue
        n_tests[i] += 1
        if rules.method == 0:
            losses = told[i] - wins[i]
            merit[i] = _log_wealth(tables.log_weights, tables.accept_factors, wins[i], losses)
            if merit[i] >= tables.accept_at[i]:
                verdict[i] = ACCEPTED
            elif _log_wealth(tables.log_weights, tables.discard_factors, wins[i], losses) >= tables.discard_at[i]:
                verdict[i] = DISCARDED
            progress[i] = _log_wealth(tables.pace_weights, tables.accept_factors, wins[i], losses)
        elif rules.method == BOLD:
            lost, weights = size - won, tables.log_weights
            stakes, low, high = tables.bold_stakes, rules.accept_above, 1 - rules.discard_below
            earlier = wins[i] - won
            bold[0, i] += bold_log_gain(weights, stakes[0], tables.reserves[0, i], low, earlier, before, won, lost)
            bold[1, i] += bold_log_gain(weights, stakes[1], tables.reserves[1, i], high, before, earlier, lost, won)
            merit[i] = bold[0, i]
            if merit[i] >= tables.accept_at[i]:
                verdict[i] = ACCEPTED
            elif bold[1, i] >= tables.discard_at[i]:
                verdict[i] = DISCARDED
            progress[i] = _log_wealth(tables.pace_weights, tables.accept_factors, wins[i], told[i] - wins[i])
        else:
            deviation = _deviation(rules, told[i], wins[i], n_tests[i], i + 1)
            merit[i] = wins[i] / told[i] - deviation
            upper[i] = wins[i] / told[i] + deviation
            progress[i] = merit[i]
            if merit[i] > rules.accept_above:
                verdict[i] = ACCEPTED
            elif upper[i] < rules.discard_below:
                verdict[i] = DISCARDED
        if verdict[i] != UNDECIDED:
            alive -= 1
            if verdict[i] == ACCEPTED and rules.first_acceptance_ends:
                alive = 0


@kernel
def simulate_races(
    tables: Tables,
    efficiencies: Floats,
    key: np.uint64,
    verdicts: Integers,
    told: Integers,
    games: Integers,
    stop: Flag,
) -> None:
    """Simulate races from one random stream, one row of the outputs per race."""
    state = np.empty(4, np.uint64)
    seed_state(state, key)
    for r in range(len(games)):
        if stop[0]:
            return
        games[r] = simulate_race(tables, efficiencies, state, verdicts[r], told[r], stop)


class Simulation(NamedTuple):
    """Results of simulated races: one row per race, one column per candidate."""

    verdicts: Integers
    told: Integers  # games of each candidate
    games: Integers  # of the whole race, including batches that were running at its end


def make_tables(settings: RaceSettings, n_candidates: int) -> Tables:
    s = settings.resolved()
    if s.selection not in _SELECTIONS or (s.selection == "max_upper" and _METHODS[s.method] in (0, BOLD)):
        raise ConfigError(f"selection {s.selection!r} with method {s.method!r} cannot be simulated")
    if s.max_evaluations is not None or s.max_per_candidate is not None:
        raise ConfigError("a race with max_evaluations or max_per_candidate cannot be simulated")
    rules = np.zeros(1, parameters)[0]
    rules["method"] = _METHODS[s.method]
    rules["spending"] = _SPENDINGS[s.spending or "quadratic"]
    rules["selection"] = _SELECTIONS[s.selection]
    rules["first_acceptance_ends"] = s.mode == "bgp"
    rules["n_shares"] = 1 if s.mode == "stream" else n_candidates
    for name in ("risk", "accept_above", "discard_below", "batch", "growth", "lookahead", "width"):
        rules[name] = getattr(s, name)
    levels = np.array([betting_levels(s, n_candidates, i + 1) for i in range(n_candidates)])
    bold = BoldBetting(s.accept_above, s.discard_below)
    test = bold.mixture
    if s.method != "bold_betting":
        test = MixtureBetting(s.accept_above, s.discard_below, wide=s.method == "wide_betting")
    win_loss = np.array([1.0, 0.0])
    return Tables(
        rules,
        -np.log(levels[:, 0]),
        -np.log(levels[:, 1]),
        test.log_weights,
        test.pace_weights,
        accept_log_factors(win_loss, test.accept_bets, s.accept_above),
        discard_log_factors(win_loss, test.discard_bets, s.discard_below),
        *bold_tables(bold, levels),
    )


@dataclass(frozen=True)
class Chunk(SpreadTask):
    """Simulated races of one random stream, as a task for a worker."""

    settings: RaceSettings
    efficiencies: tuple[float, ...]
    seed: int
    start: int
    n_races: int

    @property
    def label(self) -> str:
        return f"simulated races {self.start} to {self.start + self.n_races - 1}"

    def run(self) -> Simulation:
        k, n = len(self.efficiencies), self.n_races
        result = Simulation(np.zeros((n, k), np.int64), np.zeros((n, k), np.int64), np.zeros(n, np.int64))
        tables, truth = make_tables(self.settings, k), np.asarray(self.efficiencies, dtype=np.float64)
        simulate_races(tables, truth, _stream(self.seed, self.start), *result, np.zeros(1, np.bool_))
        return result


class Kernels:
    """What workers need for chunks: the compiled kernels."""

    def needs(self) -> Needs:
        return Needs()

    def prepare(self, say: Say) -> None:
        compile_kernels(say)


def simulate_on(
    spread: Spread, settings: Sequence[RaceSettings], efficiencies: Sequence[float], n_races: int, seed: int = 1
) -> list[Simulation]:
    """Simulate races of several settings on the workers of a pool. The numbers are those of ``simulate``."""
    starts = _starts(n_races)
    tasks = [
        Chunk(one, tuple(efficiencies), seed, start, min(starts.step, n_races - start))
        for one in settings
        for start in starts
    ]
    found = spread.run(tasks)
    parts = [found[i : i + len(starts)] for i in range(0, len(found), len(starts))]
    return [Simulation(*(np.concatenate(columns) for columns in zip(*part, strict=True))) for part in parts]


def _starts(n_races: int) -> range:
    """Return the first race of each random stream; fixed, because no number may depend on the workers."""
    return range(0, n_races, max(1, n_races // 16))


def _stream(seed: int, start: int) -> np.uint64:
    return np.uint64(derive(seed, "simulated race", start))


def simulate(settings: RaceSettings, efficiencies: Sequence[float] | Floats, n_races: int, seed: int = 1) -> Simulation:
    """Simulate ``n_races`` independent races. The numbers are the same on any machine with any number of cores."""
    k = len(efficiencies)
    tables = make_tables(settings, k)
    truth = np.asarray(efficiencies, dtype=np.float64)
    result = Simulation(np.zeros((n_races, k), np.int64), np.zeros((n_races, k), np.int64), np.zeros(n_races, np.int64))
    stop = np.zeros(1, np.bool_)
    starts = _starts(n_races)

    def one(start: int) -> None:
        part = slice(start, min(start + starts.step, n_races))
        key = _stream(seed, start)
        simulate_races(tables, truth, key, result.verdicts[part], result.told[part], result.games[part], stop)

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        try:
            list(threads.map(one, starts))
        except BaseException:  # Ctrl-C, which only this thread sees
            stop[0] = True
            raise
    return result


@warm_up("racing")
def _compile() -> None:
    simulate(RaceSettings(), [0.9, 0.1], n_races=2)

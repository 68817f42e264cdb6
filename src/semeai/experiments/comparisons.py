"""Error rates of what compares several: commands, candidates on a shared baseline, players, and trials of a study."""

import itertools
import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from semeai.compare.comparison import Comparison, Outcome
from semeai.compare.goal import Goal
from semeai.match.pair import PlayedGame
from semeai.match.tournament import Tournament, TournamentTally
from semeai.players.catalog import parse_spec
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.rng import generator
from semeai.runs.effects import mean_difference
from semeai.stats.counts import RewardCounts, reward_level
from semeai.stats.intervals import wilson_interval
from semeai.stats.signs import is_proven_worse
from semeai.table import Cell, ResultTable, percent
from semeai.work.evaluators import Judge

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

RACED = RaceSettings(accept_above=0.51, discard_below=0.6)
FIELDS = {"five at 0.51": (0.51,) * 5, "four at 0.51, the last at 0.6": (0.51,) * 4 + (0.6,)}
LONGEST = 20_000  # evaluations of a candidate
ROUNDS = 200
N_COMMANDS = 5  # with the baseline
MARGIN = 0.02
LOOK = 10  # values, pairs or rounds between two looks
VALUES = 300
STRENGTHS = {"four equal players": (0.0,) * 4, "four players, 35 Elo apart": (0.0, 0.05, 0.1, 0.15)}
DRAWS = 0.3
TOURNAMENT_ROUNDS = 100
PRUNER_RISK = 0.1
STEPS = 1000
N_TRIALS = 20


def adaptive_selection(races: int, seed: int) -> ResultTable:
    """Return the error rates of bgp races whose rule chooses candidates by results that share a baseline."""
    several = max(1, races // 20)
    rows: list[tuple[Cell, ...]] = []
    for (field, truth), shared in itertools.product(FIELDS.items(), (False, True)):
        wrong = np.array([_errs(truth, seed, r, shared=shared) for r in range(several)])
        name = "one baseline and the same seeds" if shared else "each its own baseline and seeds"
        rows.append((field, name, _rate(wrong)))
    return ResultTable(
        f"Shared baseline, adaptive selection: {several:,} bgp races per row",
        ("candidates", "baseline", "any error"),
        tuple(rows),
        "Thresholds 0.51 and 0.6, risk 5%: each rate must be compatible with at most 5%. An error is an accepted "
        "candidate at 0.51, or a discarded one at 0.6. Normal results; the race chooses whom to try next by them.",
    )


def _errs(truth: tuple[float, ...], seed: int, number: int, *, shared: bool) -> bool:
    """Return whether a race of candidates with these efficiencies has an error."""
    rng = generator(seed, "adaptive selection", number)
    baseline = rng.normal(size=LONGEST)
    race = Race(RACED, [Candidate(f"{i}") for i in range(len(truth))], number)
    while (batch := race.ask()) is not None:
        theirs = baseline[batch.start : batch.start + batch.size] if shared else rng.normal(size=batch.size)
        shift = math.sqrt(2) * NormalDist().inv_cdf(truth[batch.candidate - 1])
        wins = int((rng.normal(size=batch.size) + shift > theirs).sum())
        race.tell(batch.number, RewardCounts.of(wins=wins, losses=batch.size - wins))
    pairs = zip(race.standings, truth, strict=True)
    return any(s.verdict == (Verdict.ACCEPTED if e <= 0.51 else Verdict.DISCARDED) for s, e in pairs)


def several_commands(races: int, seed: int) -> ResultTable:
    """Return the error rates of comparisons of four commands with a fifth one, at all looks."""
    several = max(1, races // 40)
    cases: tuple[tuple[str, Goal, float, Callable[[Comparison, int], bool]], ...] = (
        ("equal commands: one is better or worse", Goal(margin=MARGIN), 1.0, _differs),
        ("all 2% slower, --fail-if slower-than 2%: one fails", Goal(fail_above=MARGIN), 1 + MARGIN, _fails),
        ("all 2.01% slower, margin 2%: one is the same", Goal(margin=MARGIN), 1.0201, _is_same),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, goal, ratio, errs in cases:
        rng = generator(seed, "several commands", name)
        wrong, undecided = np.zeros(several, bool), 0
        for r in range(several):
            comparison = Comparison(goal, N_COMMANDS)
            noise = 0.02 * rng.normal(size=(ROUNDS, N_COMMANDS))
            noise += (rng.random((ROUNDS, N_COMMANDS)) < 0.1) * rng.exponential(size=(ROUNDS, N_COMMANDS))
            seconds = np.exp(noise) * ([1.0] + [ratio] * (N_COMMANDS - 1))
            for row in seconds:
                wanted = comparison.wanted
                if not wanted:
                    break
                comparison.tell({i: float(row[i]) for i in wanted})
                wrong[r] |= any(errs(comparison, i) for i in wanted[1:])
            undecided += len(comparison.alive)
        rows.append((name, _rate(wrong), percent(undecided / several / (N_COMMANDS - 1))))
    return ResultTable(
        f"compare, four commands beside the first one: {several:,} comparisons of at most {ROUNDS} rounds",
        ("claim that is wrong", "ever made", "commands undecided at the end"),
        tuple(rows),
        "Risk 5% over all commands and looks: each rate must be compatible with at most 5%. Times vary by 2%, and one "
        "run in ten is much slower. All commands are compared with the same runs of the first one.",
    )


def _differs(comparison: Comparison, command: int) -> bool:
    return comparison.outcome(command) in (Outcome.BETTER, Outcome.WORSE)


def _fails(comparison: Comparison, command: int) -> bool:
    return comparison.fails(command) is True


def _is_same(comparison: Comparison, command: int) -> bool:
    return comparison.outcome(command) == Outcome.SAME


DIFFERENCES: dict[str, Callable[[np.random.Generator, int], tuple[Floats, Floats]]] = {
    "grades 0 and 1, 5% better": lambda rng, n: (_grades(rng, n, 0.75), _grades(rng, n, 0.7)),
    "equal seeds, correlation 0.9": lambda rng, n: _correlated(rng, n),
    "one value in fifty is extreme": lambda rng, n: (_grades(rng, n, 0.02), np.full(n, 0.02)),
}
TRUTHS = (0.05, 0.02, 0.0)


def _grades(rng: np.random.Generator, n: int, p: float) -> Floats:
    found: Floats = (rng.random(n) < p).astype(float)
    return found


def _correlated(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Return numbers in [0, 1], the first 0.02 larger on average, with equal parts that vary more than the rest."""
    common = rng.uniform(0.2, 0.7, n)
    return common + rng.uniform(0.02, 0.22, n), common + rng.uniform(0, 0.2, n)


def mean_differences(races: int, seed: int) -> ResultTable:
    """Return how often the interval of a mean difference ever misses it, for numbers of a known range."""
    several = max(1, races // 40)
    rows: list[tuple[Cell, ...]] = []
    judge = Judge("higher", (0.0, 1.0))
    for (name, draw), truth in zip(DIFFERENCES.items(), TRUTHS, strict=True):
        rng = generator(seed, "mean differences", name)
        missed = np.zeros(several, bool)
        for r in range(several):
            counts: dict[int, int] = {}
            rewards = judge.rewards(*(numbers.tolist() for numbers in draw(rng, VALUES)))
            for n, reward in enumerate(rewards, 1):
                level = reward_level(reward, r * VALUES + n)
                counts[level] = counts.get(level, 0) + 1
                if n % LOOK == 0:
                    lower, upper = mean_difference(RewardCounts(counts), 1.0, 0.95).bounds
                    missed[r] |= not lower <= truth <= upper
        rows.append((name, truth, _rate(missed)))
    return ResultTable(
        f"Mean differences of numbers of a known range: {several:,} samples of {VALUES}, a look after every {LOOK}",
        ("numbers of candidate and baseline", "true difference", "interval ever misses it"),
        tuple(rows),
        "evaluator.range = [0, 1], intervals of 95%: each rate must be compatible with at most 5%.",
    )


def tournaments(races: int, seed: int) -> ResultTable:
    """Return how often a tournament ever shows a rating or a ranking that is wrong."""
    several = max(1, races // 100)
    rows: list[tuple[Cell, ...]] = []
    for name, strengths in STRENGTHS.items():
        players = tuple(parse_spec(f"mcts:simulations={i + 1}") for i in range(len(strengths)))
        event = Tournament(players)
        scores = [np.mean([0.5 + s - t for j, t in enumerate(strengths) if j != i]) for i, s in enumerate(strengths)]
        missed, misjudged = np.zeros(several, bool), np.zeros(several, bool)
        for r in range(several):
            rng, tally = generator(seed, "tournament", name, r), TournamentTally(event)
            for number in range(TOURNAMENT_ROUNDS * len(event.pairings)):
                a, b = event.pairings[number % len(event.pairings)]
                tally.add(_pair(rng, number, 0.5 + strengths[a] - strengths[b]))
                if (number + 1) % (LOOK * len(event.pairings)) == 0:
                    for s in tally.standings():
                        missed[r] |= not s.interval.lower <= scores[s.player] <= s.interval.upper
                        misjudged[r] |= any(strengths[s.player] <= strengths[other] for other in s.beaten)
        rows.append((name, _rate(missed), _rate(misjudged)))
    return ResultTable(
        f"Tournaments: {several:,} round robins of {TOURNAMENT_ROUNDS} rounds, a look after every {LOOK}",
        ("players", "any rating ever misses the truth", "any player ever called stronger who is not"),
        tuple(rows),
        "95% over all players, pairings and looks: each rate must be compatible with at most 5%. Ratings are scores; "
        f"those in Elo follow from them. {percent(DRAWS)} of the games are draws.",
    )


def _pair(rng: np.random.Generator, number: int, rate: float) -> list[PlayedGame]:
    """Return two games of which player A wins this part; draws count half."""
    win = (rate - DRAWS / 2) / (1 - DRAWS)
    rewards = (0.5 if rng.random() < DRAWS else float(rng.random() < win) for _ in range(2))
    return [
        PlayedGame(2 * number + i, number, reward, "", "", 0, 0, 0, 0, 0, "", "", "")
        for i, reward in enumerate(rewards)
    ]


def pruned_trials(races: int, seed: int) -> ResultTable:
    """Return how often the sign test of RacingPruner ever prunes a trial that is as good as its opponent."""
    several = max(1, races // 10)
    rows = tuple((name, _rate(pruned)) for name, pruned in _pruned(several, seed))
    return ResultTable(
        f"Pruned trials: {several:,} trials of {STEPS:,} steps, a look after each",
        ("case", "ever pruned"),
        rows,
        f"Risk {percent(PRUNER_RISK)}: each rate must be compatible with at most that, except the last: it shows why "
        "the complete trials share the risk. The best one is that with the best mean of its steps.",
    )


def _pruned(several: int, seed: int) -> Iterator[tuple[str, Flags]]:
    opponents: tuple[tuple[str, float, int, float], ...] = (
        ("against one equal trial, Cauchy noise", 0.0, 1, PRUNER_RISK),
        ("against one equal trial, 70% ties", 0.7, 1, PRUNER_RISK),
        (f"against the best of {N_TRIALS} equal trials", 0.0, N_TRIALS, PRUNER_RISK / N_TRIALS),
        (f"against the best of {N_TRIALS} equal trials, if the risk were not shared", 0.0, N_TRIALS, PRUNER_RISK),
    )
    for name, ties, rivals, risk in opponents:
        rng = generator(seed, "pruned trials", name)
        draw = rng.standard_cauchy if rivals == 1 else rng.standard_normal
        needed = np.array([_worse_needed(n, risk) for n in range(STEPS + 1)])
        pruned = np.zeros(several, bool)
        for r in range(several):
            trials = draw((rivals, STEPS))
            difference = draw(STEPS) - trials[trials.mean(1).argmin()]  # smaller is better
            difference[rng.random(STEPS) < ties] = 0
            pruned[r] = ((difference > 0).cumsum() >= needed[(difference != 0).cumsum()]).any()
        yield name, pruned


def _worse_needed(n: int, risk: float) -> int:
    return next((k for k in range(n + 1) if is_proven_worse(k, n - k, risk)), n + 1)


def _rate(events: Flags) -> str:
    count, n = int(events.sum()), events.size
    return percent(count / n, wilson_interval(count, n))

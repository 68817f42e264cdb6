"""Measure `semeai compare` beside hyperfine on the same commands: false alarms, and runs until a verdict."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist, fmean, median, variance

from semeai.compare.commands import parse_command
from semeai.compare.comparison import Comparison, Outcome
from semeai.compare.goal import Goal
from semeai.compare.run import Plan, Result, compare_commands
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

REPEATS = 200
ROUNDS = 30
FIRST_LOOK = 5  # runs of each command before somebody looks for the first time
LOOPS = 8000  # iterations of a shell's loop: a few milliseconds
SLOWER = {"10% more work": (1.1, 8, 30.0), "2% more work": (1.02, 4, 300.0)}  # factor, repeats, longest seconds

_LOOP = "i=0; while [ $i -lt $1 ]; do i=$((i+1)); done"


def run(repeats: int = REPEATS) -> list[ResultTable]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "loop.sh"
        script.write_text(_LOOP)
        return [false_alarms(script, repeats), runs_needed(script)]


def work(script: Path, factor: float = 1.0) -> str:
    return f"sh {script} {round(LOOPS * factor)}"


def compared(script: Path, factor: float, goal: Goal, seed: int) -> Result:
    commands = [parse_command(work(script, f), shell=False) for f in (1.0, factor)]
    result = compare_commands(Plan(commands, goal, warmup=1, pin="yes" if _processors() else "no", seed=seed))
    if result.end == "interrupted":
        raise KeyboardInterrupt
    return result


def false_alarms(script: Path, repeats: int) -> ResultTable:
    """Compare a command with itself, again and again."""
    ours = peeked = once = 0
    for seed in _counted(repeats, "equal commands, compare"):
        result = compared(script, 1.0, Goal(min_rounds=ROUNDS, max_rounds=ROUNDS), seed)
        alarms = [False]
        a, b = result.comparison.values
        for n in range(1, ROUNDS + 1):  # somebody who looks after every round
            shorter = _prefix(result, n)
            alarms.append(shorter in (Outcome.BETTER, Outcome.WORSE))
        ours += any(alarms)
        peeked += any(_t_test(a[:n], b[:n]) for n in range(FIRST_LOOK, ROUNDS + 1))
        once += _t_test(a, b)
    rows: list[tuple[Cell, ...]] = [
        ("semeai compare, a look after every round", f"{ours} of {repeats}", _rate(ours, repeats)),
        ("t-test on the same numbers, one look at the end", f"{once} of {repeats}", _rate(once, repeats)),
        ("t-test on the same numbers, a look after every round", f"{peeked} of {repeats}", _rate(peeked, repeats)),
    ]
    if shutil.which("hyperfine"):
        once = peeked = 0
        for _ in _counted(repeats, "equal commands, hyperfine"):
            a, b = hyperfine(script)
            once += _t_test(a, b)
            peeked += any(_t_test(a[:n], b[:n]) for n in range(FIRST_LOOK, ROUNDS + 1))
        rows.append(("hyperfine, t-test at the end", f"{once} of {repeats}", _rate(once, repeats)))
        rows.append(("hyperfine, t-test after every run", f"{peeked} of {repeats}", _rate(peeked, repeats)))
    return ResultTable(
        f"A command and itself, {ROUNDS} runs each: how often they are called different",
        ("method", "called different", "rate"),
        tuple(rows),
        "The risk is 5%. Rates with 95% Wilson intervals. The t-test is Welch's at 5%, two-sided. hyperfine does all "
        "runs of the first command before those of the second, so a change of the machine in between is taken for a "
        "difference; semeai runs both in each round, in random order. "
        + ("All commands run on the same processor." if _processors() else "No command is bound to a processor."),
    )


def _prefix(result: Result, n: int) -> Outcome:
    """Return the outcome after the first ``n`` rounds."""
    comparison = Comparison(result.plan.goal, 2)
    a, b = result.comparison.values
    for x, y in zip(a[:n], b[:n], strict=True):
        comparison.tell({0: x, 1: y})
    return comparison.outcome(1)


def runs_needed(script: Path) -> ResultTable:
    """Compare a command with a slower one."""
    rows: list[tuple[Cell, ...]] = []
    for metric in ("time", "cpu"):
        for name, (factor, repeats, longest) in SLOWER.items():
            found = []
            for seed in _counted(repeats, f"{name}, {metric}"):
                goal = Goal.model_validate({"metric": metric, "margin": 0.0, "max_seconds": longest})
                found.append(compared(script, factor, goal, seed))
            rounds = [result.comparison.n_rounds for result in found]
            right = sum(result.comparison.outcome(1) == Outcome.WORSE for result in found)
            wrong = sum(result.comparison.outcome(1) == Outcome.BETTER for result in found)
            noise = [_noise(result) for result in found]
            needed = [_fixed_sample(_noise(result), math.log(factor)) for result in found]
            rows.append(
                (metric, name, f"{longest:.0f} s", f"{right} of {repeats}", wrong, median(rounds),
                 f"{min(rounds)} to {max(rounds)}", percent(median(noise)), median(needed))
            )  # fmt: skip
    return ResultTable(
        "Slower commands: rounds until they are called slower",
        ("metric", "command", "longest", "called slower", "called faster", "median rounds", "range", "noise of a ratio",
         "rounds of a t-test planned for this difference"),
        tuple(rows),
        "A round has one run of each command. The noise is the standard deviation of the logarithm of the ratio within "
        "a round. The last column is the sample that a paired t-test at 5% needs to find this difference with "
        "probability 90%, if difference and noise are known before; compare knows neither.",
    )  # fmt: skip


def _noise(result: Result) -> float:
    a, b = result.comparison.values
    return math.sqrt(variance(math.log(y / x) for x, y in zip(a, b, strict=True)))


def _fixed_sample(noise: float, effect: float) -> int:
    normal = NormalDist()
    return math.ceil(((normal.inv_cdf(0.975) + normal.inv_cdf(0.9)) * noise / effect) ** 2)


def hyperfine(script: Path) -> tuple[list[float], list[float]]:
    """Return the times of two equal commands, as hyperfine measures them."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        words = ["hyperfine", "-N", "--warmup", "1", "--runs", str(ROUNDS), "--export-json", file.name]
        bound = [arg for cpu in _processors() for arg in ("taskset", "-c", str(cpu))]  # children inherit it
        subprocess.run([*bound, *words, work(script), work(script)], check=True, capture_output=True)
        a, b = (entry["times"] for entry in json.load(file)["results"])
        return a, b


def _processors() -> list[int]:
    """Return the processor that all commands run on, the one that ``semeai compare`` takes; empty without a choice."""
    if not hasattr(os, "sched_getaffinity") or shutil.which("taskset") is None:
        return []
    found = os.sched_getaffinity(0)
    return [max(found)] if len(found) > 1 else []


def _t_test(a: list[float], b: list[float]) -> bool:
    """Return whether Welch's t-test at 5% calls the means different."""
    va, vb = variance(a) / len(a), variance(b) / len(b)
    if va + vb == 0:
        return False
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return abs(fmean(a) - fmean(b)) / math.sqrt(va + vb) > _t_quantile(freedom)


def _t_quantile(freedom: float) -> float:
    """Return the 97.5% quantile of Student's distribution (Cornish-Fisher expansion, good to 0.01 from 4 on)."""
    z = NormalDist().inv_cdf(0.975)
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom ** (k + 1) for k, term in enumerate(terms))


def _rate(count: int, n: int) -> str:
    return percent(count / n, wilson_interval(count, n))


def _counted(n: int, what: str) -> Iterator[int]:
    for i in range(n):
        if i % 20 == 0:
            print(f"{what}: {i} of {n}", file=sys.stderr)
        yield i + 1

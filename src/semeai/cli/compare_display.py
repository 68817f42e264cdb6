"""Display of a comparison: a live table on a terminal, a line every ten seconds elsewhere, nothing with --json."""

import math
import time
from types import TracebackType
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.display import duration
from semeai.cli.live import LiveView
from semeai.cli.output import note
from semeai.compare.commands import Command
from semeai.compare.comparison import Comparison, Outcome, summary_of
from semeai.compare.goal import Goal
from semeai.compare.run import Plan, Result, Run, Watcher
from semeai.stats.bounds import Bounds
from semeai.table import Cell, ResultTable

LINE_SECONDS = 10.0
WIDE = 110  # columns of a terminal with room for the ranges
COLOURS = {Outcome.BETTER: "bold green", Outcome.WORSE: "bold red", Outcome.SAME: "", Outcome.UNDECIDED: "yellow"}
WORDS = {
    "time": ("faster", "slower"),
    "cpu": ("faster", "slower"),
    "memory": ("smaller", "larger"),
    "stdout": ("better", "worse"),
}
"""The words for better and worse, if lower is better."""
ENDS = {
    "decided": "",
    "max_rounds": "stopped at --max-runs",
    "max_seconds": "stopped at --max-time",
    "interrupted": "interrupted",
}


def make_compare_display(quiet: bool) -> "CompareDisplay":
    console = Console()
    if quiet:
        return CompareDisplay(console)
    return LiveCompareDisplay(console) if console.is_terminal else LineCompareDisplay(console)


class CompareDisplay(Watcher):
    """Shows nothing while it runs. It is the base of the other displays."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def summary(self, result: Result) -> None:
        self.console.print(comparison_table(result.plan, result.comparison, self.console.width))
        for line in sentences(result):
            self.console.print(Text(line), soft_wrap=True)


class LineCompareDisplay(CompareDisplay):
    """Prints a line every ten seconds, on standard error."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._last = time.monotonic()

    def progress(self, run: Run) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            note(status_line(run))


class LiveCompareDisplay(LiveView, CompareDisplay):
    """Redraws the table twice per second."""

    def warm_up(self, command: Command) -> None:
        self.draw(Text(f"warming up: {command.name}", style="dim"), at_once=True)

    def progress(self, run: Run) -> None:
        self.draw(comparison_table(run.plan, run.comparison, self.console.width), Text(status_line(run)))


def status_line(run: Run) -> str:
    """Return rounds, time and a forecast in words."""
    comparison, goal = run.comparison, run.plan.goal
    n, left = comparison.n_rounds, comparison.rounds_left()
    parts = [f"{n:,} rounds in {duration(run.seconds)}"]
    seconds = left * run.seconds / n if n else math.inf
    if goal.max_seconds is not None:
        seconds = min(seconds, goal.max_seconds - run.seconds)
    if comparison.alive and math.isfinite(seconds):
        parts.append(f"{len(comparison.alive)} undecided, at most about {duration(max(0.0, seconds))} left")
    if run.cpus:
        parts.append(f"pinned to processor {run.cpus[0]}")
    return ", ".join(parts) + " (Ctrl-C: stop and show what is known)"


def comparison_table(plan: Plan, comparison: Comparison, width: int) -> Table:
    """Make a table of the commands for a terminal of this width."""
    goal, with_range = plan.goal, width >= WIDE
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("command", max_width=max(12, width - (94 if with_range else 66)), no_wrap=True)
    for title in ("runs", "median", *(["range"] if with_range else []), goal.effect):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("always valid", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for i, command in enumerate(plan.commands):
        values = comparison.values[i]
        median, reach = _figures(goal, values)
        cells = [command.name, f"{len(values):,}", median, *([reach] if with_range else [])]
        outcome = Outcome.SAME
        if i == 0:
            cells += [effect_text(goal, goal.neutral), "", "baseline"]
        elif values:
            outcome = comparison.outcome(i)
            estimate, bounds = comparison.effect(i)
            cells += [effect_text(goal, estimate), bounds_text(goal, bounds), verdict_text(comparison, i)]
        table.add_row(*map(Text, cells), style=COLOURS[outcome])
    return table


def _figures(goal: Goal, values: list[float]) -> tuple[str, str]:
    if not values:
        return "", ""
    found = summary_of(values)
    return value_text(goal, found["median"]), f"{value_text(goal, found['min'])} … {value_text(goal, found['max'])}"


def value_text(goal: Goal, value: float) -> str:
    """Return a measured number with its unit."""
    if goal.metric == "stdout" or not math.isfinite(value):
        return f"{value:.5g}"
    if goal.metric == "memory":
        return f"{value / 2**20:,.1f} MB"
    return f"{value:.3f} s" if value >= 1 else f"{1000 * value:.1f} ms" if value >= 0.001 else f"{1e6 * value:.0f} µs"


def effect_text(goal: Goal, effect: float) -> str:
    if goal.effect == "ratio":
        return f"{effect:.3f}" if effect < 100 else f"{effect:.4g}"
    return f"{effect:+.4g}" if effect else "0"


def bounds_text(goal: Goal, bounds: Bounds) -> str:
    return f"[{', '.join(_bound_text(goal, bound) for bound in bounds)}]"


def _bound_text(goal: Goal, bound: float) -> str:
    return effect_text(goal, bound) if math.isfinite(bound) else "∞" if bound > 0 else "-∞"


def words(goal: Goal) -> tuple[str, str]:
    """Return the words for better and for worse."""
    return WORDS[goal.metric] if goal.better == "lower" else ("better", "worse")


def amount_text(goal: Goal, amount: float) -> str:
    return f"{100 * amount:g}%" if goal.effect == "ratio" else f"{amount:g}"


def verdict_text(comparison: Comparison, index: int) -> str:
    """Return the verdict on a command in a few words."""
    goal, outcome = comparison.goal, comparison.outcome(index)
    if goal.limit is not None and outcome != Outcome.BETTER:
        limit = f"{words(goal)[1]} by more than {amount_text(goal, goal.fail_above or 0.0)}"
        known = comparison.fails(index)
        return limit if known else f"not {limit}" if known is False else "undecided"
    if outcome == Outcome.SAME:
        return f"the same within {amount_text(goal, goal.margin)}"
    return {Outcome.BETTER: words(goal)[0], Outcome.WORSE: words(goal)[1]}.get(outcome, "undecided")


def judged(result: Result) -> tuple[list[str], list[str]]:
    """Return the names of the commands for which --fail-if is proven, and of those for which it is not known."""
    comparison = result.comparison
    if comparison.goal.limit is None:
        return [], []
    known = {command.name: comparison.fails(i) for i, command in enumerate(result.plan.commands) if i}
    return [n for n, fails in known.items() if fails], [n for n, fails in known.items() if fails is None]


def sentences(result: Result) -> list[str]:
    """Return what was found, in one sentence per command, and what it rests on."""
    comparison, goal = result.comparison, result.plan.goal
    baseline = result.plan.commands[0].name
    lines = []
    for i, command in enumerate(result.plan.commands):
        if i and comparison.values[i]:
            lines.append(_sentence(comparison, i, command.name, baseline))
    n = comparison.n_rounds
    share = f"{100 * goal.risk:g}%"
    how = [f"{n:,} rounds in {duration(result.seconds)}"]
    if ENDS[result.end]:
        how.append(ENDS[result.end])
    if result.cpus:
        how.append(f"pinned to processor {result.cpus[0]}")
    lines.append(
        f"{'; '.join(how)}. {goal.effect.capitalize()}s are medians over rounds; all intervals hold together, at every "
        f"look, except with probability {share}."
    )
    return lines


def _sentence(comparison: Comparison, index: int, name: str, baseline: str) -> str:
    goal, outcome = comparison.goal, comparison.outcome(index)
    estimate, bounds = comparison.effect(index)
    verdict = verdict_text(comparison, index)
    figures = f"{effect_text(goal, estimate)} {bounds_text(goal, bounds)}"
    if goal.effect == "difference":
        return f"{name}: {verdict}; its number minus that of {baseline} is {figures}"
    if goal.metric in ("time", "cpu") and outcome == Outcome.BETTER and goal.better == "lower":
        turned = Bounds(1 / bounds.upper, 1 / bounds.lower if bounds.lower > 0 else math.inf)
        return f"{name} is {effect_text(goal, 1 / estimate)} {bounds_text(goal, turned)} times as fast as {baseline}"
    what = {"time": "time", "cpu": "processor time", "memory": "memory"}.get(goal.metric)
    if what is None:
        return f"{name}: {verdict}; its number is {figures} times that of {baseline}"
    return f"{name}: {verdict}; it needs {figures} times the {what} of {baseline}"


def as_result_table(result: Result) -> ResultTable:
    """Make the table that --markdown writes."""
    comparison, goal = result.comparison, result.plan.goal
    rows: list[tuple[Cell, ...]] = []
    for i, command in enumerate(result.plan.commands):
        values = comparison.values[i]
        figures = (f"`{command.name}`", len(values), *_figures(goal, values))
        if i and values:
            estimate, bounds = comparison.effect(i)
            found = f"{effect_text(goal, estimate)} {bounds_text(goal, bounds)}"
            rows.append((*figures, found, verdict_text(comparison, i)))
        else:
            rows.append((*figures, effect_text(goal, goal.neutral) if not i else "", "baseline" if not i else ""))
    columns = ("command", "runs", "median", "range", f"{goal.effect} (always-valid interval)", "verdict")
    return ResultTable(f"Comparison by {goal.metric}", columns, tuple(rows))


def as_dict(result: Result) -> dict[str, Any]:
    """Return the result as --json prints it, with all measured numbers."""
    comparison, goal = result.comparison, result.plan.goal
    failed, unknown = judged(result)

    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    commands = []
    for i, command in enumerate(result.plan.commands):
        values = comparison.values[i]
        entry: dict[str, Any] = {"name": command.name, "command": command.text, "runs": len(values)}
        if values:
            entry |= {key: finite(value) for key, value in summary_of(values).items()}
        if i and values:
            estimate, (lower, upper) = comparison.effect(i)
            entry |= {
                goal.effect: finite(estimate),
                "always_valid": [finite(lower), finite(upper)],
                "verdict": comparison.outcome(i).value,
                "fails": comparison.fails(i),
            }
        commands.append({**entry, "values": [finite(value) for value in values]})
    passed = None if goal.limit is None or (unknown and not failed) else not failed
    return {
        "metric": goal.metric,
        "better": goal.better,
        "effect": goal.effect,
        "risk": goal.risk,
        "rounds": comparison.n_rounds,
        "seconds": result.seconds,
        "end": result.end,
        "passed": passed,
        "pinned_to": list(result.cpus),
        "warnings": list(result.warnings),
        "commands": commands,
    }

"""The state of a race: its candidates as a table with intervals, and what ``semeai status`` shows of it."""

import math
from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.output import print_json_rows
from semeai.race.candidate import Verdict
from semeai.race.race import Race
from semeai.race.selection import Standing
from semeai.runs.effects import Effect, recorded_effects
from semeai.runs.resume import read_race
from semeai.stats.bounds import Bounds
from semeai.store.ledger import Ledger, RunInfo

COLOURS = {
    Verdict.ACCEPTED: "bold green",
    Verdict.DISCARDED: "red",
    Verdict.FAILED: "bold red",
    Verdict.EXHAUSTED: "yellow",
    Verdict.UNDECIDED: "",
}
SHOWN = 100
"""Candidates that ``semeai status`` shows without --all."""
WIDE = 105  # columns of a terminal with room for the intervals as numbers


def standings_table(race: Race, height: int, width: int) -> Table:
    """Make a table of the candidates: accepted and undecided ones first, as many as fit."""
    order = {v: i for i, v in enumerate((Verdict.ACCEPTED, Verdict.UNDECIDED, Verdict.FAILED))}
    ranked = sorted(race.standings, key=lambda s: (order.get(s.verdict, 9), -s.progress))
    shown = ranked[: max(3, height)]
    intervals = [race.shown_bounds(s) for s in shown]
    low, high = race.settings.accept_above, race.settings.discard_below
    reach = bar_reach(intervals, shown, low, high)
    with_numbers = width >= WIDE
    bar_width = 33 if with_numbers else 21
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("candidate", max_width=30, no_wrap=True)
    table.add_column("evaluations", justify="right", no_wrap=True)
    table.add_column("win rate", justify="right", no_wrap=True)
    table.add_column("interval", no_wrap=True)
    if with_numbers:
        table.add_column("always valid", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for standing, interval in zip(shown, intervals, strict=True):
        started = standing.n_evaluations > 0
        cells = [
            Text(standing.candidate.name),
            Text(f"{standing.n_evaluations:,}"),
            Text(f"{standing.win_rate:.4f}" if started else ""),
            Text(interval_bar(standing.win_rate, interval, low, high, reach, bar_width)),
        ]
        if with_numbers:
            cells.append(Text(f"[{max(0, interval.lower):.4f}, {min(1, interval.upper):.4f}]" if started else ""))
        cells.append(Text("" if standing.verdict == Verdict.UNDECIDED else standing.verdict.value))
        table.add_row(*cells, style=COLOURS[standing.verdict])
    if len(ranked) > len(shown):
        table.add_row(Text(f"… and {len(ranked) - len(shown):,} more", style="dim"))
    return table


def bar_reach(intervals: list[Bounds], standings: list[Standing], low: float, high: float) -> float:
    """Return half the width of the scale of the bars: wide enough for thresholds and intervals, within limits."""
    middle = (low + high) / 2
    ends = [
        max(abs(b.lower - middle), abs(b.upper - middle))
        for b, s in zip(intervals, standings, strict=True)
        if s.n_evaluations
    ]
    return max(min(max([0.01, *ends]), 0.15), 0.75 * (high - low))


def interval_bar(mean: float, interval: Bounds, low: float, high: float, reach: float, width: int) -> str:
    """Draw the interval as a bar on a scale with the two thresholds marked: ``···├──●──┤··││·····``."""
    middle = (low + high) / 2

    def column(value: float) -> int:
        return round((value - middle + reach) / (2 * reach) * (width - 1))

    cells = ["·"] * width
    if not math.isnan(mean):
        first, last = column(max(0.0, interval.lower)), column(min(1.0, interval.upper))
        for i in range(max(0, first), min(width, last + 1)):
            cells[i] = "─"
        for i, mark, beyond in ((first, "├", "◂"), (last, "┤", "▸")):
            cells[min(max(i, 0), width - 1)] = mark if 0 <= i < width else beyond
        if 0 <= column(mean) < width:
            cells[column(mean)] = "●"
    for threshold in (low, high):
        i = column(threshold)
        cells[i] = "┼" if cells[i] == "─" else "│" if cells[i] == "·" else cells[i]
    return "".join(cells)


def effect_lines(effects: Mapping[str, Effect], most: int) -> list[Text]:
    """Return one line per candidate: by how much its numbers are above the baseline's."""
    lines = [Text(f"{name}: {effect.words} to the baseline") for name, effect in list(effects.items())[:most]]
    if (more := len(effects) - most) > 0:
        lines.append(Text(f"… and {more:,} more", style="dim"))
    return lines


def interval_note(race: Race) -> str:
    """Return why an interval may contain a threshold that its verdict excludes; empty if none does."""
    low, high = race.settings.accept_above, race.settings.discard_below
    decided = (Verdict.ACCEPTED, Verdict.DISCARDED)
    standings = [s for s in race.standings if s.verdict in decided] if race.rule.carries_evidence else []
    bounds = [(s.verdict, race.shown_bounds(s)) for s in standings]
    if any(
        (verdict == Verdict.ACCEPTED and b.lower <= low) or (verdict == Verdict.DISCARDED and b.upper >= high)
        for verdict, b in bounds
    ):
        return (
            f"Verdicts of {race.settings.method} rest on raised stakes, intervals on the same stakes without raises: "
            "both are valid, and an interval may contain a threshold that the verdict excludes."
        )
    return ""


def show_race(store: Ledger, run: RunInfo, as_json: bool, every: bool) -> None:
    """Show the state of a race in the ledger, also while it is running."""
    race = read_race(store, run)
    failures = list(store.rows("failures", run.id))
    state, digest = store.state(run), store.digest(run.id)
    if as_json:
        effects = recorded_effects(store, run, race) if race else {}
        print_json_rows(_status_dict(run, state, race, failures, digest, every, effects))
        return
    console = Console()
    console.print(head_line(run, state))
    if race is None:
        console.print("no batch is recorded yet")
        return
    most = len(race.standings) if every else SHOWN
    console.print(standings_table(race, most, console.width))
    if state == "finished" and race.alive:
        from semeai.runs.race import ending_of

        console.print(ending_of(race.standings, race.settings.mode, finished=True), highlight=False)
    if why := interval_note(race):
        console.print(Text(why, style="dim"))
    for line in effect_lines(recorded_effects(store, run, race), most):
        console.print(line)
    for failure in failures:
        console.print(Text(f"failure: {failure['message']}", style="red"))
        if failure["stderr"]:
            console.print(Text(indented(failure["stderr"]), style="dim"))
    console.print(f"{race.n_evaluations:,} evaluations, digest {digest}", highlight=False)


def head_line(run: RunInfo, state: str) -> Text:
    """Return the first line of a run's status."""
    return Text(run.name, style="bold").append(f": {state}, seed {run.seed}, since {run.created_at[:19]}", "")


def _status_dict(
    run: RunInfo,
    state: str,
    race: Race | None,
    failures: list[Mapping[str, Any]],
    digest: str,
    every: bool,
    effects: Mapping[str, Effect],
) -> dict[str, Any]:
    standings = [] if race is None else race.standings
    # The bounds of a candidate without a verdict are computed, which takes about a millisecond.
    computed = {s.index for s in (race.alive if race else ())[: len(standings) if every else SHOWN]}

    def has_bounds(s: Standing) -> bool:
        return s.verdict != Verdict.UNDECIDED or s.index in computed

    return {
        "run": run.name,
        "state": state,
        "seed": run.seed,
        "digest": digest,
        "evaluations": 0 if race is None else race.n_evaluations,
        "candidates": [
            {
                "name": s.candidate.name,
                "params": dict(s.candidate.params),
                "verdict": s.verdict.value,
                "evaluations": s.n_evaluations,
                "win_rate": s.win_rate if s.n_evaluations else None,
                "bounds": list(race.shown_bounds(s)) if race and s.n_evaluations and has_bounds(s) else None,
                **({"effect": effects[s.candidate.name].to_json()} if s.candidate.name in effects else {}),
            }
            for s in standings
        ],
        "failures": [dict(failure) for failure in failures],
    }


def indented(text: str) -> str:
    """Return the last 20 lines of a text, indented."""
    return "\n".join("    " + line for line in text.rstrip().splitlines()[-20:])

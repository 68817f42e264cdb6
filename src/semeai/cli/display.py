"""Display of a race: a live table on a terminal, plain lines elsewhere, nothing with --json."""

import math
import shlex
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.live import LiveView
from semeai.cli.output import note
from semeai.cli.race_status import SHOWN, effect_lines, standings_table
from semeai.race.candidate import Verdict
from semeai.race.race import Decision, Race
from semeai.runs.run import Observer
from semeai.work.parcels import Pool

if TYPE_CHECKING:
    from semeai.runs.driver import RaceDriver
    from semeai.runs.race import RaceResult

LINE_SECONDS = 10.0
SHOWN_WARNINGS = 20


def make_display(quiet: bool) -> "Display":
    console = Console()
    if quiet:
        return Display(console)
    return LiveDisplay(console) if console.is_terminal else LineDisplay(console)


class Display(Observer):
    """Shows only notes on standard error. It is the base of the other displays."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.race: Race | None = None

    def say(self, text: str) -> None:
        note(text)

    def warning(self, text: str) -> None:
        note(f"warning: {text}")

    def start(self, driver: "RaceDriver") -> None:
        self.race = driver.race

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def table(self, race: Race) -> Table:
        return standings_table(race, self.console.height - 6, self.console.width)

    def summary(self, result: "RaceResult", name: str, place: str) -> None:
        assert self.race is not None
        self.console.print(self.table(self.race))
        for line in [*effect_lines(result.effects, SHOWN), *verdict_lines(self.race, result)]:
            self.console.print(line)
        for text in result.warnings[:SHOWN_WARNINGS]:
            self.console.print(Text(f"warning: {text}", style="yellow"), soft_wrap=True)
        if (more := len(result.warnings) - SHOWN_WARNINGS) > 0:
            self.console.print(Text(f"… and {more:,} more warnings", style="yellow"))
        look = f"digest {result.digest}; to look again: {shlex.join(['semeai', 'status', name, '--ledger', place])}"
        browser = f"in the browser, also while it runs: {shlex.join(['semeai', 'dashboard', '--ledger', place])}"
        self.console.print(Text(f"{look}\n{browser}", style="dim"), soft_wrap=True)


class LineDisplay(Display):
    """Prints one line per verdict, and one every ten seconds."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._last = time.monotonic()

    def decision(self, decision: Decision) -> None:
        assert self.race is not None
        standing = self.race.standings[decision.candidate - 1]
        if decision.verdict in (Verdict.FAILED, Verdict.REOPENED):  # neither depends on the rewards
            text = f"{decision.verdict.value}: {standing.candidate.name}"
            self.console.print(text, highlight=False, soft_wrap=True)
            return
        lower, upper = decision.bounds
        self.console.print(
            f"{decision.verdict.value}: {standing.candidate.name} after {decision.n_evaluations:,} evaluations, "
            f"win rate {standing.win_rate:.4f}, always-valid interval [{lower:.4f}, {upper:.4f}]",
            highlight=False, soft_wrap=True,
        )  # fmt: skip

    def progress(self, driver: "RaceDriver") -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.console.print(status_line(driver), highlight=False, soft_wrap=True)

    def stop(self, driver: "RaceDriver") -> None:
        self.console.print("stopping: finishing the running batches (Ctrl-C again: drop them)")


class LiveDisplay(LiveView, Display):
    """Redraws the table twice per second, below the warnings."""

    def progress(self, driver: "RaceDriver") -> None:
        self.draw(self.table(driver.race), Text(status_line(driver) + self.note))

    def stop(self, driver: "RaceDriver") -> None:
        self.say_stopping("batches")


def status_line(driver: "RaceDriver") -> str:
    race = driver.race
    left = evaluations_left(race)
    parts = [
        f"{race.n_evaluations:,} evaluations ({driver.n_resumed:,} from the ledger)"
        if driver.n_resumed
        else f"{race.n_evaluations:,} evaluations",
        f"{driver.rate:,.0f} per second",
        f"{len(race.alive)} of {len(race.standings)} undecided",
    ]
    if math.isfinite(left) and driver.rate > 0:
        what = "for this candidate" if race.settings.mode == "stream" else "left"
        parts.append(f"about {duration(left / driver.rate)} {what}")
    parts += words_about(driver.pool)
    if delayed := driver.delayed:
        parts.append(delayed)
    return ", ".join(parts)


def words_about(pool: Pool) -> list[str]:
    """Return how many workers there are, if that may change, and what was lost with others."""
    lost = [f"{pool.n_lost:,} job{'s' * (pool.n_lost != 1)} run again after lost workers"] if pool.n_lost else []
    return [*([pool.state] if pool.state else []), *lost]


def evaluations_left(race: Race) -> float:
    """Return a rough forecast of the evaluations left, assuming the current reward frequencies of all candidates."""
    alive = [s for s in race.alive if s.n_evaluations]
    if not alive:
        return math.inf
    if race.settings.mode == "bgp":
        best = max(alive, key=lambda s: s.progress)
        if best.win_rate > race.settings.accept_above:
            return race.forecast(best)
    total = sum(race.forecast(s) for s in alive)
    limit = race.settings.max_evaluations
    return total if limit is None else min(total, limit - race.n_evaluations)


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 86400 else f"{seconds / 86400:.1f} days"


def verdict_lines(race: Race, result: "RaceResult") -> list[Text]:
    settings = race.settings
    played = f"{result.n_evaluations:,} evaluations, {duration(result.seconds)} this time"
    if not result.finished:
        return [Text(f"not finished: {played}", style="yellow")]
    if not result.accepted:
        head = Text("no candidate was accepted", style="bold")
    else:
        names = ", ".join(c.name for c in result.accepted[:10])
        head = Text(f"accepted: {names}" + (" …" if len(result.accepted) > 10 else ""), style="bold green")
    head.append(f"  ({played})", style="not bold dim")
    lines = [head, *failure_lines(result)]
    if any(s.verdict == Verdict.UNDECIDED for s in result.standings):
        lines.append(Text(result.ending))
    if result.accepted:
        from semeai.report.words import guarantee_sentence

        lines.append(
            Text(
                f"{guarantee_sentence(settings)} "
                "Its win rate above is biased upwards by the stopping: measure it again with new seeds.",
                style="dim",
            )
        )
    return lines


def failure_lines(result: "RaceResult") -> list[Text]:
    """Return why candidates failed in this session, one line each."""
    lines = [Text(f"failure: {failure.message}", style="red") for failure in result.failures[:SHOWN_WARNINGS]]
    if (more := len(result.failures) - SHOWN_WARNINGS) > 0:
        lines.append(Text(f"… and {more:,} more failures", style="red"))
    return lines

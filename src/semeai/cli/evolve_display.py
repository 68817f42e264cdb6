"""Display of an evolution: one line per step and per match, and the current race or match."""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from semeai.cli import display as race_display
from semeai.cli import match_display
from semeai.cli.console import Console
from semeai.cli.display import LINE_SECONDS, duration
from semeai.cli.live import LiveView
from semeai.cli.output import print_json
from semeai.cli.race_status import head_line, indented, standings_table
from semeai.evolve.change import Change
from semeai.evolve.history import History, Validation, program_name, read_history
from semeai.evolve.loop import EvolutionObserver, EvolutionResult
from semeai.evolve.report import proposer_table, step_table, validation_tables
from semeai.evolve.store import step_run
from semeai.match.match import Match, MatchResult
from semeai.match.run import MatchDriver
from semeai.race.candidate import Verdict
from semeai.runs.driver import RaceDriver
from semeai.runs.race import RaceResult
from semeai.runs.run import Driver, Observer
from semeai.store.ledger import Ledger, RunInfo
from semeai.table import ResultTable, percent, show


def make_evolve_display(n_steps: int, quiet: bool) -> "EvolveDisplay":
    console = Console()
    if quiet:
        return EvolveDisplay(console, n_steps)
    return LiveEvolveDisplay(console, n_steps) if console.is_terminal else LineEvolveDisplay(console, n_steps)


class EvolveDisplay(EvolutionObserver):
    """Shows nothing. It is the base of the other displays."""

    def __init__(self, console: Console, n_steps: int) -> None:
        self.console = console
        self.n_steps = n_steps
        self.n_accepted = 0
        self.step = 0
        self._seconds: list[float] = []  # duration of each step that was not already in the ledger
        self._began = time.monotonic()
        self._is_new = False
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def race(self, step: int, n_steps: int, what: str) -> Observer:
        if step != self.step:
            self.step, self._began, self._is_new = step, time.monotonic(), False
        return _Part(self, self._race_progress)

    def _race_progress(self, driver: RaceDriver) -> None:
        self._is_new |= driver.n_new > 0
        self.race_progress(driver)

    def match(self, title: str, match: Match) -> Observer:
        return _Part(self, lambda driver: self.match_progress(title, driver))

    def stepped(self, step: int, change: Change | None, races: Sequence[RaceResult]) -> None:
        self.n_accepted += change is not None
        if self._is_new:
            self._seconds.append(time.monotonic() - self._began)

    def header(self) -> str:
        grown = f"{self.n_accepted} accepted so far"
        left = ""
        if self._seconds and self._is_new:
            mean = sum(self._seconds) / len(self._seconds)
            left = f", about {duration(max(0.0, (self.n_steps - self.step + 1) * mean))} of steps left"
        return f"step {self.step} of {self.n_steps}, {grown}{left}"

    def race_progress(self, driver: RaceDriver) -> None: ...

    def match_progress(self, title: str, driver: MatchDriver) -> None: ...

    def summary(self, result: EvolutionResult, lines: Sequence[str]) -> None:
        """Print the results, and where they are."""
        out = self.console
        print_history(out, result.history)
        out.print(as_rich(proposer_table(result.history)))
        for note in result.notes:
            out.print(Text(note, style="yellow"), soft_wrap=True)
        head = f"{result.reason}: {len(result.history.accepting)} accepted in {result.history.n_games:,} games of races"
        out.print(Text(head, style="bold").append(f", {duration(result.seconds)} this time", "not bold dim"))
        for line in lines:
            out.print(Text(line, style="dim"), soft_wrap=True)


class _Part(Observer):
    """Observes one race or match of the evolution, and passes its progress to the display."""

    def __init__(self, whole: EvolveDisplay, progress: Callable[[Any], None]) -> None:
        self.whole = whole
        self._progress = progress

    def say(self, text: str) -> None:
        self.whole.say(text)

    def warning(self, text: str) -> None:
        self.whole.warning(text)

    def progress(self, driver: Driver) -> None:
        self._progress(driver)

    def stop(self, driver: Driver) -> None:
        self.whole.stop(driver)


class LineEvolveDisplay(EvolveDisplay):
    """Prints one line per step, one per match, and one every ten seconds."""

    def say(self, text: str) -> None:
        self.line(text, "dim")

    def warning(self, text: str) -> None:
        self.line(f"warning: {text}", "yellow")

    def line(self, text: str, style: str = "") -> None:
        self._last = time.monotonic()
        self.console.print(Text(text, style=style), soft_wrap=True)

    def race_progress(self, driver: RaceDriver) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self.line(f"{self.header()}: {race_display.status_line(driver)}")

    def match_progress(self, title: str, driver: MatchDriver) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self.line(f"{title}: {match_display.status_line(driver)}")

    def stepped(self, step: int, change: Change | None, races: Sequence[RaceResult]) -> None:
        super().stepped(step, change, races)
        style = "bold green" if change else ""
        self.line(step_line(step, self.n_steps, self.n_accepted, change, races), style)
        if change:
            print_patterns(self.console, change, "green")

    def played(self, title: str, result: MatchResult) -> None:
        tally = result.tally
        self.line(f"  {title}: {percent(tally.win_rate, tally.plain_interval)} of {tally.n_games:,} games", "cyan")

    def stop(self, driver: Driver) -> None:
        self.line("stopping: finishing the running games (Ctrl-C again: drop them)", "yellow")


class LiveEvolveDisplay(LiveView, LineEvolveDisplay):
    """Prints the same lines, and below them redraws the current race or match twice per second."""

    def say(self, text: str) -> None:
        self.draw(Text(text, style="dim"), at_once=True)

    def race_progress(self, driver: RaceDriver) -> None:
        table = standings_table(driver.race, self.console.height - 10, self.console.width)
        self.draw(Text(self.header(), style="bold"), table, Text(race_display.status_line(driver) + self.note))

    def match_progress(self, title: str, driver: MatchDriver) -> None:
        assert isinstance(driver.match, Match)
        table = match_display.as_rich(driver.match, driver.tally, self.console.width)
        self.draw(
            Text(f"validation: {title}", style="bold"), table, Text(match_display.status_line(driver) + self.note)
        )

    def stop(self, driver: Driver) -> None:
        self.say_stopping("games")


def step_line(step: int, n_steps: int, n: int, change: Change | None, races: Sequence[RaceResult]) -> str:
    """Return a summary of one step in one line."""
    standings = {s.candidate.name: s for race in races for s in race.standings}
    games = 2 * sum(race.n_evaluations for race in races)
    verdicts = [s.verdict for s in standings.values()]
    parts = [
        f"{verdicts.count(verdict)} {word}"
        for verdict, word in (
            (Verdict.DISCARDED, "discarded"), (Verdict.EXHAUSTED, "at the limit of games"), (Verdict.FAILED, "failed"),
            (Verdict.UNDECIDED, "undecided"),
        )
        if verdict in verdicts
    ]  # fmt: skip
    head = f"accepted P{n} ({change.proposer}) {change}" if change else "nothing accepted"
    return f"step {step} of {n_steps}: {head}; {', '.join(parts) or 'no others'}; {games:,} games"


def print_history(console: Console, history: History) -> None:
    """Print the accepted changes and the tables of their validation."""
    accepted = list(history.accepted())
    for i, (step, change) in enumerate(accepted, 1):
        console.print(Text(f"P{i}, step {step.number}, {change.proposer}: {change}", style="bold green"))
        print_patterns(console, change)
    for table in validation_tables(history):
        console.print(as_rich(table))


def print_patterns(console: Console, change: Change, style: str = "") -> None:
    """Draw the patterns of a change; those of a set with their biases."""
    for pattern in change.patterns:
        if len(change.patterns) > 1:
            console.print(Text(f"    {pattern.text}", style=style))
        console.print(Text(indented(pattern.draw()) + "\n" * (len(change.patterns) > 1), style=style))


def as_rich(table: ResultTable) -> Table:
    found = Table(box=None, padding=(0, 1), header_style="bold", title=table.title, title_justify="left")
    for i, title in enumerate(table.columns):
        found.add_column(title, justify="right" if i >= len(table.columns) - 2 else "left")
    for row in table.rows:
        found.add_row(*(Text(show(cell)) for cell in row))
    return found


def as_dict(place: str, result: EvolutionResult) -> dict[str, Any]:
    ended = {"finished": result.finished, "reason": result.reason, "notes": result.notes}
    return {**history_dict(result.history), "ledger": place, **ended}


def history_dict(history: History) -> dict[str, Any]:
    return {
        "run": history.name,
        "games": history.n_games,
        "steps": [
            {
                "step": step.number,
                "accepted": step.accepted.name if step.accepted else None,
                "games": step.n_games,
                "candidates": {name: s.verdict.value for name, s in step.candidates.items()},
                "validation": _matches(step.matches),
            }
            for step in history.steps
        ],
        "first": _matches(history.matches),
        "accepted": [str(change) for _, change in history.accepted()],
        "program": program_name(len(history.accepting)),
        "proposers": {name: vars(p) for name, p in history.by_proposer().items()},
    }


def show_evolution(store: Ledger, run: RunInfo, as_json: bool, every: bool) -> None:
    """Show the state of an evolution in the ledger, also while it is running."""
    history = read_history(store, run.name)
    if as_json:
        print_json({**history_dict(history), "state": store.state(run), "seed": run.seed})
        return
    console = Console()
    console.print(head_line(run, store.state(run)))
    print_history(console, history)
    for table in (proposer_table(history), step_table(history)):
        console.print(as_rich(table))
    parts = [f"{len(history.steps)} steps", f"{len(history.accepting)} accepted", f"{history.n_games:,} games of races"]
    console.print(
        Text(f"{', '.join(parts)}; one step: semeai status {step_run(run.name, 1)}", style="dim"), soft_wrap=True
    )


def _matches(found: Mapping[str, Validation]) -> dict[str, Any]:
    return {
        part: {"games": v.tally.n_games, "win_rate": v.tally.win_rate, "wilson_95": list(v.tally.plain_interval or ())}
        for part, v in found.items()
        if v.tally.n_games
    }


def next_steps(folder: str, name: str, place: str, game: str, size: int) -> list[str]:
    """Return the lines that name the written files and the next commands."""
    of = f" --game {game}" if game != "go" else ""
    return [
        f"written: {folder}/player.toml, {folder}/report.md",
        f"to look again: {shlex.join(['semeai', 'status', name, '--ledger', place])}",
        f"to play it: semeai gtp --preset {shlex.quote(folder + '/player.toml')}{of} --size {size}",
    ]

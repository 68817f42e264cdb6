"""Display of ``semeai suite``: a line of progress, the table of results, and the same as JSON."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.display import LINE_SECONDS, duration, words_about
from semeai.cli.live import LiveView
from semeai.cli.output import note
from semeai.runs.run import Observer
from semeai.suites.run import Answer, SuiteDriver, SuiteScore, score_of, scores
from semeai.table import ResultTable, show

COLUMNS = ("suite", "solved", "asked", "known failures", "of them solved", "other failures")


def make_suite_display(quiet: bool) -> "SuiteDisplay":
    console = Console()
    if quiet:
        return SuiteDisplay(console)
    return LiveSuiteDisplay(console) if console.is_terminal else LineSuiteDisplay(console)


class SuiteDisplay(Observer):
    """Shows only notes on standard error. It is the base of the other displays."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, text: str) -> None:
        note(text)

    def warning(self, text: str) -> None:
        note(f"warning: {text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def summary(self, table: ResultTable, listed: Sequence[Answer]) -> None:
        """Print the answers to be listed, and the table."""
        for answer in listed:
            self.console.print(Text(answer_line(answer)), soft_wrap=True)
        self.console.print(Text(table.title, style="dim"), soft_wrap=True)
        shown = Table(box=None, padding=(0, 1), header_style="bold")
        for title in table.columns:
            shown.add_column(title, justify="left" if title == "suite" else "right", no_wrap=title != "suite")
        for row in table.rows:
            shown.add_row(*(Text(show(cell)) for cell in row))
        self.console.print(shown)
        if table.note:
            self.console.print(Text(table.note), soft_wrap=True)


class LineSuiteDisplay(SuiteDisplay):
    """Prints one line every ten seconds."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._last = time.monotonic()

    def progress(self, driver: SuiteDriver) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.console.print(status_line(driver), highlight=False, soft_wrap=True)

    def stop(self, driver: SuiteDriver) -> None:
        self.console.print("stopping: finishing the running positions (Ctrl-C again: drop them)")


class LiveSuiteDisplay(LiveView, SuiteDisplay):
    """Redraws the line twice per second."""

    def progress(self, driver: SuiteDriver) -> None:
        self.draw(Text(status_line(driver) + self.note))

    def stop(self, driver: SuiteDriver) -> None:
        self.say_stopping("positions")


def status_line(driver: SuiteDriver) -> str:
    answers, asked, rate = driver.answers, len(driver.tasks), driver.rate
    parts = [f"{len(answers):,} of {asked:,} positions", f"{sum(a.solved for a in answers):,} solved"]
    if rate > 0:
        parts.append(f"about {duration((asked - len(answers)) / rate)} left")
    return ", ".join([*parts, *words_about(driver.pool)])


def answer_line(answer: Answer) -> str:
    """Return ``ladders 10: D4, solved (wanted D4|E5)``."""
    line = answer.position.line
    verdict = "solved" if answer.solved else "failed"
    marks = ", a known failure" if line.known_failure else ""
    return f"{line.suite} {line.id}: {answer.move or answer.failure}, {verdict} (wanted {line.want}{marks})"


def as_table(file: str, player: str, seed: int, answers: Sequence[Answer], n_positions: int) -> ResultTable:
    found = scores(answers)
    rows = [_row(score) for score in found]
    if len(found) > 1:
        rows.append(_row(score_of("all", answers)))
    cpu = sum(answer.cpu_seconds for answer in answers)
    notes = [f"{cpu / len(answers):.3g} CPU seconds per position"] if answers else ["no position was asked about"]
    if len(answers) < n_positions:
        notes.append(f"stopped after {len(answers):,} of {n_positions:,} positions")
    failures = [answer.failure for answer in answers if answer.failure]
    if failures:
        notes.append(f"the player failed in {len(failures):,} positions, first: {failures[0]}")
    return ResultTable(f"{player} on {file}, seed {seed}", COLUMNS, tuple(rows), "; ".join(notes))


def _row(score: SuiteScore) -> tuple[str | int, ...]:
    known, solved = score.known_failures, score.known_failures_solved
    return score.name, score.solved, score.asked, known, solved, score.surprises


def as_dict(
    file: str, player: str, game: str, seed: int, driver: SuiteDriver, unplayable: Sequence[str]
) -> dict[str, Any]:
    answers = driver.answers
    return {
        "file": file,
        "game": game,
        "player": player,
        "seed": seed,
        "finished": driver.finished,
        "positions": len(driver.tasks),
        "unplayable": list(unplayable),
        "total": _score_dict(score_of("all", answers)),
        "suites": [_score_dict(score) for score in scores(answers)],
        "answers": [_answer_dict(answer) for answer in answers],
    }


def _score_dict(score: SuiteScore) -> dict[str, Any]:
    return {
        "suite": score.name,
        "asked": score.asked,
        "solved": score.solved,
        "known_failures": score.known_failures,
        "known_failures_solved": score.known_failures_solved,
        "other_failures": score.surprises,
        "player_failed": score.failed,
    }


def _answer_dict(answer: Answer) -> dict[str, Any]:
    line = answer.position.line
    return {
        "suite": line.suite,
        "id": line.id,
        "size": line.size,
        "to_move": line.to_move,
        "want": line.want,
        "known_failure": line.known_failure,
        "move": answer.move,
        "solved": answer.solved,
        "win_rate": answer.win_rate,
        "simulations": answer.simulations,
        "cpu_seconds": answer.cpu_seconds,
        "failure": answer.failure,
    }

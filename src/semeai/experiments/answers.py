"""Ask players about positions on the workers of an experiment, and count the good moves."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from semeai.errors import PlayerFailed
from semeai.experiments.kept import KeptAnswers
from semeai.experiments.matches import STOPPING, TOLD_EVERY, Progress, silent
from semeai.experiments.problems import Problem
from semeai.match.pair import MatchSetup
from semeai.match.settings import MatchSettings
from semeai.players.catalog import parse_spec
from semeai.runs.run import Driver, Observer, place_named, stopping_on_signals
from semeai.stats.intervals import wilson_interval
from semeai.suites.run import Answer, AnswerTask, SuiteDriver
from semeai.table import percent


class Asking(TypedDict, total=False):
    """Options of ``semeai reproduce`` for experiments that ask about positions; each has a default."""

    seed: int
    workers: int | None
    executor: str | None
    answers: Path | None
    progress: Progress


@dataclass(frozen=True)
class Question:
    """A position for a player, written as in ``--players``. Equal positions get the same seed from all players."""

    player: str
    problem: Problem
    run: int


@dataclass
class Count:
    """The moves of a cell of a table."""

    asked: int = 0
    good: int = 0
    in_race: int = 0
    """Bad moves on a point of the race."""

    def add(self, problem: Problem, answer: Answer) -> None:
        self.asked += 1
        self.good += answer.solved
        self.in_race += not answer.solved and problem.is_in_race(answer.move)

    @property
    def good_cell(self) -> str:
        return percent(self.good / self.asked, wilson_interval(self.good, self.asked)) if self.asked else ""

    @property
    def bad_cell(self) -> str:
        """Bad moves: in the race, and elsewhere."""
        return f"{self.in_race} / {self.asked - self.good - self.in_race}" if self.asked else ""


def ask_all(
    questions: Sequence[Question],
    seed: int = 1,
    workers: int | None = None,
    executor: str | None = None,
    answers: Path | None = None,
    progress: Progress = silent,
) -> list[Answer]:
    """Return the answers in the order of the questions. Raises KeyboardInterrupt if Ctrl-C has stopped the work.

    The file ``answers`` keeps each answer as soon as it is known; what it has is not asked again.
    """
    players = {words: parse_spec(words, game="go") for words in dict.fromkeys(q.player for q in questions)}
    tasks = [AnswerTask(players[q.player], q.problem.position(q.run), seed) for q in questions]
    kept = None if answers is None else KeptAnswers.read(answers)
    found = [None if kept is None else kept.get(task) for task in tasks]
    missing = [i for i, answer in enumerate(found) if answer is None]
    if missing:
        if len(missing) < len(tasks):
            progress(f"{len(tasks) - len(missing):,} of {len(tasks):,} positions are known, from {answers}")
        asked = [tasks[i] for i in missing]
        for i, answer in zip(missing, _ask(asked, workers, executor, kept, AnswerTeller(progress)), strict=True):
            found[i] = answer
    return [answer for answer in found if answer]


def _ask(
    tasks: Sequence[AnswerTask],
    workers: int | None,
    executor: str | None,
    kept: KeptAnswers | None,
    observer: "AnswerTeller",
) -> list[Answer]:
    players = tuple(dict.fromkeys(task.player for task in tasks))
    MatchSetup(MatchSettings(), players).prepare(observer.say)
    place = place_named(None, executor, workers)
    with place.open_pool(observer) as pool:
        for size in {task.position.line.size for task in tasks}:
            pool.begin(MatchSetup(MatchSettings(size=size), players))
        driver = SuiteDriver(tasks, pool, observer, None if kept is None else kept.keep)
        with stopping_on_signals(driver, observer, place.executor == "inline"):
            driver.run()
    if not driver.finished:
        raise KeyboardInterrupt
    if failed := [answer for answer in driver.answers if answer.failure]:
        raise PlayerFailed(f"position {failed[0].position.line.id}: {failed[0].failure}")
    return driver.answers


def counted(questions: Sequence[Question], answers: Sequence[Answer]) -> Mapping[tuple[str, str], Count]:
    """Return the counts by player and family."""
    found: dict[tuple[str, str], Count] = {}
    for question, answer in zip(questions, answers, strict=True):
        found.setdefault((question.player, question.problem.family), Count()).add(question.problem, answer)
    return found


class AnswerTeller(Observer):
    """Prints how far the questions are every ``TOLD_EVERY`` seconds."""

    def __init__(self, progress: Progress) -> None:
        self.tell = progress
        self._told = time.monotonic()

    def say(self, text: str) -> None:
        self.tell(text)

    def stop(self, driver: Driver) -> None:
        self.tell(STOPPING.replace("games", "positions"))

    def progress(self, driver: SuiteDriver) -> None:
        n = driver.n_new
        if n and not driver.finished and time.monotonic() >= self._told + TOLD_EVERY:
            self._told = time.monotonic()
            left = (len(driver.tasks) - n) / driver.rate / 60
            self.tell(f"{n:,} of {len(driver.tasks):,} positions, {left:.0f} min left")

"""Experiments that are lists of matches: played one after another and kept in a ledger, so that they can resume."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from semeai.match.match import Match
from semeai.match.run import MatchDriver, run_match
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.players.catalog import parse_spec
from semeai.runs.run import Driver, Observer, place_named
from semeai.table import percent

Progress = Callable[[str], object]
DEFAULT_LEDGER = "experiments.db"
TOLD_EVERY = 30.0
"""Seconds between two lines of progress of a match or race."""
STOPPING = "stopping: finishing the running games (Ctrl-C again: drop them)"


def silent(text: str) -> None:
    """Tell nothing: the progress of an experiment without an audience."""


class Playing(TypedDict, total=False):
    """Options of ``semeai reproduce`` for the matches of an experiment; each has a default."""

    games: int
    seed: int
    workers: int | None
    executor: str | None
    ledger: str | None
    progress: Progress


@dataclass(frozen=True)
class Pairing:
    """One row of a table: players A and B and the settings of their match."""

    label: str
    a: str
    b: str
    settings: MatchSettings


def play_all(
    pairings: Sequence[Pairing],
    usual_games: int,
    games: int | None = None,
    seed: int = 1,
    workers: int | None = None,
    executor: str | None = None,
    ledger: str | None = None,
    progress: Progress = silent,
) -> list[Tally]:
    """Play the games that the ledger does not have yet. After Ctrl-C the same command resumes."""
    games = games or usual_games
    tallies = []
    for i, pairing in enumerate(pairings):
        a, b = (parse_spec(words, game=pairing.settings.game) for words in (pairing.a, pairing.b))
        match = Match(a, b, pairing.settings, seed)
        place = f"{pairing.label} ({i + 1} of {len(pairings)})"
        progress(f"{place}: {games:,} games …")
        where = place_named(ledger or DEFAULT_LEDGER, executor, workers)
        result = run_match(match, games, where, observer=MatchTeller(place, progress))
        if result.stopped:
            progress(f"stopped in {place}; the same command resumes")
            raise KeyboardInterrupt
        tallies.append(result.tally)
    return tallies


class MatchTeller(Observer):
    """Prints the state of a match every ``TOLD_EVERY`` seconds."""

    def __init__(self, place: str, progress: Progress) -> None:
        self.place = place
        self.tell = progress
        self._told = time.monotonic()

    def say(self, text: str) -> None:
        self.tell(text)

    def stop(self, driver: Driver) -> None:
        self.tell(STOPPING)

    def progress(self, driver: MatchDriver) -> None:
        n = driver.tally.n_games
        missing = 2 * driver.n_pairs - n
        if missing and n and time.monotonic() >= self._told + TOLD_EVERY:
            self._told = time.monotonic()
            left = f", {missing / driver.rate / 60:.0f} min left" if driver.rate else ""
            self.tell(f"{self.place}: {n:,} games, {percent(driver.tally.win_rate)}{left}")


def rate_and_interval(tally: Tally) -> str:
    """Return the win rate with its Wilson interval, which is valid for a planned number of games."""
    return percent(tally.win_rate, tally.plain_interval)

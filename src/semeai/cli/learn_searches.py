"""The part of ``semeai learn --targets visits`` that searches positions and says how far it is."""

import time
from collections.abc import Sequence
from pathlib import Path

from semeai.cli.display import LINE_SECONDS, duration, words_about
from semeai.cli.learn import stopped_early
from semeai.cli.output import note
from semeai.games.record import GameRecord
from semeai.learn.examples import Visits
from semeai.learn.searches import PER_GAME, SIMULATIONS, SearchSettings, search_games, searcher
from semeai.players.catalog import parse_spec
from semeai.runs.run import Observer, Place
from semeai.runs.tasks import TaskDriver


class SearchDisplay(Observer):
    """Prints a line every ten seconds, unless it shall be quiet."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._last = time.monotonic()

    def say(self, text: str) -> None:
        note(text)

    def warning(self, text: str) -> None:
        note(f"warning: {text}")

    def progress(self, driver: TaskDriver) -> None:
        if not self.quiet and time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            left = (len(driver.tasks) - driver.n_new) / driver.rate if driver.n_new else 0.0
            parts = [f"{driver.n_new:,} of {len(driver.tasks):,} positions searched"]
            parts += [f"about {duration(left)} left"] if left else []
            note(", ".join([*parts, *words_about(driver.pool)]))

    def stop(self, driver: TaskDriver) -> None:
        note("stopping: finishing the running searches (Ctrl-C again: drop them)")


def search_settings(player: str, game: str, per_game: int | None, simulations: int | None) -> SearchSettings:
    """Return the settings of ``--player``, ``--game``, ``--searches`` and ``--search-simulations``."""
    return SearchSettings(searcher(parse_spec(player, None, game), simulations or SIMULATIONS), per_game or PER_GAME)


def search_records(
    records: Sequence[GameRecord], settings: SearchSettings, output: Path, place: Place, quiet: bool
) -> list[Visits]:
    """Return the visits of deep searches, by game. Searches are kept beside the output, as ``OUTPUT.searches``."""
    path = output.with_name(output.name + ".searches")
    stopped, visits = search_games(records, settings, path, place, SearchDisplay(quiet))
    if stopped:
        stopped_early()
    return visits

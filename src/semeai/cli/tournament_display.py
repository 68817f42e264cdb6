"""Display of a tournament: the standings, then who has beaten whom."""

import time
from types import TracebackType
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.display import LINE_SECONDS, duration, words_about
from semeai.cli.elo_display import shown
from semeai.cli.live import LiveView
from semeai.cli.match_display import shorten
from semeai.cli.output import note, print_json
from semeai.cli.race_status import head_line
from semeai.match.run import MatchDriver, replay_tournament
from semeai.match.tournament import Tournament, TournamentTally
from semeai.runs.run import Observer
from semeai.store.ledger import Ledger, RunInfo
from semeai.table import ResultTable

COLUMNS = ("player", "games", "score", "always valid", "Elo", "better than")
NOTE = (
    "Score and Elo are against the player's opponents in this tournament, over complete rounds. The intervals "
    "hold together, at all times, with probability 95%. A player is better than another one if their own games prove "
    "it; all these proofs hold together with probability 95% too."
)


class TournamentDisplay(Observer):
    """Shows only notes on standard error. It is the base of the other displays."""

    def __init__(self, console: Console, tournament: Tournament) -> None:
        self.console = console
        self.tournament = tournament

    def say(self, text: str) -> None:
        note(text)

    def warning(self, text: str) -> None:
        note(f"warning: {text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LineTournamentDisplay(TournamentDisplay):
    """Prints one line every ten seconds."""

    def __init__(self, console: Console, tournament: Tournament) -> None:
        super().__init__(console, tournament)
        self._last = time.monotonic()

    def progress(self, driver: MatchDriver) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.console.print(status_line(driver), highlight=False, soft_wrap=True)

    def stop(self, driver: MatchDriver) -> None:
        self.console.print("stopping: finishing the running games (Ctrl-C again: drop them)")


class LiveTournamentDisplay(LiveView, TournamentDisplay):
    """Redraws the standings twice per second."""

    def progress(self, driver: MatchDriver) -> None:
        assert isinstance(driver.tally, TournamentTally)
        self.draw(as_rich(driver.tally, self.console.width), Text(status_line(driver) + self.note))

    def stop(self, driver: MatchDriver) -> None:
        self.say_stopping("games")


def make_display(tournament: Tournament, quiet: bool) -> Any:
    console = Console()
    if quiet:
        return TournamentDisplay(console, tournament)
    return (LiveTournamentDisplay if console.is_terminal else LineTournamentDisplay)(console, tournament)


def status_line(driver: MatchDriver) -> str:
    played, planned = driver.tally.n_games, 2 * driver.n_pairs
    parts = [f"{played:,} of {planned:,} games"]
    if driver.n_resumed:
        parts[0] += f" ({driver.n_resumed:,} from the ledger)"
    if driver.rate > 0:
        parts += [
            f"{3600 * driver.rate:,.0f} games per hour",
            f"about {duration((planned - played) / driver.rate)} left",
        ]
    return ", ".join([*parts, *words_about(driver.pool)])


def rows(tally: TournamentTally, longest: int = 60) -> list[tuple[str, ...]]:
    found = []
    for s in tally.standings():
        label = shorten(tally.tournament.players[s.player].label, longest)
        beaten = ", ".join(str(i + 1) for i in s.beaten)
        numbers = [f"{s.score:.4f}", f"[{s.interval.lower:.4f}, {s.interval.upper:.4f}]", shown(s.elo)]
        shown_numbers = numbers if tally.n_rounds else ["", "", ""]
        found.append((f"{s.player + 1} {label}", f"{s.n_games:,}", *shown_numbers, beaten))
    return found


def as_rich(tally: TournamentTally, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in COLUMNS:
        table.add_column(title, justify="left" if title == "player" else "right", no_wrap=True)
    for row in rows(tally, max(12, min(60, width - 76))):
        table.add_row(*(Text(cell) for cell in row))
    return table


def as_result_table(tally: TournamentTally) -> ResultTable:
    t = tally.tournament
    title = f"{t.form} of {len(t.players)} players, {t.settings.game}, {tally.n_rounds} rounds, seed {t.seed}"
    return ResultTable(title, COLUMNS, tuple(rows(tally)), NOTE)


def as_dict(tally: TournamentTally, name: str, place: str, finished: bool) -> dict[str, Any]:
    t = tally.tournament

    def finite(values: Any) -> list[float | None]:
        return [value if abs(value) < float("inf") and value == value else None for value in values]

    return {
        "run": name,
        "ledger": place,
        "form": t.form,
        "settings": t.settings.identity(),
        "seed": t.seed,
        "finished": finished,
        "games": tally.n_games,
        "rounds": tally.n_rounds,
        "standings": [
            {
                "player": t.players[s.player].label,
                "number": s.player + 1,
                "games": s.n_games,
                "score": s.score if tally.n_rounds else None,
                "always_valid_95": list(s.interval),
                "elo": finite(s.elo)[0],
                "elo_always_valid_95": finite(s.elo[1:]),
                "proven_better_than": [i + 1 for i in s.beaten],
            }
            for s in tally.standings()
        ],
        "pairings": [
            {"a": a + 1, "b": b + 1, "games": tally_.n_games, "score_of_a": finite([tally_.win_rate])[0]}
            for (a, b), tally_ in zip(t.pairings, tally.of_pairing, strict=True)
        ],
    }


def print_standings(console: Console, tally: TournamentTally) -> None:
    for i, player in enumerate(tally.tournament.players, 1):
        console.print(Text(f"{i}: {player.label}", style="dim"), soft_wrap=True)
    console.print(as_rich(tally, console.width))
    console.print(Text(f"{tally.n_games:,} games, {tally.n_rounds:,} rounds. {NOTE}", style="dim"), soft_wrap=True)


def show_tournament(store: Ledger, run: RunInfo, as_json: bool, every: bool) -> None:
    """Show the state of a tournament in the ledger, also while it is running."""
    _, tally = replay_tournament(store, run.name)
    if as_json:
        finished = run.state == "finished"
        print_json({**as_dict(tally, run.name, store.location, finished), "state": store.state(run)})
        return
    console = Console()
    console.print(head_line(run, store.state(run)))
    print_standings(console, tally)

"""Display of a match: a live table on a terminal, plain lines elsewhere, nothing with --json."""

import math
import shlex
import time
from types import TracebackType
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.display import LINE_SECONDS, duration, words_about
from semeai.cli.elo_display import elo_lines
from semeai.cli.live import LiveView
from semeai.cli.output import note, print_json
from semeai.cli.race_status import head_line, indented
from semeai.games.catalog import game_named
from semeai.match.game import REASONS
from semeai.match.match import Match, MatchResult
from semeai.match.rating import HYPOTHESES, Hypotheses, elo_dict
from semeai.match.run import MatchDriver, replay_match
from semeai.match.tally import Tally
from semeai.runs.run import Observer
from semeai.store.ledger import Ledger, RunInfo
from semeai.table import ResultTable

OTHER_COLUMNS = 71  # width of all columns except the players' names
LONGEST_NAME = 60


def make_match_display(match: Match, quiet: bool, hypotheses: Hypotheses = HYPOTHESES) -> "MatchDisplay":
    console = Console()
    if quiet:
        return MatchDisplay(console, match, hypotheses)
    kind = LiveMatchDisplay if console.is_terminal else LineMatchDisplay
    return kind(console, match, hypotheses)


class MatchDisplay(Observer):
    """Shows only notes on standard error. It is the base of the other displays."""

    def __init__(self, console: Console, match: Match, hypotheses: Hypotheses = HYPOTHESES) -> None:
        self.console = console
        self.match = match
        self.hypotheses = hypotheses

    def say(self, text: str) -> None:
        note(text)

    def warning(self, text: str) -> None:
        note(f"warning: {text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def summary(self, result: MatchResult, until_decided: bool, name: str, place: str) -> None:
        print_result(self.console, self.match, result, until_decided, self.hypotheses)
        look = f"to look again: {shlex.join(['semeai', 'status', name, '--ledger', place])}"
        self.console.print(Text(look, style="dim"), soft_wrap=True)


class LineMatchDisplay(MatchDisplay):
    """Prints one line every ten seconds."""

    def __init__(self, console: Console, match: Match, hypotheses: Hypotheses = HYPOTHESES) -> None:
        super().__init__(console, match, hypotheses)
        self._last = time.monotonic()

    def progress(self, driver: MatchDriver) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.console.print(status_line(driver), highlight=False, soft_wrap=True)

    def stop(self, driver: MatchDriver) -> None:
        self.console.print("stopping: finishing the running games (Ctrl-C again: drop them)")


class LiveMatchDisplay(LiveView, MatchDisplay):
    """Redraws the table twice per second."""

    def progress(self, driver: MatchDriver) -> None:
        lines = elo_lines(self.match, driver.tally, self.hypotheses)
        status = Text("\n".join([*lines, status_line(driver) + self.note]))
        self.draw(as_rich(self.match, driver.tally, self.console.width), status)

    def stop(self, driver: MatchDriver) -> None:
        self.say_stopping("games")


def print_result(
    console: Console, match: Match, result: MatchResult, until_decided: bool, hypotheses: Hypotheses = HYPOTHESES
) -> None:
    for letter, spec in (("A", match.a), ("B", match.b)):
        console.print(Text(f"{letter}: {spec.label}", style="dim"), soft_wrap=True)
    console.print(as_rich(match, result.tally, console.width))
    for line in summary_lines(result, until_decided):
        console.print(line, soft_wrap=True)
    for text in elo_lines(match, result.tally, hypotheses):
        console.print(Text(text), soft_wrap=True)


def columns(match: Match) -> tuple[str, ...]:
    colours = (f"as {colour.capitalize()}" for colour in game_named(match.settings.game).colours)
    return ("player", "wins", *colours, "win rate", "always valid", "CPU s/game")


def rows(match: Match, tally: Tally, longest: int = LONGEST_NAME) -> list[tuple[str, ...]]:
    """Return one row per player, with the cells of ``columns``."""
    half = tally.n_pairs
    lower, upper = tally.interval
    found = []
    for i, (letter, spec) in enumerate((("A", match.a), ("B", match.b))):
        won = float(i == 0)  # A's reward if this player wins
        own, other = (tally.as_first, tally.as_second)[:: 1 if i == 0 else -1]  # B is second when A is first
        first, second = own[won], other[won]
        rate = tally.win_rate if i == 0 else 1 - tally.win_rate
        low, high = (lower, upper) if i == 0 else (1 - upper, 1 - lower)
        cpu = tally.cpu[i] / tally.n_games if tally.n_games else 0.0
        shown = [f"{rate:.4f}", f"[{low:.4f}, {high:.4f}]", f"{cpu:.2f}"] if half else [""] * 3
        found.append(
            (
                f"{letter} {shorten(spec.label, longest)}",
                f"{first + second:,}",
                f"{first}/{half}",
                f"{second}/{half}",
                *shown,
            )
        )
    return found


def shorten(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def as_rich(match: Match, tally: Tally, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for title in columns(match):
        table.add_column(title, justify="left" if title == "player" else "right", no_wrap=True)
    for row in rows(match, tally, max(8, min(LONGEST_NAME, width - OTHER_COLUMNS))):
        table.add_row(*(Text(cell) for cell in row))
    return table


def as_result_table(
    match: Match, result: MatchResult, until_decided: bool, hypotheses: Hypotheses = HYPOTHESES
) -> ResultTable:
    s, game = match.settings, game_named(match.settings.game)
    rules = (f", komi {s.komi:g}" if game.has_komi else "") + (", swap" if s.swap else "")
    title = f"{match.a.label} against {match.b.label}, {s.game} {game.board_name(s.size)}{rules}, seed {match.seed}"
    lines = [line.plain for line in summary_lines(result, until_decided)]
    note = "\n".join([*lines, *elo_lines(match, result.tally, hypotheses)])
    return ResultTable(title, columns(match), tuple(rows(match, result.tally)), note)


def endings(tally: Tally) -> dict[str, int]:
    """Return the number of games per ending, the endings of the game's own rules first."""
    own = sorted(reason for reason in tally.reasons if reason not in REASONS)
    return {reason: tally.reasons[reason] for reason in (*own, *REASONS) if tally.reasons[reason]}


def list_endings(tally: Tally) -> str:
    return ", ".join(f"{n:,} by {reason}" for reason, n in endings(tally).items())


def status_line(driver: MatchDriver) -> str:
    tally, rate = driver.tally, driver.rate
    planned = 2 * driver.n_pairs
    parts = [f"{tally.n_games:,} of {planned:,} games"]
    if driver.n_resumed:
        parts[0] += f" ({driver.n_resumed:,} from the ledger)"
    if tally.n_games:
        lower, upper = tally.interval
        parts.append(f"A wins {tally.win_rate:.4f}, always-valid interval [{lower:.4f}, {upper:.4f}]")
        parts.append(f"{tally.n_moves / tally.n_games:.0f} moves per game")
        parts.append(list_endings(tally))
    if rate > 0:
        most = "at most " if driver.until_decided else "about "
        parts += [f"{3600 * rate:,.0f} games per hour", f"{most}{duration((planned - tally.n_games) / rate)} left"]
    return ", ".join([*parts, *words_about(driver.pool)])


def summary_lines(result: MatchResult, until_decided: bool) -> list[Text]:
    tally = result.tally
    if not tally.n_games:
        return [Text("no games were played", style="yellow")]
    head = f"{tally.n_games:,} games: A wins {tally.win_rate:.4f}"
    plain = plain_interval(result, until_decided)
    if plain is not None:
        head += f", 95% [{plain[0]:.4f}, {plain[1]:.4f}] (Wilson: if the number of games was fixed beforehand)"
    if tally.draws:
        head += f", {tally.draws:,} draws"
    lines = [Text(head, style="bold"), Text(verdict(result))]
    lines.append(
        Text(f"{tally.n_moves / tally.n_games:.1f} moves per game; games ended {list_endings(tally)}", style="dim")
    )
    for failure, n in _most_frequent(result):
        lines.append(Text(f"{n} x {failure}", style="red"))
    return lines


def verdict(result: MatchResult) -> str:
    """Return the verdict by the always-valid interval, which holds at any time."""
    lower, upper = result.tally.interval
    what = f"always-valid 95% interval [{lower:.4f}, {upper:.4f}]"
    if not result.tally.is_decided:
        return f"not yet decided who is stronger: {what}"
    return f"{'A' if lower > 0.5 else 'B'} is stronger: {what}"


def plain_interval(result: MatchResult, until_decided: bool) -> tuple[float, float] | None:
    """Return the Wilson interval; None if the number of games was not fixed or not all games are played."""
    return result.tally.plain_interval if result.finished and not until_decided else None


def _most_frequent(result: MatchResult) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for game in result.failures:
        counts[game.failure] = counts.get(game.failure, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])[:3]


def show_match(store: Ledger, run: RunInfo, as_json: bool, every: bool) -> None:
    """Show the state of a match in the ledger, also while it is running."""
    match, result = replay_match(store, run.name)
    if as_json:
        print_json({**as_dict(match, run.name, store.location, result, True), "state": store.state(run)})
        return
    console = Console()
    console.print(head_line(run, store.state(run)))
    print_result(console, match, result, until_decided=True)
    for game in result.failures:
        if game.stderr:
            console.print(Text(f"game {game.number + 1}: {game.failure}", style="red"))
            console.print(Text(indented(game.stderr), style="dim"))


def as_dict(
    match: Match,
    name: str,
    place: str,
    result: MatchResult,
    until_decided: bool,
    hypotheses: Hypotheses = HYPOTHESES,
) -> dict[str, Any]:
    tally = result.tally
    plain = plain_interval(result, until_decided)
    games = tally.n_games
    first, second = game_named(match.settings.game).colours

    def of(colour: dict[float, int]) -> dict[str, int]:
        return {"wins": colour[1.0], "draws": colour[0.5], "losses": colour[0.0]}

    return {
        "run": name,
        "ledger": place,
        "a": match.a.label,
        "b": match.b.label,
        "settings": match.settings.identity(),
        "seed": match.seed,
        "finished": result.finished,
        "stopped_early": result.decided,
        "games": games,
        "planned": result.n_planned,
        f"a_as_{first}": of(tally.as_first),
        f"a_as_{second}": of(tally.as_second),
        "win_rate": None if math.isnan(tally.win_rate) else tally.win_rate,
        "always_valid_95": list(tally.interval),
        "wilson_95": None if plain is None else list(plain),
        **elo_dict(match, tally, hypotheses),
        "decided": tally.is_decided,
        "moves_per_game": tally.n_moves / games if games else None,
        "cpu_seconds_per_game": [cpu / games for cpu in tally.cpu] if games else None,
        "simulations_per_game": [n / games for n in tally.simulations] if games else None,
        "endings": endings(tally),
        "failures": [{"game": g.number + 1, "failure": g.failure, "stderr": g.stderr} for g in result.failures],
    }

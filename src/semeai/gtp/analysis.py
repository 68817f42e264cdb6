"""Live analysis: the commands of Leela Zero and KataGo, which Sabaki, Lizzie, Ogatak and others use."""

import time
from collections.abc import Callable, Sequence

from semeai.gtp.protocol import SYNTAX_ERROR, CommandFailed, parse_int, take
from semeai.gtp.session import FIRST_CHUNK, CommandTable, Session, next_chunk
from semeai.players.base import Choice
from semeai.search.report import MoveReport
from semeai.stats.intervals import wilson_interval

COMMANDS = CommandTable()
DEFAULT_INTERVAL = 50
"""Centiseconds between two lines."""
MAX_MOVES = 50
"""Largest number of moves per line."""
ARGUMENTS = "[COLOUR] [CENTISECONDS] [interval CENTISECONDS] [minmoves N] [maxmoves N]"
KATA_ARGUMENTS = f"{ARGUMENTS} [ownership true]"
OWNER_SHARE = 0.02
"""Playouts that estimate owners and score, as a share of the simulations."""
MIN_PLAYOUTS = 4


@COMMANDS.add("lz-analyze", ARGUMENTS)
def lz_analyze(session: Session, words: Sequence[str]) -> "Analysis":
    """Show the results of the search until the next input."""
    player, interval, most = parse_analysis(session, words)
    return Analysis(session, player, interval, most)


COMMANDS["analyze"] = COMMANDS["lz-analyze"]


@COMMANDS.add("lz-genmove_analyze", ARGUMENTS)
def lz_genmove_analyze(session: Session, words: Sequence[str]) -> "GenmoveAnalysis":
    """Like genmove, but show the results of the search; the last line is `play VERTEX`."""
    player, interval, most = parse_analysis(session, words)
    return GenmoveAnalysis(session, player, interval, most)


COMMANDS["genmove_analyze"] = COMMANDS["lz-genmove_analyze"]


@COMMANDS.add("kata-analyze", KATA_ARGUMENTS)
def kata_analyze(session: Session, words: Sequence[str]) -> "KataAnalysis":
    """Like lz-analyze in the form of KataGo: with the score lead and, if asked for, the owner of each point."""
    rest, owners = without_flags(words)
    player, interval, most = parse_analysis(session, rest)
    return KataAnalysis(session, player, interval, most, owners=owners)


@COMMANDS.add("kata-genmove_analyze", KATA_ARGUMENTS)
def kata_genmove_analyze(session: Session, words: Sequence[str]) -> "KataGenmoveAnalysis":
    """Like lz-genmove_analyze in the form of KataGo."""
    rest, owners = without_flags(words)
    player, interval, most = parse_analysis(session, rest)
    return KataGenmoveAnalysis(session, player, interval, most, owners=owners)


def without_flags(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the words without KataGo's switches, and whether owners are wanted. Raises CommandFailed for others."""
    rest, owners = [], False
    pairs = iter(words)
    for word in pairs:
        key = word.lower()
        if key not in FLAGS:
            rest.append(word)
            continue
        value = next(pairs, "").lower()
        if value not in ("true", "false"):
            raise CommandFailed(SYNTAX_ERROR)
        owners = value == "true" if key == "ownership" else owners
    return rest, owners


FLAGS = ("ownership", "ownershipstdev", "movesownership", "pvvisits", "pvedgevisits", "rootinfo", "nosymmetries")
"""Switches of KataGo; all but ``ownership`` are accepted and change nothing."""


def parse_analysis(session: Session, words: Sequence[str]) -> tuple[int, int, int]:
    """Return the player, the centiseconds between lines, and the largest number of moves per line.

    Programs send both forms, with and without the colour.
    """
    rest = list(words)
    player, interval, most = session.position.to_move, DEFAULT_INTERVAL, MAX_MOVES
    if rest and rest[0].isalpha() and rest[0].lower() not in KEYS:
        player = session.player_named(rest.pop(0))
    if rest and rest[0].isdigit():
        interval = parse_int(rest.pop(0))
    while rest:
        key, value = take(rest[:2], 2)
        if key.lower() not in KEYS:
            raise CommandFailed(SYNTAX_ERROR)
        number = parse_int(value)
        interval = number if key.lower() == "interval" else interval
        most = max(1, number) if key.lower() == "maxmoves" else most
        del rest[:2]
    return player, interval, most


KEYS = ("interval", "minmoves", "maxmoves")


class Analysis:
    """Searches one position in slices. Gives a line of results every ``interval`` centiseconds."""

    can_be_stopped = True

    def __init__(
        self, session: Session, player: int, interval: int, most: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.finished = self.resting = False
        self.session, self.player = session, player
        self._most, self._interval, self._now = most, interval / 100, now
        self._position = session.prepare(player)
        self._next_line = 0.0
        self._done, self._chunk = 0, FIRST_CHUNK

    def step(self) -> str | None:
        if not self._think(self.session.settings.analysis_simulations):
            self.resting = True
            return self.line() or None
        return self._line_when_due()

    def _think(self, limit: int | None) -> int:
        """Search for one slice, within ``limit`` simulations in total. Returns the number of simulations run."""
        began = self._now()
        wanted = self._chunk if limit is None else min(self._chunk, limit - self._done)
        ran = self.session.player.think(wanted) if wanted > 0 else 0
        self._done += ran
        self._chunk = next_chunk(self._chunk, self._now() - began)
        return ran

    def _line_when_due(self) -> str | None:
        if self._now() < self._next_line:
            return None
        self._next_line = self._now() + self._interval
        return self.line() or None

    def line(self) -> str:
        """Return ``info move D4 visits 836 winrate 4656 ... pv D4 C3 info move ...``, the best move first."""
        reports = [report for report in self.session.player.report() if report.visits][: self._most]
        return " ".join(self._info(order, report) for order, report in enumerate(reports))

    def _info(self, order: int, report: MoveReport) -> str:
        name = self._position.move_to_text
        low = wilson_interval(report.win_rate * report.visits, report.visits).lower if report.visits else 0.0
        return (
            f"info move {name(report.move)} visits {report.visits} winrate {_share(report.win_rate)} "
            f"prior {_share(report.prior)} lcb {_share(low)} order {order} "
            f"pv {' '.join(name(move) for move in report.pv or (report.move,))}"
        )


class GenmoveAnalysis(Analysis):
    """An analysis that ends with the budget of a move, and then plays the move that ``genmove`` would play."""

    can_be_stopped = False

    def __init__(
        self, session: Session, player: int, interval: int, most: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._began = now()
        super().__init__(session, player, interval, most, now)
        self._simulations, seconds = session.limits(player)
        self._deadline = None if seconds is None else self._began + seconds
        self._choice: Choice | None = None

    def step(self) -> str | None:
        if self._choice is not None:
            self.finished = True
            return f"play {self.session.settle(self.player, self._choice)}"
        late = self._deadline is not None and self._now() >= self._deadline
        if late or not self._think(self._simulations):
            choice = self.session.player.conclude()
            self._choice = self.session.note(self.player, choice, self._now() - self._began)
            return self.line() or None
        return self._line_when_due()


class KataAnalysis(Analysis):
    """An analysis in the form of KataGo: fractions, the score lead of the side to move, and owners of points.

    Lead and owners are means of playouts that begin after the best moves, so they exist only in Go.
    """

    def __init__(
        self,
        session: Session,
        player: int,
        interval: int,
        most: int,
        now: Callable[[], float] = time.monotonic,
        *,
        owners: bool = False,
    ) -> None:
        super().__init__(session, player, interval, most, now)
        self._with_owners = owners
        self._counts = session.dialect.owner_counts(self._position, session.player)

    def line(self) -> str:
        if self._counts is None:
            return super().line()
        best = next((report.pv for report in self.session.player.report() if report.visits), [])
        self._counts.add(max(MIN_PLAYOUTS, int(OWNER_SHARE * self._done)) - self._counts.playouts, best)
        text = super().line()
        if text and self._with_owners:
            sign = 1 if self.player == 0 else -1
            text += " ownership " + " ".join(f"{sign * owner:.3f}" for owner in self._counts.on_board)
        return text

    def _info(self, order: int, report: MoveReport) -> str:
        name = self._position.move_to_text
        low = wilson_interval(report.win_rate * report.visits, report.visits).lower if report.visits else 0.0
        lead = ""
        if self._counts is not None:
            value = self._counts.lead if self.player == 0 else -self._counts.lead
            lead = f"scoreLead {value:.2f} scoreMean {value:.2f} "
        return (
            f"info move {name(report.move)} visits {report.visits} winrate {report.win_rate:.6f} {lead}"
            f"prior {report.prior:.6f} lcb {low:.6f} order {order} "
            f"pv {' '.join(name(move) for move in report.pv or (report.move,))}"
        )


class KataGenmoveAnalysis(KataAnalysis, GenmoveAnalysis):
    """A search for a move in the form of KataGo."""


def _share(value: float) -> int:
    """Convert a fraction to hundredths of a percent, as Leela Zero writes it."""
    return round(10_000 * min(1.0, max(0.0, value)))

"""Display of ``semeai analyze``: one line per move while it runs, then the mistakes; or JSON."""

import time
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from semeai.cli.console import Console
from semeai.cli.output import print_json, warn
from semeai.games.catalog import game_named
from semeai.games.game import Game
from semeai.gtp.review import MoveAnalysis

if TYPE_CHECKING:
    from semeai.games.record import GameRecord

MISTAKE = 0.05
BLUNDER = 0.15
MOST_MISTAKES = 5
GRAPH_WIDTH = 21
HEADER = f"{'move':>6}  {'played':<7}{'win rate':>8}  {'best':<7}{'win rate':>8}  {'loss':>6}    "


@dataclass
class Review:
    """The moves analysed so far, and the game they belong to."""

    place: str
    record: "GameRecord"
    simulations: int
    seed: int
    n_wanted: int
    moves: list[MoveAnalysis] = field(default_factory=list)

    @property
    def game(self) -> Game:
        return game_named(self.record.game)

    @property
    def finished(self) -> bool:
        return len(self.moves) == self.n_wanted

    @property
    def mistakes(self) -> list[MoveAnalysis]:
        """The most costly moves, the worst first."""
        costly = [found for found in self.moves if found.loss >= MISTAKE]
        return sorted(costly, key=lambda found: -found.loss)[:MOST_MISTAKES]

    def as_dict(self) -> dict[str, Any]:
        rate_name = f"{self.game.colours[0]}_win_rate"
        moves = [
            {**asdict(found), "player": self.game.letter(found.player), "loss": found.loss,
             rate_name: found.first_win_rate}
            for found in self.moves
        ]  # fmt: skip
        return {
            "file": self.place,
            "game": self.record.game,
            "size": self.record.size,
            "komi": self.record.komi,
            "simulations": self.simulations,
            "seed": self.seed,
            "finished": self.finished,
            "moves": moves,
            "mistakes": [found.number for found in self.mistakes],
        }

    def title(self) -> str:
        record = self.record
        first, second = self.game.colours
        names = {"black": record.black, "white": record.white}
        players = " against ".join(names[colour] or colour.capitalize() for colour in (first, second))
        komi = f", komi {record.komi:g}" if self.game.has_komi else ""
        return f"{players}, {self.game.board_name(record.size)}{komi}, {self.simulations:,} simulations per move"

    def header(self) -> str:
        return f"{HEADER}{self.game.colours[0].capitalize()}'s win rate"

    def row(self, found: MoveAnalysis) -> str:
        mark = "??" if found.loss >= BLUNDER else "? " if found.loss >= MISTAKE else "  "
        loss = f"{100 * found.loss:.1f}" if found.loss > 0 else ""
        return (
            f"{found.number:>4} {self.game.letter(found.player)}  {found.move:<7}{found.win_rate:>8.1%}  "
            f"{found.best:<7}{found.best_win_rate:>8.1%}  {loss:>6} {mark} {graph(found.first_win_rate)}"
        )

    def sentence(self, found: MoveAnalysis) -> str:
        who = self.game.colours[found.player].capitalize()
        return (
            f"{who} {found.move} {found.win_rate:.1%}, {100 * found.loss:.1f} less than {found.best} "
            f"{found.best_win_rate:.1%}: {' '.join(found.line[:8])}"
        )

    def comment_on(self, found: MoveAnalysis) -> str:
        """Return the comment on a move for the game record."""
        after = f"{self.game.colours[0].capitalize()}'s win rate {found.first_win_rate:.1%}"
        return after if found.loss == 0 else f"{after}\n{self.sentence(found)}"


def make_review_display(review: Review, quiet: bool) -> "ReviewDisplay":
    return QuietDisplay(review) if quiet else ReviewDisplay(review)


class ReviewDisplay:
    """Prints each move as it is analysed; on a terminal, with a progress bar below."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.console = Console(stderr=isinstance(self, QuietDisplay))
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            columns = (TextColumn("move"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._progress = Progress(*columns, console=self.console, transient=True)
            self._task = self._progress.add_task("moves", total=self.review.n_wanted)
            self._progress.start()
        self.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def begin(self) -> None:
        self._print(Text(self.review.title()))
        self._print(Text(self.review.header(), style="bold"))

    def show(self, found: MoveAnalysis) -> None:
        style = "bold red" if found.loss >= BLUNDER else "yellow" if found.loss >= MISTAKE else ""
        self._print(Text(self.review.row(found), style=style))
        self.advance()

    def advance(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)

    def summary(self) -> None:
        mistakes = self.review.mistakes
        if not mistakes:
            self._print(Text(f"no move cost more than {MISTAKE:.0%}" if self.review.moves else "nothing was analysed"))
            return
        self._print(Text("The moves that cost most:", style="bold"))
        for found in mistakes:
            self._print(Text(f"  {found.number}. {self.review.sentence(found)}"))

    def _print(self, text: Text) -> None:
        self.console.print(text, soft_wrap=True, highlight=False)


class QuietDisplay(ReviewDisplay):
    """Prints JSON at the end. Progress goes to standard error, as a bar or as one line every ten seconds."""

    def begin(self) -> None:
        self._last = time.monotonic()

    def show(self, found: MoveAnalysis) -> None:
        self.advance()
        if self._progress is None and time.monotonic() - self._last >= 10:
            self._last = time.monotonic()
            warn(f"{len(self.review.moves)} of {self.review.n_wanted} moves")

    def summary(self) -> None:
        print_json(self.review.as_dict())


def graph(rate: float) -> str:
    """Draw a win rate as a point on a line from 0 to 1, with the middle marked."""
    cells = ["·"] * GRAPH_WIDTH
    cells[GRAPH_WIDTH // 2] = "|"
    cells[round(min(1.0, max(0.0, rate)) * (GRAPH_WIDTH - 1))] = "●"
    return "".join(cells)

"""Review of a recorded game: what each move cost, by a search of the position before and after it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from semeai.games.record import GameRecord
from semeai.gtp.session import Session

CHUNK = 256


@dataclass(frozen=True)
class MoveAnalysis:
    """One move of the game. Win rates are those of the player who moved."""

    number: int
    """Number of the move, from 1."""
    player: int
    move: str
    win_rate: float
    best: str
    best_win_rate: float
    visits: int
    """Visits of the best move."""
    line: tuple[str, ...]
    """The moves that the search expected instead, the best move first."""

    @property
    def loss(self) -> float:
        return 0.0 if self.move == self.best else max(0.0, self.best_win_rate - self.win_rate)

    @property
    def first_win_rate(self) -> float:
        return self.win_rate if self.player == 0 else 1 - self.win_rate


def analyze_moves(record: GameRecord, session: Session, first: int, last: int) -> Iterator[MoveAnalysis]:
    """Yield moves ``first`` to ``last``, counted from 1. Each is judged by a search of the position after it."""
    position = session.position = session.dialect.replay(record, first - 1)
    found = search(session, record.moves[first - 1][0])
    for number in range(first, last + 1):
        side, move = record.moves[number - 1]
        name = position.move_to_text(move)
        line = tuple(map(position.move_to_text, found.line or (move,)))
        best = found
        position.play_recorded(move, side)
        turn = record.moves[number][0] if number < len(record.moves) else 1 - side
        found = search(session, turn)
        rate = found.mean if turn == side else 1 - found.mean
        best_rate = rate if line[0] == name else best.win_rate
        yield MoveAnalysis(number, side, name, rate, line[0], best_rate, best.visits, line)


class Found(NamedTuple):
    """The best move of a position: its visits, its win rate for the side to move, and the expected line.

    ``mean`` is the win rate over all simulations. In the position after a played move, it judges that move. This is
    comparable to ``win_rate`` of a move that was not played, which is also a mean over all answers. The win rate of the
    best answer alone would make every played move look bad.
    """

    line: tuple[int, ...]
    """The expected moves, the best move first; empty if the game is over."""
    visits: int
    win_rate: float
    mean: float


def search(session: Session, player: int) -> Found:
    """Search the session's position with the whole budget, in chunks, so that Ctrl-C takes effect."""
    if session.dialect.is_over(session.position):
        return judged(session, player)
    session.prepare(player)
    left = session.settings.simulations or 0
    while left > 0 and (ran := session.player.think(min(left, CHUNK))):
        left -= ran
    reports = session.player.report()
    if not reports:  # there are no moves
        return judged(session, player)
    total = sum(report.visits for report in reports)
    mean = sum(report.visits * report.win_rate for report in reports) / max(total, 1)
    return Found(tuple(reports[0].pv), reports[0].visits, reports[0].win_rate, mean if total else 0.5)


def judged(session: Session, player: int) -> Found:
    """Score the position as it stands, without a search."""
    reward = session.position.reward()
    rate = reward if player == 0 else 1 - reward
    return Found((), 0, rate, rate)

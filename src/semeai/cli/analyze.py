"""``semeai analyze``: judge every move of a game by search, and find the mistakes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from semeai.cli.game_options import GameOption
from semeai.cli.gtp import player_changes
from semeai.cli.options import JsonOption, SettingsOption
from semeai.cli.output import check_writable, note, warn
from semeai.errors import ConfigError
from semeai.files import read_bytes, write_text

if TYPE_CHECKING:
    from semeai.cli.analyze_display import Review
    from semeai.games.record import GameRecord
    from semeai.gtp.session import Session

CHUNK = 256


def analyze(
    file: Annotated[Path, typer.Argument(help="Game record in SGF (Havannah: LittleGolem's).")],
    game: GameOption = "go",
    simulations: Annotated[int, typer.Option(min=1, help="Simulations per position.")] = 1000,
    moves: Annotated[str, typer.Option(help="Moves to analyze: 10-40, 10-, -40 or 17 (default: all).")] = "",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same analysis.")] = 1,
    preset: Annotated[str, typer.Option(help="Preset that the player starts from.")] = "default",
    settings: SettingsOption = None,
    coordinates: Annotated[
        str | None, typer.Option(help="Names of points (default: as in the record); in Havannah also openspiel.")
    ] = None,
    as_json: JsonOption = False,
    sgf: Annotated[Path | None, typer.Option(help="Write the game with comments to this file.")] = None,
) -> None:
    """Show what each move of a game cost, and which was better.

    Prints for each move what the search would have played instead. Win rates are those of the player who moved; the
    graph shows the first player's. Ctrl-C ends the analysis and keeps its results.

    Examples:
        semeai analyze game.sgf                       every move
        semeai analyze game.sgf --simulations 20000 --moves 30-60
        semeai analyze game.sgf --sgf reviewed.sgf    with comments, for a GUI
        semeai analyze game.sgf --game havannah       a game of LittleGolem
    """
    from semeai.cli.analyze_display import Review, make_review_display
    from semeai.games.catalog import game_named

    record = read_record(file, game)
    first, last = parse_range(moves, len(record.moves))
    check_writable("--sgf", sgf)
    changes = player_changes(simulations, None, 1, True, settings or [])
    names = coordinates or game_named(game).record_coordinates
    session = make_session(record, preset, changes, seed, names)
    review = Review(str(file), record, session.settings.simulations or simulations, seed, last - first + 1)
    display = make_review_display(review, quiet=as_json)
    try:
        with display:
            for found in analyze_moves(record, session, first, last):
                review.moves.append(found)
                display.show(found)
    except KeyboardInterrupt:
        warn(f"stopped after {len(review.moves)} of {review.n_wanted} moves")
    display.summary()
    if sgf is not None:
        write_review(sgf, review)
    if not review.finished:
        raise typer.Exit(130)


def make_session(record: "GameRecord", preset: str, changes: dict[str, Any], seed: int, coordinates: str) -> "Session":
    """Make the session that searches the positions of the game."""
    from semeai.gtp.dialects import DIALECTS
    from semeai.gtp.session import Session, SessionSettings
    from semeai.players.config import PlayerConfig
    from semeai.players.mcts import MctsPlayer, compile_players

    config = PlayerConfig.from_preset(preset, record.game).with_changes(changes)
    if config.simulations is None or config.seconds is not None:
        raise ConfigError("the budget of an analysis is in simulations: leave out --set seconds")
    compile_players([record.game], note, [config])
    settings = SessionSettings(record.size, record.komi, seed, config.simulations)
    return Session(DIALECTS[record.game](coordinates=coordinates), MctsPlayer(config), settings)


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


def analyze_moves(record: "GameRecord", session: "Session", first: int, last: int) -> Iterator[MoveAnalysis]:
    """Yield moves ``first`` to ``last``, counted from 1. Each is judged by a search of the position after it."""
    position = session.position = session.dialect.replay(record, first - 1)
    found = search(session, record.moves[first - 1][0])
    for number in range(first, last + 1):
        side, move = record.moves[number - 1]
        name = position.move_to_text(move)
        line = tuple(map(position.move_to_text, found.line or (move,)))
        best = found
        position.play(move, side)
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


def search(session: "Session", player: int) -> Found:
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


def judged(session: "Session", player: int) -> Found:
    """Score the position as it stands, without a search."""
    reward = session.position.reward()
    rate = reward if player == 0 else 1 - reward
    return Found((), 0, rate, rate)


def read_record(file: Path, game: str) -> "GameRecord":
    """Read a game record. Raises ConfigError or another SemeaiError if it has no moves or an illegal one."""
    from semeai.games.catalog import game_named
    from semeai.games.record import MAX_RECORD_BYTES

    rules = game_named(game)
    record = rules.read_record(read_bytes(file, limit=MAX_RECORD_BYTES), str(file))
    if not record.moves:
        raise ConfigError(f"{file} has no moves")
    rules.replay(record)
    return record


def parse_range(text: str, n_moves: int) -> tuple[int, int]:
    """Parse ``10-40``, ``10-``, ``-40``, ``17`` or an empty text. Returns the first and last move, within the game."""
    start, dash, end = text.partition("-")
    if not all(part.strip() == "" or (part.strip().isdecimal() and len(part) <= 9) for part in (start, end)):
        raise ConfigError(f"--moves {text}: write FIRST-LAST, for example 10-40")
    first = int(start) if start.strip() else 1
    last = (int(end) if end.strip() else n_moves) if dash or not text.strip() else first
    if not 1 <= first <= min(last, n_moves):
        raise ConfigError(f"--moves {text}: the game has moves 1 to {n_moves}")
    return first, min(last, n_moves)


def write_review(file: Path, review: "Review") -> None:
    """Write the game, with the results appended to its comments."""
    record = review.record
    comments = list(record.comments or [""] * len(record.moves))
    for found in review.moves:
        comments[found.number - 1] = f"{comments[found.number - 1]}\n\n{review.comment_on(found)}".strip()
    write_text(file, review.game.write_record(replace(record, comments=tuple(comments))), "--sgf")

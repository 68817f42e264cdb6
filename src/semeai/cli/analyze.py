"""``semeai analyze``: judge every move of a game by search, and find the mistakes."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from semeai.gtp.review import analyze_moves

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


def read_record(file: Path, game: str) -> "GameRecord":
    """Read a game record. Raises ConfigError or another SemeaiError if it has no moves or an illegal one."""
    from semeai.games.catalog import game_named
    from semeai.games.record import MAX_RECORD_BYTES

    rules = game_named(game)
    record = rules.read_record(read_bytes(file, limit=MAX_RECORD_BYTES), str(file))
    if not record.moves:
        raise ConfigError(f"{file} has no moves")
    rules.replay(record, may_repeat=True)
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

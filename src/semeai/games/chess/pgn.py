"""Read and write chess games in PGN (Portable Game Notation)."""

import io
from collections.abc import Iterator

from semeai.errors import ConfigError
from semeai.games.chess.library import chess
from semeai.games.chess.position import (
    BLACK,
    DRAW,
    UNFINISHED,
    WHITE,
    WINS,
    ChessPosition,
    board_of,
    coded_move,
    move_code,
)
from semeai.games.record import GameRecord
from semeai.printable import one_line

_USUAL_TAGS = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
_OWN_TAGS = {*_USUAL_TAGS, "White", "Black", "Result", "FEN", "SetUp"}
_COMMENT = "GC"  # the comment on the whole game, by the name that all records use


def write_pgn(record: GameRecord) -> str:
    """Return the text of a record; equal records have equal texts, so there is no date unless the record has one."""
    if record.game != "chess":
        raise ConfigError(f"PGN is written for chess, not for {record.game}")
    game = chess.pgn.Game()
    game.setup(board_of(record.start))
    own = {key: value for key, value in record.properties.items() if key != _COMMENT}
    tags = _USUAL_TAGS | {"White": record.white or "?", "Black": record.black or "?"} | own
    for name, value in (tags | {"Result": record.result or UNFINISHED}).items():
        game.headers[name] = one_line(value)
    game.comment = _comment(record.properties.get(_COMMENT, ""))
    node: chess.pgn.GameNode = game
    for (_, move), comment in zip(record.moves, record.comments or [""] * len(record.moves), strict=True):
        node = node.add_variation(coded_move(move), comment=_comment(comment))
    return f"{game.accept(chess.pgn.StringExporter(columns=100))}\n\n"


def _comment(text: str) -> str:
    """Return a text that cannot end the comment that it stands in."""
    return one_line(text).replace("{", "(").replace("}", ")")


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game up to the first error. python-chess would log it, go on, and sometimes lose its way."""

    def handle_error(self, error: Exception) -> None:
        raise error


def read_pgn(text: str, place: str) -> GameRecord:
    """Return the first game of a PGN file. Raises ConfigError in one sentence if anything is wrong."""
    for record in read_games(text, place):
        return record
    raise ConfigError(f"{place}: there is no game in it")


def read_games(text: str, place: str) -> Iterator[GameRecord]:
    """Yield the games of a PGN file, without variations."""
    stream, number = io.StringIO(text.lstrip("\ufeff")), 0
    while True:
        number += 1
        try:
            game = chess.pgn.read_game(stream, Visitor=_Builder)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{place}, game {number}: {error}") from None
        if game is None:
            return
        if not game.headers or (not game.variations and set(game.headers.values()) <= {"?", "????.??.??", "*"}):
            raise ConfigError(f"{place}, game {number}: this is no game in PGN")
        yield _record(game, f"{place}, game {number}")


def _record(game: chess.pgn.Game, place: str) -> GameRecord:
    start = str(game.headers.get("FEN", ""))
    try:
        position = ChessPosition(start)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None
    moves: list[tuple[int, int]] = []
    comments: list[str] = []
    player = position.to_move
    for node in game.mainline():
        if not node.move:
            raise ConfigError(f"{place}: move {len(moves) // 2 + 1} is no move: {node.move.uci()!r} passes the turn")
        moves.append((player, move_code(node.move)))
        comments.append(node.comment)
        player = BLACK if player == WHITE else WHITE
    headers = game.headers
    others = {name: value for name, value in headers.items() if name not in _OWN_TAGS}
    known = {name: headers[name] for name, usual in _USUAL_TAGS.items() if headers.get(name, usual) != usual}
    result = headers.get("Result", "")
    white, black = headers.get("White", ""), headers.get("Black", "")
    return GameRecord(
        game="chess", size=8, komi=0.0, moves=tuple(moves), comments=tuple(comments), start=start,
        result=result if result in (*WINS, DRAW) else "", white=white, black=black,
        properties={**known, **others, **({_COMMENT: game.comment} if game.comment else {})}, place=place,
    )  # fmt: skip

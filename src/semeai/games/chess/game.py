"""Chess as a game of the catalog: FEN, PGN, opening suites. No kernels: the search does not play it."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from pydantic import BaseModel

from semeai.errors import ConfigError
from semeai.games.charset import decoded
from semeai.games.chess.pgn import read_pgn, write_pgn
from semeai.games.chess.position import DRAW, WINS, ChessPosition
from semeai.games.chess.suite import read_suite
from semeai.games.game import Game
from semeai.games.opening import Opening
from semeai.games.position import Position
from semeai.games.record import GameRecord

_TERMINATIONS = {
    "timeout": "time forfeit",
    "crash": "abandoned",
    "illegal move": "rules infraction",
    "bad answer": "rules infraction",
    "adjudication": "adjudication",
    "move limit": "adjudication",
}
"""The tag ``Termination`` of PGN."""


class Chess(Game):
    """Chess by the rules of FIDE. A draw by repetition or by fifty moves needs no claim."""

    name = "chess"
    sizes = range(8, 9)
    default_size = 8
    colours = ("white", "black")
    endings = ("checkmate", "stalemate", "material", "fifty moves", "repetition")
    record_suffix = ".pgn"
    rated_in_elo = True
    has_scores = True

    @property
    def policy(self) -> type[BaseModel]:  # type: ignore[override]
        raise ConfigError("the MCTS player does not play chess: write uci:ENGINE, such as uci:stockfish")

    @property
    def presets(self) -> Mapping[str, Mapping[str, Any]]:  # type: ignore[override]
        raise ConfigError("the MCTS player does not play chess: write uci:ENGINE, such as uci:stockfish")

    def make(self, size: int, komi: float, swap: bool) -> ChessPosition:
        return ChessPosition()

    def position_from(self, start: str) -> ChessPosition:
        return ChessPosition(start)

    def move_limit(self, size: int) -> int:
        return 1000

    def read_record(self, data: bytes, place: str) -> GameRecord:
        return read_pgn(decoded(data), place)

    def write_record(self, record: GameRecord) -> str:
        return write_pgn(record)

    def replay(self, record: GameRecord, n_moves: int | None = None, may_repeat: bool = False) -> Position:
        return self.replayed(ChessPosition(record.start), record, n_moves, may_repeat)

    def read_suite(self, data: bytes, place: str) -> Sequence[Opening]:
        return read_suite(data, place)

    @property
    def own_suite(self) -> bytes:
        return _own_suite()

    def ending(self, position: Position) -> str:
        return cast(ChessPosition, position).ending

    def adjudicate(self, position: Position, dead: Sequence[int] = ()) -> tuple[float, str]:
        """Return the result of a finished game; a game that is stopped is a draw."""
        return position.reward(), position.result() if position.is_over else DRAW

    def won_by(self, player: int, how: str) -> str:
        return WINS[player]

    def drawn(self) -> str:
        return DRAW

    def ending_properties(self, reason: str) -> dict[str, str]:
        return {"Termination": _TERMINATIONS.get(reason, "normal")}


@cache
def _own_suite() -> bytes:
    return (files("semeai.games.chess") / "openings.epd").read_bytes()


GAME = Chess()

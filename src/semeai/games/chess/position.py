"""A game of chess in progress: python-chess checks the moves.

A game ends by checkmate, stalemate, too few pieces, the third repetition of a position, or fifty moves of each side
without a capture and without a move of a pawn. Nobody has to claim the last two.
"""

import contextlib
from typing import Self

import numpy as np

from semeai.errors import ConfigError, IllegalMove
from semeai.games.chess.library import chess
from semeai.games.position import Moves, Position

WHITE, BLACK = 0, 1
DRAW, UNFINISHED = "1/2-1/2", "*"
WINS = ("1-0", "0-1")
LONGEST_MOVE = 16
"""Characters of the longest text that can name a move."""
_REPEATED, _FIFTY_MOVES = 3, 100  # a position, and half moves


def move_code(move: chess.Move) -> int:
    """Return a move of python-chess as a number."""
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def coded_move(code: int) -> chess.Move:
    """Return the move of python-chess that a number stands for."""
    return chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)


def board_of(start: str) -> chess.Board:
    """Return the board of a position in Forsyth-Edwards notation (FEN); empty: the usual one."""
    try:
        board = chess.Board(start) if start else chess.Board()
    except (ValueError, IndexError) as error:
        raise ConfigError(f"{start[:100]!r} is no chess position: {error}") from None
    if not board.is_valid():
        wrong = ", ".join(str(flag.name).lower().replace("_", " ") for flag in chess.Status if flag & board.status())
        raise ConfigError(f"{start[:100]!r} is no possible chess position: {wrong}")
    return board


class ChessPosition(Position):
    """A board of python-chess. Player 0 is White, also where Black moves first."""

    game = "chess"
    size = 8

    def __init__(self, start: str = "") -> None:
        self.board = board_of(start)
        self.start = start
        self.moves = []
        self._ending = self._find_ending()

    @property
    def start_key(self) -> bytes:
        return self.start.encode()

    @property
    def to_move(self) -> int:
        return WHITE if self.board.turn else BLACK

    @property
    def ending(self) -> str:
        """How the game has ended: one of the game's ``endings``; empty if it goes on."""
        return self._ending

    @property
    def is_over(self) -> bool:
        return bool(self._ending)

    def legal_moves(self) -> Moves:
        codes = [] if self.is_over else [move_code(move) for move in self.board.legal_moves]
        return np.array(codes, np.int64)

    def play(self, move: int, player: int | None = None) -> None:
        if self.is_over:
            raise IllegalMove(f"the game is over ({self.result()} by {self._ending})")
        if player not in (None, self.to_move):
            raise IllegalMove(f"it is the turn of {'White' if self.board.turn else 'Black'}")
        if not 0 <= move < 7 << 12 or (found := coded_move(int(move))) not in self.board.legal_moves:
            raise IllegalMove(f"{self.move_to_text(move)} is no legal move")
        self.moves.append((self.to_move, int(move)))
        self.board.push(found)
        self._ending = self._find_ending()

    def undo(self) -> None:
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        self.moves.pop()
        self.board.pop()
        self._ending = ""  # a move followed, so the game went on

    def copy(self) -> Self:
        other = type(self).__new__(type(self))
        other.board, other.start = self.board.copy(), self.start
        other.moves, other._ending = list(self.moves), self._ending
        return other

    def reward(self) -> float:
        if self._ending != "checkmate":
            return 0.5
        return float(self.to_move == BLACK)

    def result(self) -> str:
        """Return ``1-0``, ``0-1``, ``1/2-1/2``; ``*`` while the game goes on."""
        if not self.is_over:
            return UNFINISHED
        return WINS[1 - self.to_move] if self._ending == "checkmate" else DRAW

    def move_to_text(self, move: int) -> str:
        """Return a move as UCI engines write it: ``e2e4``, ``e1g1`` for castling, ``e7e8q``."""
        return str(coded_move(int(move)).uci()) if 0 <= move < 7 << 12 else str(move)

    def text_to_move(self, text: str) -> int:
        """Return the move that a text names as UCI engines do (``g1f3``) or in algebraic notation (``Nf3``)."""
        word = text.strip()
        if len(word) <= LONGEST_MOVE:
            for read, name in ((self.board.parse_uci, word.lower()), (self.board.parse_san, word)):
                with contextlib.suppress(ValueError):
                    if move := read(name):  # not the null move
                        return move_code(move)
        raise IllegalMove(f"{word[:40]!r} is no legal move here")

    def draw(self) -> str:
        """Return the board: capitals for White, the letters of the files below."""
        rows = str(self.board).splitlines()
        return "\n".join([*(f"{8 - i} {row}" for i, row in enumerate(rows)), "  a b c d e f g h"])

    def _find_ending(self) -> str:
        board = self.board
        if not any(board.generate_legal_moves()):
            return "checkmate" if board.is_check() else "stalemate"
        if board.is_insufficient_material():
            return "material"
        if board.halfmove_clock >= _FIFTY_MOVES:
            return "fifty moves"
        return "repetition" if board.is_repetition(_REPEATED) else ""

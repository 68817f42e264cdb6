"""A game of Havannah in progress: swap, undo, two kinds of coordinates, the board as a drawn hexagon."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from semeai.errors import IllegalMove
from semeai.games.havannah.coordinates import (
    LETTERS,
    Coordinates,
    cell_to_text,
    check_coordinates,
    first_of_row,
    text_to_cell,
)
from semeai.games.havannah.kernels import position as kernels
from semeai.games.havannah.kernels.board import HAVANNAH_STATE, SWAP
from semeai.games.havannah.kernels.tables import EMPTY, KINDS, MAX_BASE, MIN_BASE, is_cell
from semeai.games.position import Moves, Position

COLOURS = ("White", "Black")
SWAP_TEXT = "swap"


class HavannahPosition(Position):
    """Moves are cells of the padded board (see ``board``), or SWAP; player 0 is White, who begins.

    ``coordinates`` is how texts name cells: ``openspiel`` or ``littlegolem``. It has no influence on the rules.
    """

    game = "havannah"

    def __init__(self, size: int = 8, swap: bool = False, coordinates: Coordinates = "openspiel") -> None:
        if not MIN_BASE <= size <= MAX_BASE:
            raise IllegalMove(f"a Havannah board has base {MIN_BASE} to {MAX_BASE}, not {size}")
        check_coordinates(coordinates)
        self.size = size
        self.coordinates: Coordinates = coordinates
        self.states = np.zeros(1, HAVANNAH_STATE)
        kernels.reset(self.states, size, int(swap))
        self.moves: list[tuple[int, int]] = []
        self._before: list[NDArray[Any]] = []

    @property
    def swap(self) -> bool:
        """Whether Black may take over White's first stone."""
        return bool(self.states[0]["swap"])

    @property
    def start_key(self) -> bytes:
        return f"{self.size} {self.swap}".encode()

    @property
    def to_move(self) -> int:
        return int(self.states[0]["to_move"]) - 1

    @property
    def winner(self) -> int | None:
        """0 for White, 1 for Black, None while nobody has won."""
        winner = int(self.states[0]["winner"])
        return None if winner == EMPTY else winner - 1

    @property
    def win_kind(self) -> str:
        """``ring``, ``bridge`` or ``fork``, several joined by ``+``; empty while nobody has won."""
        return "+".join(name for bit, name in KINDS.items() if int(self.states[0]["kind"]) & bit)

    @property
    def is_over(self) -> bool:
        return bool(self.states[0]["winner"] != EMPTY or self.states[0]["n_empty"] == 0)

    @property
    def may_swap(self) -> bool:
        """Whether the next move may be the swap."""
        return bool(self.swap and self.states[0]["n_moves"] == 1 and not self.is_over)

    def winning_cells(self, player: int) -> Moves:
        """Return the cells where ``player`` would win at once."""
        state = self.states[0]
        return np.sort(state["wins"][player][: state["n_wins"][player]]).astype(np.int64)

    def color_at(self, x: int, y: int) -> int:
        """Return 0 if the cell is empty, 1 for White, 2 for Black."""
        return int(self.states[0]["color"][self.point(x, y)])

    def legal_moves(self) -> Moves:
        """Return all empty cells; the swap is last."""
        if self.is_over:
            return np.empty(0, np.int64)
        cells = np.sort(self.states[0]["empties"][: self.states[0]["n_empty"]]).astype(np.int64)
        return np.append(cells, np.int64(SWAP)) if self.may_swap else cells

    def sensible_moves(self) -> Moves:
        """Return the legal moves without the swap, which takes over a stone that may be worth nothing."""
        moves = self.legal_moves()
        return moves[:-1] if self.may_swap else moves

    def play(self, move: int, player: int | None = None) -> None:
        player = self.to_move if player is None else player
        self._check(move, player)
        before = self.states.copy()
        kernels.play(self.states, move, player + 1)
        self._before.append(before)
        self.moves.append((player, int(move)))

    def _check(self, move: int, player: int) -> None:
        if self.is_over:
            raise IllegalMove(f"the game is over ({self.result()})")
        if move == SWAP:
            if not self.swap:
                raise IllegalMove("this game has no swap rule")
            if not self.may_swap or player == self.moves[0][0]:
                raise IllegalMove("only the second player's first move can be a swap")
        elif not is_cell(self.size, *self._xy(move)):
            raise IllegalMove(f"{move} is no cell of a board of base {self.size}")
        elif self.states[0]["color"][move] != EMPTY:
            raise IllegalMove(f"{self.move_to_text(move)} is occupied")

    def undo(self) -> None:
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        self.states = self._before.pop()
        self.moves.pop()

    def copy(self) -> Self:
        other = type(self)(self.size, self.swap, self.coordinates)
        other.states = self.states.copy()
        other.moves, other._before = list(self.moves), list(self._before)
        return other

    def reward(self) -> float:
        return 0.5 if self.winner is None else float(self.winner == 0)

    def result(self) -> str:
        """Return ``W+ring``, ``B+bridge``, ``W+bridge+fork``; ``0`` for a draw, ``?`` while the game goes on."""
        if self.winner is None:
            return "0" if self.is_over else "?"
        return f"{COLOURS[self.winner][0]}+{self.win_kind}"

    def point(self, x: int, y: int) -> int:
        """Return the move at cell (x, y)."""
        return (y + 1) * 2 * self.size + x + 1

    def _xy(self, move: int) -> tuple[int, int]:
        row, column = divmod(int(move), 2 * self.size)
        return column - 1, row - 1

    def move_to_text(self, move: int) -> str:
        return SWAP_TEXT if move == SWAP else cell_to_text(self.size, *self._xy(move), self.coordinates)

    def text_to_move(self, text: str) -> int:
        if text.strip().lower() == SWAP_TEXT:
            return SWAP
        return self.point(*text_to_cell(self.size, text, self.coordinates))

    def draw(self) -> str:
        """Return the board as a hexagon: O for White, X for Black, the last stone in brackets."""
        base, last = self.size, int(self.states[0]["last"])
        in_rows = self.coordinates == "littlegolem"
        lines = []
        if not in_rows:  # columns run down to the right, so that their letters stand above the upper right side
            lines.append(" " * (base + 3) + " ".join(LETTERS[:base]))
        for y in range(2 * base - 1):
            row = LETTERS[y].upper() if in_rows else str(y + 1)
            cells, closes = "", False
            for x in range(first_of_row(base, y), min(2 * base - 1, y + base)):
                is_last = last != 0 and self.point(x, y) == last
                cells += ("(" if is_last else ")" if closes else " ") + ".OX"[self.color_at(x, y)]
                closes = is_last
            column = LETTERS[base + y] if not in_rows and y < base - 1 else ""
            cells += ")" if closes else " " if column else ""
            lines.append(f"{' ' * abs(y - base + 1)}{row:>2}{cells}{column}")
        return "\n".join(lines)

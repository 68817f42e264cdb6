"""A game of Go in progress: positional superko, undo, handicap, coordinates, area scoring."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from semeai.errors import IllegalMove
from semeai.games.go.kernels import position as kernels
from semeai.games.go.kernels.board import GO_STATE, MAX_SIZE, MIN_SIZE, PASS
from semeai.games.go.kernels.scoring import area_owners
from semeai.games.go.kernels.tables import EMPTY, EYE, TRAITS
from semeai.games.position import Moves, Position

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class GoPosition(Position):
    """Moves are points of the padded board (see ``board``), or PASS; player 0 is Black."""

    game = "go"

    def __init__(self, size: int = 9, komi: float = 7.5) -> None:
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise IllegalMove(f"a Go board has {MIN_SIZE} to {MAX_SIZE} lines, not {size}")
        self.size = size
        self.states = np.zeros(1, GO_STATE)
        kernels.reset(self.states, size, komi)
        self.moves: list[tuple[int, int]] = []
        self.handicap: list[int] = []
        self._keys: list[int] = [int(kernels.hash_stones(self.states))]
        self._before: list[NDArray[Any]] = []

    @property
    def komi(self) -> float:
        return float(self.states[0]["komi"])

    @komi.setter
    def komi(self, value: float) -> None:
        self.states[0]["komi"] = value

    @property
    def start_key(self) -> bytes:
        start = self._before[0] if self._before else self.states
        stones: bytes = start[0]["color"].tobytes()
        return f"{self.size} {self.komi} {start[0]['to_move']} ".encode() + stones

    @property
    def to_move(self) -> int:
        return int(self.states[0]["to_move"]) - 1

    @property
    def is_over(self) -> bool:
        return bool(self.states[0]["passes"] >= 2)

    @property
    def colors(self) -> NDArray[np.uint8]:
        """The board as an array (size, size): row 0 at the top; 0 empty, 1 black, 2 white."""
        padded: NDArray[np.uint8] = self.states[0]["color"]
        return padded[_all_points(self.size)].reshape(self.size, self.size)

    def legal_moves(self) -> Moves:
        return np.empty(0, np.int64) if self.is_over else self.legal_moves_of(self.to_move)

    def legal_moves_of(self, player: int) -> Moves:
        """Return every legal move of ``player`` under positional superko; the pass is last."""
        found = np.empty(self.size * self.size + 1, np.int64)
        pair = self.states.repeat(2)
        pair["ko"] = 0  # superko forbids retaking, and lets the one who took fill it out of turn
        n = kernels.list_legal_points(pair, player + 1, np.array(self._keys, np.uint64), found)
        found[n] = PASS
        return np.sort(found[: n + 1])[::-1].copy()

    def sensible_moves(self) -> Moves:
        """Return the legal moves that fill no own eye; a pass only if there is no other."""
        code, bit = self.states[0]["code"], EYE * (self.to_move + 1)
        points = [p for p in self.legal_moves() if p != PASS and not TRAITS[code[p]] & bit]
        return np.array(points or [PASS], np.int64)

    def play(self, move: int, player: int | None = None) -> None:
        self._play(move, player, may_repeat=False)

    def play_recorded(self, move: int, player: int | None = None) -> None:
        self._play(move, player, may_repeat=True)

    def _play(self, move: int, player: int | None, may_repeat: bool) -> None:
        player = self.to_move if player is None else player
        self._check(move, player)
        before = self.states.copy()
        if before[0]["passes"] >= 2:  # play goes on after both have passed
            self.states[0]["passes"] = 0
        kernels.play(self.states, move, player + 1)
        key = int(kernels.hash_stones(self.states))
        if move != PASS and key in self._keys and not may_repeat:
            self.states[:] = before
            reason = "retakes a ko" if move == before[0]["ko"] else "repeats an earlier position (superko)"
            raise IllegalMove(f"{self.move_to_text(move)} {reason}")
        self._before.append(before)
        self._keys.append(key)
        self.moves.append((player, int(move)))

    def _check(self, move: int, player: int) -> None:
        if move == PASS:
            return
        if not self._is_point(move):
            raise IllegalMove(f"{move} is no point of a {self.size}x{self.size} board")
        if self.states[0]["color"][move] != EMPTY:
            raise IllegalMove(f"{self.move_to_text(move)} is occupied")
        trial = self.states.copy()
        trial["ko"] = 0  # ``play`` forbids every repetition
        if not kernels.is_legal_move(trial, move, player + 1):
            raise IllegalMove(f"{self.move_to_text(move)} is suicide")

    def _is_point(self, move: int) -> bool:
        row, column = divmod(move, self.size + 1)
        return 1 <= row <= self.size and 1 <= column <= self.size

    def undo(self) -> None:
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        komi = self.komi  # it may have been agreed on since
        self.states = self._before.pop()
        self.komi = komi
        self._keys.pop()
        self.moves.pop()

    def set_to_move(self, player: int) -> None:
        """Set whose turn it is, for handicap games and game records."""
        self.states[0]["to_move"] = player + 1

    def place(self, player: int, points: Iterable[int]) -> None:
        """Put stones on empty points before the first move. Raises IllegalMove and then changes nothing."""
        if self.moves:
            raise IllegalMove("stones can be placed only before the first move")
        before = self.states.copy()
        for p in points:
            is_free = self._is_point(p) and self.states[0]["color"][p] == EMPTY
            n_empty = int(self.states[0]["n_empty"])
            if is_free and kernels.is_legal_move(self.states, p, player + 1):
                kernels.play(self.states, p, player + 1)
            if self.states[0]["n_empty"] != n_empty - 1:  # a stone that would capture is no set-up either
                self.states[:] = before
                name = self.move_to_text(p) if self._is_point(p) else str(p)
                raise IllegalMove(f"no stone can be placed on {name}")
        self.states[0]["to_move"] = before[0]["to_move"]
        self.states[0]["last"] = self.states[0]["last_but_one"] = self.states[0]["ko"] = 0
        self._keys = [int(kernels.hash_stones(self.states))]

    def copy(self) -> Self:
        other = type(self)(self.size, self.komi)
        other.states = self.states.copy()
        other.moves, other.handicap = list(self.moves), list(self.handicap)
        other._keys, other._before = list(self._keys), list(self._before)
        return other

    def owners(self, dead: Iterable[int] = ()) -> NDArray[np.int8]:
        """Return the Tromp-Taylor owners as (size, size), ``dead`` stones removed: 1 Black, -1 White, 0 nobody."""
        color = self.states[0]["color"].copy()
        for p in dead:
            color[p] = EMPTY
        return area_owners(color, self.size)

    def margin(self, dead: Iterable[int] = ()) -> float:
        """Return Black's area minus White's area minus komi."""
        return float(self.owners(dead).sum()) - self.komi

    def reward(self) -> float:
        margin = self.margin()
        return 0.5 if margin == 0 else float(margin > 0)

    def result(self) -> str:
        return format_result(self.margin())

    def move_to_text(self, move: int) -> str:
        if move == PASS:
            return "pass"
        row, column = divmod(move, self.size + 1)
        return f"{LETTERS[column - 1]}{self.size - row + 1}"

    def text_to_move(self, text: str) -> int:
        name = text.strip().upper()
        if name == "PASS":
            return PASS
        column = LETTERS.find(name[:1]) if name else -1
        digits = name[1:]
        if not (0 <= column < self.size and digits.isascii() and digits.isdigit() and len(digits) <= 2):
            raise IllegalMove(f"{text!r} is no point of a {self.size}x{self.size} board")
        line = int(digits)
        if not 1 <= line <= self.size:
            raise IllegalMove(f"{text!r} is no point of a {self.size}x{self.size} board")
        return self.point(self.size - line, column)

    def point(self, row: int, column: int) -> int:
        """Return the move at ``row`` and ``column``, counted from the top left."""
        return (row + 1) * (self.size + 1) + column + 1

    def draw(self) -> str:
        last = int(self.states[0]["last"])
        header = "   " + " ".join(LETTERS[: self.size])
        lines = [header]
        for row, colors in enumerate(self.colors):
            cells = ""
            for column, color in enumerate(colors):
                mark = "(" if last and self.point(row, column) == last else " "
                mark = ")" if last and column and self.point(row, column - 1) == last else mark
                cells += mark + ".XO"[color]
            cells += ")" if last and self.point(row, self.size - 1) == last else " "
            lines.append(f"{self.size - row:2d}{cells}{self.size - row}")
        return "\n".join([*lines, header])


def _all_points(size: int) -> NDArray[np.int64]:
    rows, columns = np.divmod(np.arange(size * size), size)
    return (rows + 1) * (size + 1) + columns + 1


def format_result(margin: float) -> str:
    """Return ``B+3.5``, ``W+7``, or ``0`` for a draw."""
    if margin == 0:
        return "0"
    return f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

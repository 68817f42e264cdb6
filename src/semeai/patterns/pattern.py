"""A pattern: cells around a move, seen by the player who makes the move, and a bias for moves that match.

Patterns are the masks of "Bandit-based genetic programming", section 5: jokers, stones, empty locations and locations
off the board at any offsets, in every symmetry of the grid. A pattern is drawn as text around its move::

    X O X      X: the mover's stone    O: the opponent's    S: a stone of either
    . * ?      .: empty                _: off the board     ?: anything              *: the move, always empty

In one line, as in a player's settings, the bias comes first and ``/`` separates the rows: ``+1 XOX/.*?``.
"""

import enum
import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from semeai.errors import ConfigError
from semeai.patterns.geometry import SQUARE, Geometry, Offset

MAX_RADIUS = 12
"""Half the width of the largest board."""
MAX_BIAS = 1000.0
MOVE = "*"


class Cell(enum.StrEnum):
    """What a cell must contain. The value is the letter in drawings."""

    ANY = "?"
    BLACK = "X"
    """The mover's own stone."""
    WHITE = "O"
    """The opponent's stone."""
    STONE = "S"
    EMPTY = "."
    OFF_BOARD = "_"


Cells = tuple[tuple[Offset, Cell], ...]
LETTERS = {cell.value: cell for cell in Cell}
_SWAPPED = {Cell.BLACK: Cell.WHITE, Cell.WHITE: Cell.BLACK}


@dataclass(frozen=True)
class Pattern:
    """Cells around a move and a bias. Symmetric patterns differ, but have equal ``canonical()`` and ``digest``."""

    cells: Cells
    """(offset, cell) row by row, without ANY. A mapping is accepted too."""
    bias: float = 1.0
    """Above 0: a good shape, which is tried more often. Below 0: a bad shape."""
    geometry: Geometry = SQUARE
    comment: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        given: Any = self.cells  # may be a mapping
        pairs = list(given.items() if isinstance(given, Mapping) else given)
        if len({offset for offset, _ in pairs}) < len(pairs):
            raise ConfigError("a pattern has two cells at one offset")
        object.__setattr__(self, "cells", _in_order((o, Cell(c)) for o, c in pairs if Cell(c) != Cell.ANY))
        if not self.cells:
            raise ConfigError("a pattern needs a cell that is not ?: it would match every move")
        for offset, _ in self.cells:
            if offset == (0, 0):
                raise ConfigError("the move itself is always empty: a pattern has no cell there")
            if self.geometry.distance(offset) > MAX_RADIUS:
                raise ConfigError(f"the cell at {offset} is more than {MAX_RADIUS} steps from the move")
        if not (math.isfinite(self.bias) and 0 < abs(self.bias) <= MAX_BIAS):
            raise ConfigError(f"a bias is a number from -{MAX_BIAS:g} to {MAX_BIAS:g} that is not 0, not {self.bias:g}")

    @cached_property
    def radius(self) -> int:
        return max(self.geometry.distance(offset) for offset, _ in self.cells)

    @cached_property
    def variants(self) -> tuple[Cells, ...]:
        """The distinct images of the cells under the symmetries, in a fixed order."""
        n = len(self.geometry.symmetries)
        return tuple(sorted({self._turned_cells(s) for s in range(n)}, key=_order))

    def turned(self, symmetry: int) -> "Pattern":
        """Return the image of the pattern under the symmetry with this index."""
        return replace(self, cells=self._turned_cells(symmetry))

    def _turned_cells(self, symmetry: int) -> Cells:
        return _in_order((self.geometry.turn(offset, symmetry), cell) for offset, cell in self.cells)

    def canonical(self) -> "Pattern":
        """Return the first variant, which is the same for all symmetric patterns."""
        return replace(self, cells=self.variants[0])

    def swapped(self) -> "Pattern":
        """Return the pattern with the players' stones exchanged."""
        return replace(self, cells=tuple((offset, _SWAPPED.get(cell, cell)) for offset, cell in self.cells))

    @cached_property
    def text(self) -> str:
        """The pattern in one line, as given. ``canonical().text`` is the same for all symmetric patterns."""
        return f"{format_bias(self.bias)} {'/'.join(_rows(self.cells))}"

    @cached_property
    def shape(self) -> str:
        """The canonical rows without the bias."""
        return "/".join(_rows(self.variants[0]))

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits, equal for symmetric patterns with equal bias. It prevents racing a pattern twice."""
        text = f"{self.geometry.name} {self.canonical().text}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def draw(self) -> str:
        """Return a drawing of several lines, with a blank between two cells."""
        at = {(self.geometry.column(offset), offset[1]): cell.value for offset, cell in self._rectangle().items()}
        left = min(column for column, _ in at)
        lines = []
        for row in range(min(r for _, r in at), max(r for _, r in at) + 1):
            columns = [column for column, r in at if r == row]
            line = "".join(at.get((column, row), " ") for column in range(left, max(columns) + 1))
            lines.append(line)
        return "\n".join(lines)

    def _rectangle(self) -> dict[Offset, Any]:
        """Return the cells, the move, and jokers that fill their bounding box."""
        reach = [*(offset for offset, _ in self.cells), (0, 0)]
        xs, ys = [x for x, _ in reach], [y for _, y in reach]
        box = {(x, y): Cell.ANY for y in range(min(ys), max(ys) + 1) for x in range(min(xs), max(xs) + 1)}
        return {**box, **dict(self.cells), (0, 0): _Move.HERE}

    @classmethod
    def parse(cls, text: str, geometry: Geometry = SQUARE) -> "Pattern":
        """Parse one line such as ``+1 XOX/.*?``. The default bias is +1."""
        words = text.split()
        if len(words) not in (1, 2):
            raise ConfigError(f"pattern {text!r}: write a bias and the rows, such as '+1 XOX/.*?'")
        try:
            bias = parse_bias(words[0]) if len(words) == 2 else 1.0
            return cls(_cells_of_rows(words[-1].split("/")), bias, geometry)
        except ConfigError as error:
            raise ConfigError(f"pattern {text!r}: {error}") from None


class _Move(enum.StrEnum):
    HERE = MOVE


def parse_bias(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"a bias is a number such as +1 or -0.5, not {text!r}") from None


def format_bias(bias: float) -> str:
    short = f"{bias:+g}"
    return short if float(short) == bias else f"{bias:+}"


def cell_of(letter: str) -> Cell:
    if letter not in LETTERS:
        raise ConfigError(f"no cell {letter!r}: write one of {' '.join(LETTERS)}, and {MOVE} for the move")
    return LETTERS[letter]


def _order(cells: Cells) -> list[tuple[int, int, str]]:
    return [(y, x, cell.value) for (x, y), cell in cells]


def _in_order(cells: Iterable[tuple[Offset, Cell]]) -> Cells:
    return tuple(sorted(cells, key=lambda item: (item[0][1], item[0][0])))


def _rows(cells: Cells) -> list[str]:
    """Return the letters row by row. All rows reach from the leftmost to the rightmost column in use."""
    letters = {offset: cell.value for offset, cell in cells} | {(0, 0): MOVE}
    xs, ys = [x for x, _ in letters], [y for _, y in letters]
    columns = range(min(xs), max(xs) + 1)
    return ["".join(letters.get((x, y), Cell.ANY.value) for x in columns) for y in range(min(ys), max(ys) + 1)]


def _cells_of_rows(rows: list[str]) -> Cells:
    moves = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == MOVE]
    if len(moves) != 1:
        raise ConfigError(f"it has {len(moves)} moves ({MOVE}), but needs exactly one")
    x0, y0 = moves[0]
    return tuple(
        ((x - x0, y - y0), cell_of(letter))
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != MOVE
    )

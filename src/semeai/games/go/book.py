"""An opening book: moves found by long searches, or in many games. All eight symmetric views are the same entry.

The book is a text file with one line per position,
`size komi to-move black-stones / white-stones > move win-rate simulations`,
for example `9 7.5 W E5 / - > D3 47.2 20000`, or `... > move win-rate number games` if it was learnt from games.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError, IllegalMove
from semeai.files import read_text
from semeai.games.go.kernels.tables import BLACK, WHITE
from semeai.games.go.position import GoPosition

OWN_BOOKS = ("book.txt", "book19.txt")
"""The files of the book that comes with semeai, in this package: by searches for 9x9, by games for 19x19."""
SHORTEST = 10
"""Words of a line without stones."""


class BookMove(NamedTuple):
    """A move of the book."""

    move: int
    win_rate: float
    """Win rate of the player to move, by the search that found the move or the games in which it was played."""
    simulations: int
    """Simulations of the search, or the number of games."""
    of_games: bool = False

    @property
    def source(self) -> str:
        return f"{self.simulations:,} {'games' if self.of_games else 'simulations'}"


class _View(NamedTuple):
    """A position seen from one side: the key to look up, and how its places correspond to the board."""

    key: tuple[int, float, int, bytes]
    turned: NDArray[np.int64]
    """By place of the view: the point of the board seen there. Points are counted row by row."""


@dataclass
class Book:
    """Moves by position."""

    entries: dict[tuple[int, float, int, bytes], BookMove] = field(default_factory=dict)
    """By key of the canonical view; the move is a place of that view."""

    def look_up(self, position: GoPosition) -> BookMove | None:
        """Return the move for a position; None if the book does not have it."""
        view = canonical_view(position)
        found = self.entries.get(view.key)
        if found is None:
            return None
        row, column = divmod(int(view.turned[found.move]), position.size)
        return found._replace(move=position.point(row, column))

    def add(self, position: GoPosition, found: BookMove) -> str:
        """Put a move for ``position`` into the book. Returns its line."""
        view = canonical_view(position)
        self._put(view, found._replace(move=_place(found.move, position.size)))
        return _line(view.key, self.entries[view.key])

    def _put(self, view: _View, found: BookMove) -> None:
        """Put an entry into the book whose move is a place of the board that is viewed."""
        self.entries[view.key] = found._replace(move=int(np.flatnonzero(view.turned == found.move)[0]))

    @classmethod
    def read(cls, lines: Iterable[str], place: str) -> Self:
        """Return the book of these lines. ConfigError names ``place`` and the number of a wrong line."""
        book = cls()
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                view, found = _parse(words)
            except (ValueError, IllegalMove) as error:
                raise ConfigError(f"{place}, line {number}: {error}: {line.strip()!r:.100}") from None
            book._put(view, found)
        return book

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the book of a file. Raises ConfigError if it cannot be read."""
        return cls.read(read_text(path, "book").splitlines(), f"book {path}")

    @property
    def digest(self) -> str:
        """Sixteen letters that identify the lines of the book."""
        return hashlib.sha256("\n".join(self.lines()).encode()).hexdigest()[:16]

    def lines(self) -> Iterator[str]:
        """Yield the lines in sorted order, so that equal books are equal files."""
        return (_line(key, self.entries[key]) for key in sorted(self.entries))


@cache
def own_book() -> Book:
    """Return the book that comes with semeai."""
    book = Book()
    for name in OWN_BOOKS:
        text = files(__package__).joinpath(name).read_text(encoding="utf-8")
        book.entries |= Book.read(text.splitlines(), name).entries
    return book


@cache
def _turns(size: int) -> tuple[NDArray[np.int64], ...]:
    """Return, for each symmetry, the point of the board seen at each place."""
    board = np.arange(size * size).reshape(size, size)
    return tuple(np.rot90(side, k).ravel() for side in (board, board.T) for k in range(4))


def canonical_view(position: GoPosition) -> _View:
    """Return the view of the stones whose bytes come first, of all eight: symmetric positions have the same one."""
    return _view(position.size, position.komi, position.to_move, position.colors.ravel())


def turns_of(position: GoPosition) -> tuple[bytes, list[NDArray[np.int64]]]:
    """Return the stones of the canonical view, and all turns that show them: more than one if it is symmetric."""
    stones = position.colors.ravel()
    turns = [(stones[turn].tobytes(), turn) for turn in _turns(position.size)]
    first = min(seen for seen, _ in turns)
    return first, [turn for seen, turn in turns if seen == first]


def _view(size: int, komi: float, player: int, stones: NDArray[np.uint8]) -> _View:
    turned = min(_turns(size), key=lambda turn: stones[turn].tobytes())
    return _View((size, komi, player, stones[turned].tobytes()), turned)


@cache
def _names(size: int) -> tuple[str, ...]:
    """Return the names of all points, row by row."""
    board = _empty_board(size)
    return tuple(board.move_to_text(board.point(*divmod(place, size))) for place in range(size * size))


def _place(move: int, size: int) -> int:
    """Return the point of a move, counted row by row; negative for a pass."""
    row, column = divmod(move, size + 1)
    return (row - 1) * size + column - 1


def _line(key: tuple[int, float, int, bytes], found: BookMove) -> str:
    size, komi, player, stones = key
    names = _names(size)
    black, white = (" ".join(names[i] for i, c in enumerate(stones) if c == color) or "-" for color in (BLACK, WHITE))
    rate = f"{100 * found.win_rate:.1f}"
    kind = " games" if found.of_games else ""
    return f"{size} {komi:g} {'BW'[player]} {black} / {white} > {names[found.move]} {rate} {found.simulations}{kind}"


def _parse(words: list[str]) -> tuple[_View, BookMove]:
    """Return view and move of a line. Legality is checked when a move is played, so that reading is fast."""
    if len(words) < SHORTEST or words[2] not in ("B", "W"):
        raise ValueError("write size komi to-move black-stones / white-stones > move win-rate simulations")
    size, komi, player = int(words[0]), float(words[1]), "BW".index(words[2])
    board = _empty_board(size)
    stones = np.zeros(size * size, np.uint8)
    slash, arrow = words.index("/"), words.index(">")
    for color, names in ((BLACK, words[3:slash]), (WHITE, words[slash + 1 : arrow])):
        for name in names if names != ["-"] else ():
            place = _place(board.text_to_move(name), size)
            if place < 0 or stones[place]:
                raise ValueError(f"no stone can be placed on {name}")
            stones[place] = color
    of_games = words[-1] == "games"
    name, rate, simulations = words[arrow + 1 : len(words) - of_games]
    place = _place(board.text_to_move(name), size)
    if place < 0 or stones[place]:
        raise ValueError(f"{name} is no move here")
    found = BookMove(place, float(rate) / 100, int(simulations), of_games)
    if not (math.isfinite(komi) and 0 <= found.win_rate <= 1 and found.simulations >= 0):
        raise ValueError("komi, win rate or simulations are out of range")
    return _view(size, komi, player, stones), found


@cache
def _empty_board(size: int) -> GoPosition:
    """Return a board that serves for names of points; nobody plays on it."""
    return GoPosition(size)

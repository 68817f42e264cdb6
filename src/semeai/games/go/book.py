"""An opening book: moves that long searches found, for positions seen the same from all eight sides.

It is a text file of one line a position, `size komi to-move black-stones / white-stones > move win-rate simulations`,
for example `9 7.5 W E5 / - > D3 47.2 20000`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError, IllegalMove
from semeai.games.go.position import GoPosition
from semeai.games.go.tables import BLACK, WHITE

OWN_BOOK = "book.txt"
"""The one that comes with semeai, in this package."""


class BookMove(NamedTuple):
    move: int
    win_rate: float
    """Of the player to move, by the search that found the move."""
    simulations: int


class _View(NamedTuple):
    """A position seen from one side: what to look up, and how to turn points between it and the board."""

    key: tuple[int, float, int, bytes]
    turned: NDArray[np.int64]
    """The board's point that is seen at each place; points are counted row by row."""


@dataclass
class Book:
    entries: dict[tuple[int, float, int, bytes], BookMove] = field(default_factory=dict)
    """By what the canonical view shows; the move is a place of that view."""

    def look_up(self, position: GoPosition) -> BookMove | None:
        view = canonical_view(position)
        found = self.entries.get(view.key)
        if found is None:
            return None
        row, column = divmod(int(view.turned[found.move]), position.size)
        return found._replace(move=position.point(row, column))

    def add(self, position: GoPosition, found: BookMove) -> str:
        """Put a move for ``position`` into the book; the line of it."""
        view = canonical_view(position)
        row, column = divmod(found.move, position.size + 1)
        place = int(np.flatnonzero(view.turned == (row - 1) * position.size + column - 1)[0])
        self.entries[view.key] = found._replace(move=place)
        return _line(view.key, self.entries[view.key])

    @classmethod
    def read(cls, lines: Iterable[str], place: str) -> Self:
        """ConfigError, with the place and the line's number, for what is no line of a book."""
        book = cls()
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                position, found = _parse(words)
            except (ValueError, IllegalMove) as error:
                raise ConfigError(f"{place}, line {number}: {error}: {line.strip()!r:.100}") from None
            book.add(position, found)
        return book

    @classmethod
    def load(cls, path: Path) -> Self:
        try:
            return cls.read(path.read_text(encoding="utf-8").splitlines(), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {error}") from None

    def lines(self) -> Iterator[str]:
        """In an order of their own, so that the same book is the same file."""
        return (_line(key, self.entries[key]) for key in sorted(self.entries))


@cache
def own_book() -> Book:
    text = files(__package__).joinpath(OWN_BOOK).read_text(encoding="utf-8")
    return Book.read(text.splitlines(), OWN_BOOK)


@cache
def _turns(size: int) -> tuple[NDArray[np.int64], ...]:
    """For each symmetry, the point of the board that is seen at each place."""
    board = np.arange(size * size).reshape(size, size)
    return tuple(np.rot90(side, k).ravel() for side in (board, board.T) for k in range(4))


def canonical_view(position: GoPosition) -> _View:
    """Of the eight views of the stones, the first by its bytes: positions that are the same turned have the same."""
    stones = position.colors.ravel()
    turned = min(_turns(position.size), key=lambda turn: stones[turn].tobytes())
    key = position.size, position.komi, position.to_move, stones[turned].tobytes()
    return _View(key, turned)


def _line(key: tuple[int, float, int, bytes], found: BookMove) -> str:
    size, komi, player, stones = key
    board = GoPosition(size, komi)
    names = [board.move_to_text(board.point(*divmod(place, size))) for place in range(size * size)]
    black, white = (" ".join(names[i] for i, c in enumerate(stones) if c == color) or "-" for color in (BLACK, WHITE))
    rate = f"{100 * found.win_rate:.1f}"
    return f"{size} {komi:g} {'BW'[player]} {black} / {white} > {names[found.move]} {rate} {found.simulations}"


def _parse(words: list[str]) -> tuple[GoPosition, BookMove]:
    size, komi, player = int(words[0]), float(words[1]), "BW".index(words[2])
    slash, arrow = words.index("/"), words.index(">")
    name, rate, simulations = words[arrow + 1 :]
    position = GoPosition(size, komi)
    for color, stones in enumerate((words[3:slash], words[slash + 1 : arrow])):
        position.place(color, [position.text_to_move(stone) for stone in stones if stone != "-"])
    position.set_to_move(player)
    move = position.text_to_move(name)
    if move not in position.legal_moves() or name.lower() == "pass":
        raise ValueError(f"{name} is no move here")
    return position, BookMove(move, float(rate) / 100, int(simulations))

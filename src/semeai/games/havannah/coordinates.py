"""Names of cells, in two kinds of coordinates.

In those of OpenSpiel and morat, ``d5`` has the letter of x and the number y + 1. LittleGolem names a row by its letter
and counts the cells of each row from 1.
"""

from typing import Literal, get_args

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.games.havannah.kernels.tables import is_cell

Coordinates = Literal["openspiel", "littlegolem"]
LETTERS = "abcdefghijklmnopqrs"


def check_coordinates(name: str) -> None:
    """Raise ConfigError if there are no coordinates of this name."""
    if name not in get_args(Coordinates):
        raise ConfigError(f"no coordinates {name!r}: {did_you_mean(name, get_args(Coordinates))}")


def cell_to_text(base: int, x: int, y: int, coordinates: Coordinates) -> str:
    """Return the name of a cell."""
    if coordinates == "littlegolem":
        return f"{LETTERS[y].upper()}{x - first_of_row(base, y) + 1}"
    return f"{LETTERS[x]}{y + 1}"


def text_to_cell(base: int, text: str, coordinates: Coordinates) -> tuple[int, int]:
    """Return (x, y) of the cell that a text names. Raises IllegalMove if the board has no such cell."""
    name = text.strip().lower()
    letter, digits = LETTERS.find(name[:1]) if name else -1, name[1:]
    if letter >= 0 and digits.isascii() and digits.isdigit() and len(digits) <= 2:
        number = int(digits) - 1
        in_row = coordinates == "littlegolem"
        x, y = (number + first_of_row(base, letter), letter) if in_row else (letter, number)
        if number >= 0 and is_cell(base, x, y):
            return x, y
    raise IllegalMove(f"{text!r:.40} is no cell of a board of base {base}")


def first_of_row(base: int, y: int) -> int:
    """Return the smallest x of row ``y``."""
    return max(0, y - base + 1)

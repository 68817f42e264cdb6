"""Patterns, directly from their description: compare the drawing with the board in every symmetry.

A board is a dictionary from (row, column) to ``X``, ``O`` or ``.``; all other points are off the board. ``mover`` is
``X`` or ``O``. A pattern is a dictionary from (dx, dy) to the letter of its drawing.
"""

Cells = dict[tuple[int, int], str]
Board = dict[tuple[int, int], str]


def square_turns(x: int, y: int) -> list[tuple[int, int]]:
    return [(x, y), (-y, x), (-x, -y), (y, -x), (-x, y), (y, x), (x, -y), (-y, -x)]


def hex_turns(x: int, y: int) -> list[tuple[int, int]]:
    """Return all images of a cell, by cube coordinates.

    Cyclic orders and signs of the coordinates are rotations; an exchange of two coordinates is a reflection.
    """
    a, b, c = x, -y, y - x
    found = []
    for p, q, r in ((a, b, c), (b, c, a), (c, a, b), (b, a, c), (a, c, b), (c, b, a)):
        for sign in (1, -1):
            assert p + q + r == 0
            found.append((sign * p, -sign * q))
    return found


TURNS = {"square": square_turns, "hex": hex_turns}


def fits(letter: str, content: str | None, mover: str) -> bool:
    if content is None:
        return letter in "?_"
    if content == ".":
        return letter in "?."
    return letter in ("?SX" if content == mover else "?SO")


def matches(cells: Cells, board: Board, move: tuple[int, int], mover: str, geometry: str = "square") -> bool:
    """Return whether the pattern matches around ``move`` in any symmetry."""
    row, column = move
    for turn in range(len(TURNS[geometry](0, 0))):
        places = {TURNS[geometry](dx, dy)[turn]: letter for (dx, dy), letter in cells.items()}
        if all(fits(letter, board.get((row + dy, column + dx)), mover) for (dx, dy), letter in places.items()):
            return True
    return False

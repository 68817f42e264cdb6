"""Patterns as they are described: hold the drawing over the board in every way it can be turned, and look.

A board is a dictionary from (row, column) to ``X``, ``O`` or ``.``; what is not in it is off the board. ``mover`` is
``X`` or ``O``. A pattern is a dictionary from (dx, dy) to the letter of its drawing.
"""

Cells = dict[tuple[int, int], str]
Board = dict[tuple[int, int], str]


def square_turns(x: int, y: int) -> list[tuple[int, int]]:
    return [(x, y), (-y, x), (-x, -y), (y, -x), (-x, y), (y, x), (x, -y), (-y, -x)]


def hex_turns(x: int, y: int) -> list[tuple[int, int]]:
    """By cube coordinates: their cyclic orders and signs are the turns, an exchange of two is a mirror."""
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
    """Whether some turn of the pattern fits around ``move``."""
    row, column = move
    for turn in range(len(TURNS[geometry](0, 0))):
        places = {TURNS[geometry](dx, dy)[turn]: letter for (dx, dy), letter in cells.items()}
        if all(fits(letter, board.get((row + dy, column + dx)), mover) for (dx, dy), letter in places.items()):
            return True
    return False

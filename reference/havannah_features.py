"""The features of a move in Havannah, from their definitions: slow, on the dictionary board of ``reference.havannah``.

Values of shapes are canonical texts of what is seen, not numbers: two moves look the same if their values are equal.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from reference.havannah import EMPTY, OTHER, Board, Cell, around, flood

Offset = tuple[int, int]
STEPS = around((0, 0))
PHASES = (1 / 10, 1 / 4, 1 / 2)


class Situation(NamedTuple):
    """A board, whose turn it is, and the last two moves."""

    board: Board
    color: str
    last: Cell | None
    before: Cell | None

    def seen(self, cell: Cell) -> str:
        """Return what the player to move sees at a cell: own, other, empty or off the board."""
        found = self.board.cells.get(cell)
        return "off" if found is None else "empty" if found == EMPTY else "own" if found == self.color else "other"


def plus(a: Offset, b: Offset) -> Offset:
    return a[0] + b[0], a[1] + b[1]


def turns() -> list[Callable[[Offset], Offset]]:
    """Return the twelve symmetries of the hexagon as maps of offsets."""

    def turned(offset: Offset, times: int, mirror: bool) -> Offset:
        x, y = offset[::-1] if mirror else offset
        for _ in range(times):
            x, y = x - y, x
        return x, y

    return [lambda o, t=t, m=m: turned(o, t, m) for t in range(6) for m in (False, True)]  # type: ignore[misc]


def canonical(shape: Iterable[tuple[Offset, str]]) -> str:
    """Return a text that is equal for shapes that a symmetry makes equal."""
    cells = list(shape)
    return min(repr(sorted((turn(offset), what) for offset, what in cells)) for turn in turns())


@cache
def _steps(offset: Offset) -> int:
    """Return the number of steps to an offset on an endless board, by search."""
    found, rim, n = {(0, 0)}, {(0, 0)}, 0
    while offset not in found:
        rim = {next_ for cell in rim for next_ in around(cell)} - found
        found |= rim
        n += 1
    return n


def steps_between(a: Cell, b: Cell) -> int:
    return _steps((b[0] - a[0], b[1] - a[1]))


def values(situation: Situation, cell: Cell) -> dict[str, object]:
    """Return the value of each slot for a move to ``cell``."""
    ring = [(step, situation.seen(plus(cell, step))) for step in STEPS]
    own, own_size = _groups(situation, cell, "own")
    other, other_size = _groups(situation, cell, "other")
    return {
        "shape": canonical(ring),
        "response": _response(ring, cell, situation.last),
        "response_own": _response(ring, cell, situation.before),
        "bridges": canonical(_bridges(situation, cell)),
        "line": _line(situation.board, cell),
        "groups": own,
        "other_groups": other,
        "sizes": (_size(own_size), _size(other_size)),
        "distance": min(steps_between(cell, situation.last), 8) if situation.last else 0,
        "distance_own": min(steps_between(cell, situation.before), 8) if situation.before else 0,
        "reply": _is_reply(situation, cell),
    }


def _response(ring: list[tuple[Offset, str]], cell: Cell, move: Cell | None) -> str:
    if move is None or steps_between(cell, move) > 2:
        return "far"
    return canonical([*ring, ((move[0] - cell[0], move[1] - cell[1]), "played")])


def _bridges(situation: Situation, cell: Cell) -> list[tuple[Offset, str]]:
    """Return what lies over two empty cells, in the six places that have two common neighbours with the move."""
    found = []
    for i, a in enumerate(STEPS):
        b = STEPS[(i + 1) % 6]
        far = plus(a, b)
        what = situation.seen(plus(cell, far))
        if situation.seen(plus(cell, a)) == situation.seen(plus(cell, b)) == "empty" and what != "empty":
            found.append((far, what))
    return found


def _line(board: Board, cell: Cell) -> tuple[int, int, int]:
    filled = sum(found != EMPTY for found in board.cells.values()) / len(board.cells)
    rims = [side | {c for c in board.corners if len([n for n in around(c) if n in side]) > 0} for side in board.sides]
    if board.base == 2:  # no cell between the corners
        rims = [{a, b} for a in board.corners for b in around(a) if b in board.corners and a < b]
    near, second = sorted(min(steps_between(cell, c) for c in rim) for rim in rims)[:2]
    return sum(filled >= limit for limit in PHASES), min(near, 5), min(second, 9)


def _groups(situation: Situation, cell: Cell, whose: str) -> tuple[tuple[int, int, int], int]:
    """Return how many runs of stones are beside the move, the sides and corners that they touch with it, and a size."""
    beside = [situation.seen(plus(cell, step)) == whose for step in STEPS]
    runs = sum(beside[i] and not beside[i - 1] for i in range(6)) or int(all(beside))
    board = situation.board
    stones = board.stones(situation.color if whose == "own" else OTHER[situation.color])
    groups = [flood({plus(cell, step)}, stones) for step, is_there in zip(STEPS, beside, strict=True) if is_there]
    all_cells = {cell}.union(*groups)
    sides = sum(bool(side & all_cells) for side in board.sides)
    corners = sum(corner in all_cells for corner in board.corners)
    return (runs, min(sides, 3), min(corners, 2)), max(map(len, groups), default=0)


def _size(n: int) -> int:
    return sum(n >= limit for limit in (1, 2, 4, 10))


def _is_reply(situation: Situation, cell: Cell) -> bool:
    """Return whether the move keeps a link that the last one broke into: it lies between two stones, or an edge."""
    if situation.last is None or cell not in around(situation.last):
        return False
    beside = [plus(situation.last, step) for step in STEPS]
    i = beside.index(cell)
    return all(situation.seen(beside[(i + k) % 6]) in ("own", "off") for k in (-1, 1))

"""Havannah, directly from its rules: the board is a dictionary of stones; everything else is found by flood fill.

Cells are (x, y) of the square around the hexagon: 0 <= x, y < 2n - 1 and |x - y| < n for base n.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

WHITE, BLACK, EMPTY = "O", "X", "."
OTHER = {WHITE: BLACK, BLACK: WHITE}

Cell = tuple[int, int]


class Board:
    """Stones by cell. Moves change the board, and ``kinds`` returns the winning structures of a colour."""

    def __init__(self, base: int) -> None:
        self.base = base
        side = range(2 * base - 1)
        self.cells: dict[Cell, str] = {(x, y): EMPTY for y in side for x in side if abs(x - y) < base}
        self.corners = [c for c in self.cells if sum(n in self.cells for n in around(c)) == 3]
        self.sides = self._sides()

    def _sides(self) -> list[set[Cell]]:
        """Return the six sides without the corners: connected parts of the border without its corners."""
        rim = {c for c in self.cells if sum(n in self.cells for n in around(c)) == 4}
        sides = []
        while rim:
            found = flood({rim.pop()}, rim)
            sides.append(found)
            rim -= found
        return sides

    def play(self, cell: Cell, color: str) -> None:
        assert self.cells[cell] == EMPTY
        self.cells[cell] = color

    def empties(self) -> list[Cell]:
        return [c for c, found in self.cells.items() if found == EMPTY]

    def stones(self, color: str) -> set[Cell]:
        return {c for c, found in self.cells.items() if found == color}

    def groups(self, color: str) -> list[set[Cell]]:
        left, found = self.stones(color), []
        while left:
            group = flood({left.pop()}, left)
            found.append(group)
            left -= group
        return found

    def kinds(self, color: str) -> set[str]:
        """Return which of ring, bridge and fork ``color`` has on the board."""
        made = {"ring"} if self.has_ring(color) else set()
        for group in self.groups(color):
            if sum(c in group for c in self.corners) >= 2:
                made.add("bridge")
            if sum(bool(side & group) for side in self.sides) >= 3:
                made.add("fork")
        return made

    def has_ring(self, color: str) -> bool:
        """Return whether stones of ``color`` enclose some cell, whatever is on it."""
        stones = self.stones(color)
        free = set(self.cells) - stones
        outside = flood({c for c in free if any(n not in self.cells for n in around(c))}, free)
        if outside != free:
            return True
        return not all(any(n not in self.cells or n in outside for n in around(c)) for c in stones)

    def kinds_after(self, cell: Cell, color: str) -> set[str]:
        """Return which of ring, bridge and fork ``color`` would have after playing ``cell``."""
        self.play(cell, color)
        made = self.kinds(color)
        self.cells[cell] = EMPTY
        return made


def around(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x - 1, y - 1), (x, y - 1), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x - 1, y)]


def flood(start: Iterable[Cell], allowed: set[Cell]) -> set[Cell]:
    """Return all cells that can be reached from ``start`` over ``allowed`` cells, including ``start``."""
    found = set(start)
    waiting = list(found)
    while waiting:
        for n in around(waiting.pop()):
            if n in allowed and n not in found:
                found.add(n)
                waiting.append(n)
    return found


class Replies:
    """Last good replies with forgetting (LGRF-1; Baier & Drake 2010): a player's reply to each move."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], int] = {}

    def learn(self, game: Sequence[tuple[int, int]], winner: int) -> None:
        """Learn from a game, a sequence of (player, move). The first move is not a reply."""
        for (_, before), (player, move) in pairwise(game):
            if player == winner:
                self.known[player, before] = move
            elif self.known.get((player, before)) == move:
                del self.known[player, before]


def perft(base: int, depth: int) -> tuple[int, int]:
    """Return the number of games of ``depth`` moves, and how many of them are over after the last move."""
    board = Board(base)

    def count(left: int, color: str) -> tuple[int, int]:
        nodes = terminals = 0
        for cell in board.empties():
            board.play(cell, color)
            over = bool(board.kinds(color)) or not board.empties()
            if left == 1:
                nodes, terminals = nodes + 1, terminals + over
            elif not over:
                more = count(left - 1, OTHER[color])
                nodes, terminals = nodes + more[0], terminals + more[1]
            board.cells[cell] = EMPTY
        return nodes, terminals

    return count(depth, WHITE)

"""Nested neighbourhoods, directly from their description: write all cells of a size, in each of the eight symmetries.

Two neighbourhoods are equal if the alphabetically first of their eight texts are equal.
"""

from functools import cache

from reference.go import EMPTY, OFF_BOARD, Board, Point
from reference.patterns import square_turns


def gridcular(dx: int, dy: int) -> int:
    return abs(dx) + abs(dy) + max(abs(dx), abs(dy))


def seen(board: Board, point: Point, mover: str, beside: bool) -> str:
    """Return the letter of a cell: ``x`` for the mover's stones, ``o`` for the opponent's.

    Stones in atari beside the move have capital letters.
    """
    cell = board.cells.get(point, OFF_BOARD)
    if cell in (EMPTY, OFF_BOARD):
        return cell
    letter = "x" if cell == mover else "o"
    return letter.upper() if beside and len(board.liberties(board.region(point))) == 1 else letter


@cache
def cells_by_turn(distance: int) -> list[list[tuple[int, int]]]:
    """Return all cells of a size, in one order per symmetry."""
    reach = range(-distance // 2, distance // 2 + 1)  # a cell of distance d is at most d / 2 lines away
    cells = [(dx, dy) for dy in reach for dx in reach if 0 < gridcular(dx, dy) <= distance]
    return [[square_turns(dx, dy)[turn] for dx, dy in cells] for turn in range(8)]


def neighbourhood(board: Board, move: Point, mover: str, distance: int) -> str:
    row, column = move
    turns = cells_by_turn(distance)
    content = {(dx, dy): seen(board, (row + dy, column + dx), mover, abs(dx) + abs(dy) == 1) for dx, dy in turns[0]}
    return min("".join(content[cell] for cell in cells) for cells in turns)

"""The stones that make a win: a smallest ring, bridge or fork among the winner's stones."""

from collections import deque
from collections.abc import Iterable

from semeai.games.havannah.coordinates import first_of_row
from semeai.games.havannah.position import HavannahPosition

Cell = tuple[int, int]
_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))


def winning_shape(position: HavannahPosition) -> list[int]:
    """Return the cells of one shape that has won, as moves; empty while nobody has won."""
    if position.winner is None:
        return []
    board = _cells(position.size)
    own = {cell for cell in board if position.color_at(*cell) == position.winner + 1}
    last = next(move for player, move in reversed(position.moves) if move)
    row, column = divmod(last, 2 * position.size)
    chain = _reached({(column - 1, row - 1)}, own) & own
    kinds = position.win_kind.split("+")
    shape = _ring(chain, board) if "ring" in kinds else set()
    if "bridge" in kinds and not shape:
        shape = _joined([{corner} for corner in _corners(position.size)], chain, 2)
    if "fork" in kinds and not shape:
        shape = _joined(_sides(position.size), chain, 3)
    return sorted(position.point(*cell) for cell in shape or chain)


def _cells(size: int) -> set[Cell]:
    rows = range(2 * size - 1)
    return {(x, y) for y in rows for x in range(first_of_row(size, y), min(2 * size - 1, y + size))}


def _around(cell: Cell) -> Iterable[Cell]:
    return ((cell[0] + dx, cell[1] + dy) for dx, dy in _STEPS)


def _reached(start: set[Cell], allowed: set[Cell]) -> set[Cell]:
    seen, ahead = set(start), list(start)
    while ahead:
        for other in _around(ahead.pop()):
            if other in allowed and other not in seen:
                seen.add(other)
                ahead.append(other)
    return seen


def _corners(size: int) -> list[Cell]:
    far = 2 * size - 2
    return [(0, 0), (size - 1, 0), (far, size - 1), (far, far), (size - 1, far), (0, size - 1)]


def _sides(size: int) -> list[set[Cell]]:
    """Return the six sides of the board without its corners."""
    board, corners = _cells(size), _corners(size)
    edge = {cell for cell in board if any(other not in board for other in _around(cell))} - set(corners)
    sides: list[set[Cell]] = []
    for cell in sorted(edge):
        if not any(cell in side for side in sides):
            sides.append(_reached({cell}, edge))
    return sides


def _ring(chain: set[Cell], board: set[Cell]) -> set[Cell]:
    """Return the stones of a ring: all others are removed one by one as long as a cell stays enclosed."""
    ring = set(chain)
    if not _encloses(ring, board):
        return set()
    for cell in sorted(chain):
        if _encloses(ring - {cell}, board):
            ring.discard(cell)
    return ring


def _encloses(stones: set[Cell], board: set[Cell]) -> bool:
    """Return whether stones surround at least one cell, whatever is on it."""
    border = {cell for cell in board if any(other not in board for other in _around(cell))}
    outside = _reached(border - stones, board - stones)
    if board - stones - outside:
        return True
    return any(cell not in border and all(other in stones for other in _around(cell)) for cell in stones)


def _joined(goals: list[set[Cell]], chain: set[Cell], n: int) -> set[Cell]:
    """Return the shortest connections inside the chain from one cell to ``n`` of the goals."""
    distances = [_distances(goal & chain, chain) for goal in goals if goal & chain]
    best: tuple[int, list[dict[Cell, Cell | None]], Cell] | None = None
    for cell in sorted(chain):
        near = sorted((found[0][cell], i) for i, found in enumerate(distances) if cell in found[0])[:n]
        if len(near) == n and (best is None or sum(d for d, _ in near) < best[0]):
            best = sum(d for d, _ in near), [distances[i][1] for _, i in near], cell
    if best is None:
        return set()
    shape = set()
    for back in best[1]:
        step: Cell | None = best[2]
        while step is not None:
            shape.add(step)
            step = back[step]
    return shape


def _distances(start: set[Cell], allowed: set[Cell]) -> tuple[dict[Cell, int], dict[Cell, Cell | None]]:
    """Return the distance of each cell to the start, and the next cell on the way there."""
    far: dict[Cell, int] = dict.fromkeys(start, 0)
    back: dict[Cell, Cell | None] = dict.fromkeys(start)
    ahead = deque(sorted(start))
    while ahead:
        cell = ahead.popleft()
        for other in _around(cell):
            if other in allowed and other not in far:
                far[other], back[other] = far[cell] + 1, cell
                ahead.append(other)
    return far, back

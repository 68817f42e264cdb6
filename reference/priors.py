"""The priors of a move in Go by its place, directly from their description: lines, distances, shapes.

Captures, escapes, ataris and the playout's replies are tested on drawn positions instead.
"""

from collections.abc import Mapping

from reference.go import EMPTY, OFF_BOARD, Board, Point, beside, is_shape

NEAREST, REMOTE, LARGE = 3, 3, 12


def lines(size: int, point: Point) -> list[int]:
    """Return the distances to the nearest edge and to the nearest edge that crosses it; 1 is the first line."""
    return sorted(min(x + 1, size - x) for x in point)


def _around(board: Board, points: set[Point]) -> set[Point]:
    return {q for p in points for q in beside(p) if board.cells[q] != OFF_BOARD}


def steps_to_stones(board: Board, point: Point) -> float:
    """Return the steps over empty points to the nearest stone; infinite if there is none."""
    seen, border, steps = {point}, {point}, 0
    while border:
        steps += 1
        around = _around(board, border) - seen
        if any(board.cells[q] != EMPTY for q in around):
            return steps
        seen |= around
        border = around
    return float("inf")


def distance(board: Board, last: Point | None, point: Point) -> float:
    """Return the distance in the common fate graph, where a chain is one vertex; infinite after a pass."""
    if last is None:
        return float("inf")
    reached, steps = board.region(last) if board.cells[last] != EMPTY else {last}, 0
    while point not in reached:
        steps += 1
        for q in _around(board, reached) - reached:
            reached = reached | (board.region(q) if board.cells[q] != EMPTY else {q})
    return steps


def is_skipped(board: Board, point: Point) -> bool:
    """Return whether a point is on the first or second line, with no stone within two steps, on 7x7 or larger."""
    return board.size >= 7 and lines(board.size, point)[0] <= 2 and steps_to_stones(board, point) > 2


def good_and_bad(
    board: Board, point: Point, color: str, last: Point | None, visits: Mapping[str, float]
) -> tuple[float, float]:
    """Return the won and the lost virtual visits of a move that is not a self-atari."""
    good = bad = 0.0
    if is_shape(board.neighbourhood(point), color):
        good += visits["shape"]
    near = distance(board, last, point)
    if near <= NEAREST:
        good += visits[f"near_{near}"]
    if steps_to_stones(board, point) > REMOTE:
        large = board.size >= LARGE
        line, other = lines(board.size, point)
        line -= not large
        if line <= 1:
            bad += visits["edge"]
        elif line == 2:
            bad += visits["second_line"]
        elif line == 3:
            good += visits["third_line"]
        elif line == 4:
            good += visits["fourth_line"]
        elif large:
            bad += visits["centre"]
        if large and line >= 3 and other <= 4:
            good += visits["corner"]
    return good, bad

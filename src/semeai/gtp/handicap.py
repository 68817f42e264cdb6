"""Points for handicap stones: the fixed points of GTP 2, section 4.1.1, and a free placement."""

from collections.abc import Iterator

Point = tuple[int, int]
"""(column, line), both counted from 0 at the lower left."""


def max_fixed_handicap(size: int) -> int:
    """Return the largest number of fixed stones: 0 below 7x7, 4 on 7x7 and on even sizes, otherwise 9."""
    if size < 7:
        return 0
    return 4 if size == 7 or size % 2 == 0 else 9


def fixed_handicap(size: int, stones: int) -> list[Point]:
    """Return the points of 2 to ``max_fixed_handicap(size)`` stones."""
    near = 3 if size > 11 else 2
    far, middle = size - 1 - near, size // 2
    corners = [(near, near), (far, far), (near, far), (far, near)]
    sides = [(near, middle), (far, middle), (middle, near), (middle, far)]
    points = corners[: min(stones, 4)]
    if stones >= 6:
        points += sides[: 2 if stones < 8 else 4]
    if stones in (5, 7, 9):
        points.append((middle, middle))
    return points


def free_handicap(size: int, stones: int) -> list[Point]:
    """Return the fixed points first, then points that are each as far from the others as possible."""
    most = max_fixed_handicap(size)
    points = fixed_handicap(size, min(stones, most)) if most else []
    while len(points) < stones:
        points.append(max(_inner_points(size, points), key=lambda p: _room(p, points, size)))
    return points


def _inner_points(size: int, taken: list[Point]) -> Iterator[Point]:
    return ((x, y) for x in range(size) for y in range(size) if (x, y) not in taken)


def _room(point: Point, taken: list[Point], size: int) -> tuple[int, int]:
    """Return the distance to the nearest stone, limited near the edge, and then the distance to the edge."""
    x, y = point
    edge = min(x, y, size - 1 - x, size - 1 - y)
    nearest = min((abs(x - a) + abs(y - b) for a, b in taken), default=size)
    return min(nearest, 2 * edge + 1), edge

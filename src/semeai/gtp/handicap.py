"""Where handicap stones go: the fixed points of GTP 2, section 4.1.1, and a free placement."""

from collections.abc import Iterator

Point = tuple[int, int]
"""(column, line), both counted from 0 at the lower left."""


def max_fixed_handicap(size: int) -> int:
    """None below 7x7; no middle points on 7x7 and on boards that have no middle."""
    if size < 7:
        return 0
    return 4 if size == 7 or size % 2 == 0 else 9


def fixed_handicap(size: int, stones: int) -> list[Point]:
    """The points of 2 to ``max_fixed_handicap(size)`` stones."""
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
    """The fixed points as far as they go, then each stone as far from the others as it can be."""
    most = max_fixed_handicap(size)
    points = fixed_handicap(size, min(stones, most)) if most else []
    while len(points) < stones:
        points.append(max(_inner_points(size, points), key=lambda p: _room(p, points, size)))
    return points


def _inner_points(size: int, taken: list[Point]) -> Iterator[Point]:
    return ((x, y) for x in range(size) for y in range(size) if (x, y) not in taken)


def _room(point: Point, taken: list[Point], size: int) -> tuple[int, int]:
    """Distance to the nearest stone, but no farther than the edge allows; then distance to the edge."""
    x, y = point
    edge = min(x, y, size - 1 - x, size - 1 - y)
    nearest = min((abs(x - a) + abs(y - b) for a, b in taken), default=size)
    return min(nearest, 2 * edge + 1), edge

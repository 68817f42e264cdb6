"""Random boards full of capturing races: large chains, few empty points, eyes, shared liberties and approach moves."""

import random
from collections.abc import Iterator

import numpy as np

from semeai.errors import IllegalMove
from semeai.games.go.position import GoPosition


def random_colors(source: random.Random, size: int, n_empty: int) -> list[list[int]]:
    """Return colours (1 Black, 2 White) of all points, smoothed so that chains are large; ``n_empty`` are 0."""
    colors = [[source.choice((1, 2)) for _ in range(size)] for _ in range(size)]
    for _ in range(source.choice((0, size, 2 * size, 4 * size))):
        r, c = source.randrange(size), source.randrange(size)
        around = [colors[i][j] for i, j in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)) if 0 <= i < size > j >= 0]
        if around.count(1) != around.count(2):
            colors[r][c] = 1 if around.count(1) > around.count(2) else 2
    for cell in source.sample(range(size * size), n_empty):
        colors[cell // size][cell % size] = 0
    return colors


def position_of(colors: list[list[int]]) -> GoPosition | None:
    """Return the position; None if a chain has no liberty."""
    size = len(colors)
    position = GoPosition(size)
    try:
        for player in (0, 1):
            cells = [(r, c) for r in range(size) for c in range(size) if colors[r][c] == player + 1]
            position.place(player, [position.point(r, c) for r, c in cells])
    except IllegalMove:
        return None
    return position if np.array_equal(position.colors, np.array(colors)) else None


def random_positions(seed: int, sizes: tuple[int, ...] = (4, 5, 6)) -> Iterator[GoPosition]:
    """Yield random positions for ever."""
    source = random.Random(seed)
    while True:
        size = source.choice(sizes)
        position = position_of(random_colors(source, size, source.randint(4, 9 if size < 6 else 10)))
        if position is not None:
            yield position

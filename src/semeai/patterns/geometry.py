"""The two grids that boards are made of: how offsets turn, how far they reach, and where a drawing puts them.

An offset (dx, dy) leads from a move to another cell, dx along a row and dy from row to row downwards. Rows of a hex
board are drawn half a cell further left than the row above, so that the six neighbours are those of
``games.havannah.tables.DIRECTIONS``.
"""

from dataclasses import dataclass

from semeai.errors import ConfigError, did_you_mean

Offset = tuple[int, int]
Matrix = tuple[int, int, int, int]
"""(a, b, c, d): (dx, dy) becomes (a dx + b dy, c dx + d dy)."""


def _times(m: Matrix, n: Matrix) -> Matrix:
    a, b, c, d = m
    e, f, g, h = n
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def _generated(turn: Matrix, mirror: Matrix, n_turns: int) -> tuple[Matrix, ...]:
    """All products of turns and one mirror, the identity first."""
    turned: list[Matrix] = [(1, 0, 0, 1)]
    while len(turned) < n_turns:
        turned.append(_times(turn, turned[-1]))
    return (*turned, *(_times(mirror, m) for m in turned))


@dataclass(frozen=True)
class Geometry:
    """A grid and its symmetries around a cell."""

    name: str
    symmetries: tuple[Matrix, ...]
    shear: int
    """Half cells by which a row is drawn further left than the row above."""

    def turn(self, offset: Offset, symmetry: int) -> Offset:
        a, b, c, d = self.symmetries[symmetry]
        dx, dy = offset
        return a * dx + b * dy, c * dx + d * dy

    def distance(self, offset: Offset) -> int:
        """Steps of a king on the square grid, of a neighbour on the hex grid."""
        dx, dy = offset
        return max(abs(dx), abs(dy), abs(dx - dy) * self.shear)

    def around(self, radius: int) -> list[Offset]:
        """All offsets up to ``radius``, row by row, without the move itself."""
        reach = range(-radius, radius + 1)
        return [(x, y) for y in reach for x in reach if 0 < self.distance((x, y)) <= radius]

    def column(self, offset: Offset) -> int:
        """Where a drawing puts the offset, in half cells to the right of the move."""
        dx, dy = offset
        return 2 * dx - self.shear * dy


SQUARE = Geometry("square", _generated((0, -1, 1, 0), (-1, 0, 0, 1), 4), 0)
HEX = Geometry("hex", _generated((1, -1, 1, 0), (0, 1, 1, 0), 6), 1)
GEOMETRIES = {geometry.name: geometry for geometry in (SQUARE, HEX)}


def geometry_named(name: str) -> Geometry:
    if name not in GEOMETRIES:
        raise ConfigError(f"no geometry {name!r}: {did_you_mean(name, GEOMETRIES)}")
    return GEOMETRIES[name]

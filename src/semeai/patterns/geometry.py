"""The two grids of game boards: symmetries and lengths of offsets, and their places in a drawing.

An offset (dx, dy) leads from a move to another cell: dx cells to the right and dy rows down. On a hex board each row is
drawn half a cell further left than the row above, so the six neighbours are those of
``games.havannah.tables.DIRECTIONS``.
"""

from dataclasses import dataclass

from semeai.errors import ConfigError, did_you_mean

Offset = tuple[int, int]
Matrix = tuple[int, int, int, int]
"""(a, b, c, d) maps (dx, dy) to (a dx + b dy, c dx + d dy)."""


def _times(m: Matrix, n: Matrix) -> Matrix:
    a, b, c, d = m
    e, f, g, h = n
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def _generated(turn: Matrix, mirror: Matrix, n_turns: int) -> tuple[Matrix, ...]:
    """Return all rotations, then their mirror images. The identity is first."""
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
    """Half cells by which each row is drawn further left than the row above."""

    def turn(self, offset: Offset, symmetry: int) -> Offset:
        a, b, c, d = self.symmetries[symmetry]
        dx, dy = offset
        return a * dx + b * dy, c * dx + d * dy

    def distance(self, offset: Offset) -> int:
        """Return the length of an offset in steps: king moves on the square grid, neighbours on the hex grid."""
        dx, dy = offset
        return max(abs(dx), abs(dy), abs(dx - dy) * self.shear)

    def around(self, radius: int) -> list[Offset]:
        """Return all offsets of length 1 to ``radius``, row by row."""
        reach = range(-radius, radius + 1)
        return [(x, y) for y in reach for x in reach if 0 < self.distance((x, y)) <= radius]

    def column(self, offset: Offset) -> int:
        """Return the column of the offset in a drawing, in half cells to the right of the move."""
        dx, dy = offset
        return 2 * dx - self.shear * dy


SQUARE = Geometry("square", _generated((0, -1, 1, 0), (-1, 0, 0, 1), 4), 0)
HEX = Geometry("hex", _generated((1, -1, 1, 0), (0, 1, 1, 0), 6), 1)
GEOMETRIES = {geometry.name: geometry for geometry in (SQUARE, HEX)}


def geometry_named(name: str) -> Geometry:
    if name not in GEOMETRIES:
        raise ConfigError(f"no geometry {name!r}: {did_you_mean(name, GEOMETRIES)}")
    return GEOMETRIES[name]

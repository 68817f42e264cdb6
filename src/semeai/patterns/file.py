"""Pattern files, which people can read and write too::

    semeai patterns 1
    geometry square

    # hane at the head of a stone
    pattern +1
      X O X
      . * .

    # first line, nothing near
    pattern -0.5
      . * .
      _ _ _

A comment belongs to the pattern directly below it. In a drawing, the column of a letter counts, in half cells from the
move. Blanks match anything. Two patterns that are symmetric to each other count as one pattern given twice.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from semeai.errors import ConfigError
from semeai.files import read_text, write_text
from semeai.patterns.geometry import SQUARE, Geometry, Offset, geometry_named
from semeai.patterns.pattern import MOVE, Cell, Pattern, cell_of, format_bias, parse_bias

VERSION = 1
MAX_BYTES = 5_000_000
_HEADER = "semeai patterns"


def read_patterns(path: str | Path) -> list[Pattern]:
    """Return the patterns of a file. Raises ConfigError with the file, the line and what is wrong there."""
    return parse_patterns(read_text(path, "patterns", MAX_BYTES), f"patterns {path}")


def parse_patterns(text: str, place: str = "patterns") -> list[Pattern]:
    return _Reader(text.splitlines(), place).read()


def write_patterns(path: str | Path, patterns: Sequence[Pattern], comment: str = "") -> None:
    write_text(path, format_patterns(patterns, comment), "patterns")


def format_patterns(patterns: Sequence[Pattern], comment: str = "") -> str:
    """Return the text of a pattern file. ``parse_patterns`` reads the same patterns from it."""
    geometries = {pattern.geometry.name for pattern in patterns} or {SQUARE.name}
    if len(geometries) > 1:
        raise ConfigError(f"a pattern file has patterns of one geometry, not of {' and '.join(sorted(geometries))}")
    blocks = [f"{_HEADER} {VERSION}\ngeometry {geometries.pop()}"]
    if comment:
        blocks.append("\n".join(_comment_lines(comment)))
    for pattern in patterns:
        drawing = [f"  {line}" for line in pattern.draw().splitlines()]
        blocks.append("\n".join([*_comment_lines(pattern.comment), f"pattern {format_bias(pattern.bias)}", *drawing]))
    return "\n\n".join(blocks) + "\n"


def _comment_lines(comment: str) -> list[str]:
    return [f"# {line}".rstrip() for line in comment.splitlines()]


def check_distinct_shapes(patterns: Iterable[Pattern]) -> None:
    """Check that no shape is given twice, because its bias would be unclear. Raises ConfigError otherwise."""
    seen: dict[str, Pattern] = {}
    for pattern in patterns:
        if (before := seen.setdefault(pattern.shape, pattern)) is not pattern:
            raise ConfigError(f"pattern {pattern.text!r} is the same shape as {before.text!r}")


class _Reader:
    """Reads a pattern file line by line. ``fail`` makes an error that names the line."""

    def __init__(self, lines: list[str], place: str) -> None:
        self.lines, self.place = lines, place
        self.geometry: Geometry = SQUARE
        self.patterns: list[Pattern] = []
        self.seen: dict[str, int] = {}

    def fail(self, line: int, reason: object) -> ConfigError:
        return ConfigError(f"{self.place}, line {line + 1}: {reason}")

    def read(self) -> list[Pattern]:
        at = self._header()
        comment: list[str] = []
        while at < len(self.lines):
            line = self.lines[at]
            if line.startswith("#"):
                comment.append(line[1:].strip())
            elif line.strip():
                at = self._pattern(at, "\n".join(comment))
                comment = []
                continue
            else:
                comment = []
            at += 1
        return self.patterns

    def _header(self) -> int:
        """Read version and geometry. Returns the index of the next line."""
        first = self.lines[0].split() if self.lines else []
        if " ".join(first[:2]) != _HEADER or len(first) != 3:
            raise self.fail(0, f"a pattern file begins with '{_HEADER} {VERSION}'")
        if first[2] != str(VERSION):
            raise self.fail(0, f"file format {first[2]!r}, but this version of semeai reads format {VERSION}")
        second = self.lines[1].split() if len(self.lines) > 1 else []
        if len(second) != 2 or second[0] != "geometry":
            raise self.fail(1, "write 'geometry square' or 'geometry hex'")
        try:
            self.geometry = geometry_named(second[1])
        except ConfigError as error:
            raise self.fail(1, error) from None
        return 2

    def _pattern(self, at: int, comment: str) -> int:
        """Read the pattern that begins at line ``at``. Returns the index of the line after it."""
        words = self.lines[at].split()
        if words[0] != "pattern" or len(words) != 2:
            raise self.fail(at, f"write 'pattern BIAS' before a drawing, not {self.lines[at].strip()[:60]!r}")
        end = at + 1
        while end < len(self.lines) and self.lines[end].strip() and self.lines[end].split()[0] != "pattern":
            end += 1
        cells = self._cells(at, end)
        try:
            pattern = Pattern(tuple(cells.items()), parse_bias(words[1]), self.geometry, comment)
        except ConfigError as error:
            raise self.fail(at, error) from None
        if (before := self.seen.setdefault(pattern.shape, at)) != at:
            raise self.fail(at, f"the same shape as the pattern in line {before + 1}")
        self.patterns.append(pattern)
        return end

    def _cells(self, at: int, end: int) -> dict[Offset, Cell]:
        """Return the cells of a drawing by offset."""
        letters = [
            (line, column, letter)
            for line in range(at + 1, end)
            for column, letter in enumerate(self.lines[line])
            if letter != " "
        ]
        moves = [(line, column) for line, column, letter in letters if letter == MOVE]
        if len(moves) != 1:
            raise self.fail(moves[1][0] if moves else at, f"a drawing needs one move ({MOVE}), not {len(moves)}")
        y0, x0 = moves[0]
        cells = {}
        for line, column, letter in letters:
            if (line, column) == (y0, x0):
                continue
            dy = line - y0
            halves = column - x0 + self.geometry.shear * dy
            try:
                cell = cell_of(letter)
            except ConfigError as error:
                raise self.fail(line, error) from None
            if halves % 2:
                raise self.fail(line, f"{letter!r} in column {column + 1} lies between two cells of the grid")
            cells[halves // 2, dy] = cell
        return cells

"""One SVG picture of several patterns, each with its bias as a caption unless it has none.

The mover's stones are black and the move is a cross. Jokers are blank, cells off the board are hatched, and a stone of
either colour is half black and half white.
"""

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from semeai.patterns.geometry import HEX, Offset
from semeai.patterns.pattern import Cell, Pattern, format_bias
from semeai.printable import printable

CELL = 32
GAP = 24
CAPTION = 22
LETTER = 7
"""Width of a letter of a caption, about."""
MARGIN = 4
"""Around a picture without captions."""
COLUMNS = 5
_STONE = 0.42 * CELL
_WOOD, _INK, _FAINT = "#e8c887", "#222222", "#8a7a55"
_HATCH = (
    '<defs><pattern id="off" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" fill="#dddddd"/><line x1="0" y1="0" x2="0" y2="6" stroke="#888888" stroke-width="2"/>'
    "</pattern></defs>"
)


def svg_of(patterns: Sequence[Pattern], columns: int = COLUMNS, *, captions: bool = True) -> str:
    """Return an SVG picture of all patterns, row by row. The same patterns always give the same text."""
    gap, caption = (GAP, CAPTION) if captions else (MARGIN, 0)
    parts, x, y, width, height = [_HATCH], gap, gap, 0, 0
    for i, pattern in enumerate(patterns):
        if i and i % columns == 0:
            x, y, height = gap, y + height + gap, 0
        w, h = _extent(pattern)
        shown = _caption(pattern, i + 1) if captions else ""
        w = max(w, 3 * CELL, LETTER * len(shown))
        parts.append(f'<g transform="translate({x} {y})">{"".join(_drawing(pattern, i + 1, shown))}</g>')
        x += w + gap
        width, height = max(width, x), max(height, h + caption)
    w, h = max(width, 2 * gap), y + height + gap
    body = printable("\n".join(parts))  # XML has no control characters
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
        f'font-family="sans-serif" font-size="13">\n<rect width="{w}" height="{h}" fill="white"/>\n{body}\n</svg>\n'
    )


def _cells(pattern: Pattern) -> dict[Offset, Cell | None]:
    """Return the cells to draw: the neighbours of the move and all cells of the pattern; None marks the move."""
    needed = [*pattern.geometry.around(1), *(offset for offset, _ in pattern.cells)]
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*needed, strict=True))
    inside = (o for o in pattern.geometry.around(pattern.radius) if left <= o[0] <= right and top <= o[1] <= bottom)
    shown: dict[Offset, Cell | None] = dict.fromkeys(inside, Cell.ANY)
    return {**shown, **dict(pattern.cells), (0, 0): None}


def _centres(pattern: Pattern) -> dict[Offset, tuple[float, float]]:
    """Return the centres of the drawn cells, relative to the top left corner."""
    row = CELL * (math.sqrt(0.75) if pattern.geometry is HEX else 1.0)
    raw = {o: (pattern.geometry.column(o) * CELL / 2, o[1] * row) for o in _cells(pattern)}
    left, top = (min(place[axis] for place in raw.values()) for axis in (0, 1))
    return {o: (round(x - left + CELL / 2, 1), round(y - top + CELL / 2, 1)) for o, (x, y) in raw.items()}


def _extent(pattern: Pattern) -> tuple[int, int]:
    places = _centres(pattern).values()
    return math.ceil(max(x for x, _ in places) + CELL / 2), math.ceil(max(y for _, y in places) + CELL / 2)


def _caption(pattern: Pattern, number: int) -> str:
    first = pattern.comment.splitlines()[0][:40] if pattern.comment else ""
    return f"{number}:  {format_bias(pattern.bias)}  {first}".strip()


def _drawing(pattern: Pattern, number: int, caption: str) -> Iterator[str]:
    cells, centres = _cells(pattern), _centres(pattern)
    title = f"{number}: {pattern.canonical().text}\n{pattern.comment}".strip()
    yield f"<title>{escape(title)}</title>"
    for offset, cell in cells.items():
        yield _ground(pattern, *centres[offset], cell)
    for offset, cell in cells.items():
        yield _content(*centres[offset], cell)
    if caption:
        yield f'<text x="0" y="{_extent(pattern)[1] + 15}" fill="{_INK}">{escape(caption)}</text>'


def _ground(pattern: Pattern, x: float, y: float, cell: Cell | None) -> str:
    fill = "url(#off)" if cell is Cell.OFF_BOARD else "#f6efe0" if cell is Cell.ANY else _WOOD
    h = CELL / 2
    if pattern.geometry is HEX:
        side = CELL / math.sqrt(3)
        corners = ((0, -side), (h, -side / 2), (h, side / 2), (0, side), (-h, side / 2), (-h, -side / 2))
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        return f'<polygon points="{points}" fill="{fill}" stroke="{_FAINT}"/>'
    square = f'<rect x="{x - h:g}" y="{y - h:g}" width="{CELL}" height="{CELL}" fill="{fill}"/>'
    if cell is Cell.OFF_BOARD:
        return square
    lines = f"M{x - h:g} {y:g}h{CELL}M{x:g} {y - h:g}v{CELL}"
    return f'{square}<path d="{lines}" stroke="{_FAINT}" fill="none"/>'


def _content(x: float, y: float, cell: Cell | None) -> str:
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="{_STONE:g}" stroke="{_INK}"'
    if cell is None:
        d = _STONE * 0.6
        lines = f"M{x - d:.1f} {y - d:.1f}l{2 * d:.1f} {2 * d:.1f}M{x - d:.1f} {y + d:.1f}l{2 * d:.1f} {-2 * d:.1f}"
        return f'<path d="{lines}" stroke="#c0392b" stroke-width="3"/>'
    if cell is Cell.BLACK:
        return f'{circle} fill="{_INK}"/>'
    if cell is Cell.WHITE:
        return f'{circle} fill="white"/>'
    if cell is Cell.STONE:
        half = f'<path d="M{x:g} {y - _STONE:g}a{_STONE:g} {_STONE:g} 0 0 0 0 {2 * _STONE:g}z" fill="{_INK}"/>'
        return f'{circle} fill="white"/>{half}'
    if cell is Cell.EMPTY:
        return f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{_INK}"/>'
    return ""

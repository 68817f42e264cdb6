"""Result tables and charts, independent of where they are shown: terminal, documentation page or JSON."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError
from semeai.printable import one_line, printable

if TYPE_CHECKING:
    import pandas

Cell = str | int | float | None


@dataclass(frozen=True)
class Curve:
    """One line of a chart."""

    label: str
    points: tuple[tuple[float, float, float, float], ...]
    """x, y, and the lower and upper end of the interval around y."""
    measured: bool = True
    """False for published figures of other programs, which are drawn pale."""


@dataclass(frozen=True)
class Chart:
    """One panel of a figure."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    even: float | None = 50.0
    """y value of a horizontal line where neither side is better; None draws no line."""
    log_y: bool = False
    log_x: bool = True
    """Whether the x axis is logarithmic, as for budgets and numbers of machines, which double."""


@dataclass(frozen=True)
class ResultTable:
    """A table of results with a title, a note and charts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    charts: tuple[Chart, ...] = ()
    """Charts that ``--figure`` draws."""

    def to_json(self) -> dict[str, Any]:
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        charts = [asdict(chart) for chart in self.charts]
        return {"title": self.title, "note": self.note, "rows": rows} | ({"charts": charts} if charts else {})

    def to_markdown(self) -> str:
        lines = [
            f"### {one_line(self.title)}",
            "",
            _markdown_row(self.columns),
            "|" + "---|" * len(self.columns),
            *(_markdown_row([show(cell) for cell in row]) for row in self.rows),
        ]
        return "\n".join([*lines, "", printable(self.note)] if self.note else lines) + "\n"

    def to_html(self) -> str:
        """Return the table for a notebook; every text in it is escaped."""

        def row(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(one_line(cell))}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row("td", [show(cell) for cell in cells]) for cells in self.rows)
        note = f"<p>{escape(printable(self.note))}</p>" if self.note else ""
        return f"<p><b>{escape(one_line(self.title))}</b></p><table>{row('th', self.columns)}{body}</table>{note}"

    def to_frame(self) -> "pandas.DataFrame":
        """Return the rows as a frame of pandas. Raises ConfigError if pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise ConfigError("to_frame needs pandas (pip install pandas)") from None
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def show(cell: Cell) -> str:
    """Return a cell as text, with numbers rounded for reading."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.4g}"


def percent(part: float, interval: Sequence[float] | None = None) -> str:
    """Return a fraction as a percentage, such as ``12.3%``, followed by its interval if one is given."""
    text = f"{100 * part:.3g}%"
    return text if interval is None else f"{text} [{100 * interval[0]:.3g}, {100 * interval[1]:.3g}]"

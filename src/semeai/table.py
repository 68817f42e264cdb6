"""A result table, whatever shows it: the terminal, a page of the docs, or JSON."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Curve:
    label: str
    points: tuple[tuple[float, float, float, float], ...]
    """x, y, and the interval around y."""
    measured: bool = True
    """False: somebody else's figures, drawn pale."""


@dataclass(frozen=True)
class Chart:
    """One panel; x has a logarithmic scale, as budgets and machines double."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    even: float | None = 50.0
    """Where a line is drawn across: neither side is better."""
    log_y: bool = False


@dataclass(frozen=True)
class ResultTable:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    charts: tuple[Chart, ...] = ()
    """What ``--figure`` draws of it."""

    def to_json(self) -> dict[str, Any]:
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "note": self.note, "rows": rows}

    def to_markdown(self) -> str:
        lines = [
            f"### {self.title}",
            "",
            "| " + " | ".join(self.columns) + " |",
            "|" + "---|" * len(self.columns),
            *("| " + " | ".join(show(cell) for cell in row) + " |" for row in self.rows),
        ]
        return "\n".join([*lines, "", self.note] if self.note else lines) + "\n"


def show(cell: Cell) -> str:
    """A number as a person reads it."""
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
    """12.3%, with its interval where one is given."""
    text = f"{100 * part:.3g}%"
    return text if interval is None else f"{text} [{100 * interval[0]:.3g}, {100 * interval[1]:.3g}]"

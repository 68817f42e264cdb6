"""The contents of a report: the runs with their curves and some games, and tables of reproduced experiments."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.files import read_bytes
from semeai.report.reader import LedgerReader
from semeai.report.values import Json, texts

GAMES = 20
"""Games of a match that a report keeps to be replayed: the first ones."""
MAX_TABLES = 10_000_000


def report_data(reader: LedgerReader, names: Sequence[str], tables: Iterable[Json] = (), **about: str) -> Json:
    """Return everything that the page of a report draws. Every row is verified first."""
    pages = []
    for name in names:
        reader.verify(name)
        page = dict(reader.run(name))
        page["parts"] = []
        pages.append(page | _details(reader, name, page))
    return {"runs": pages, "tables": list(tables), "about": texts(about), "ledger": reader.location}


def _details(reader: LedgerReader, name: str, page: Mapping[str, Any]) -> Json:
    data = page["data"]
    if page["kind"] == "race" and data["candidates"]:
        return {"curves": {str(n): curve for n, curve in reader.curves(name, data["shown"]).items()}}
    if page["kind"] == "match":
        first = reader.games(name, 0)
        records = {str(game[0]): reader.game(name, game[0]) for game in first[:GAMES] if drawable(data)}
        return {"data": data | {"games": first}, "records": records}
    return {}


def drawable(match: Mapping[str, Any]) -> bool:
    from semeai.report.boards import can_be_drawn

    return can_be_drawn(match["game"])


def _chart(chart: Mapping[str, Any]) -> Json:
    """Return a chart of a result table, see ``semeai.table.Chart``, as the page draws it."""
    curves: list[Json] = []
    for curve in chart["curves"]:
        points = [[float(value) for value in point] for point in curve["points"]]
        if any(len(point) != 4 or not all(map(math.isfinite, point)) for point in points):
            raise ValueError("no point of a chart")
        n, mean, lower, upper = (list(values) for values in zip(*points, strict=True))
        curves.append({"label": str(curve["label"]), "paper": not curve["measured"], "n": n, "mean": mean,
                       "lower": lower, "upper": upper})  # fmt: skip
    even = chart["even"]
    return {
        "title": str(chart["title"]),
        "x": str(chart["x"]),
        "y": str(chart["y"]),
        "even": None if even is None else float(even),
        "log": bool(chart["log_x"]) and min((n for curve in curves for n in curve["n"]), default=0) >= 1,
        "curves": curves,
    }


def read_tables(path: Path) -> list[Json]:
    """Return the tables that ``semeai reproduce --json`` has written. Raises ConfigError if the file has others."""
    try:
        found = json.loads(read_bytes(path, limit=MAX_TABLES))
        tables = [
            {
                "title": str(table["title"]),
                "note": str(table["note"]),
                "columns": list(table["rows"][0]) if table["rows"] else [],
                "rows": [[cell if isinstance(cell, int | float | None) else str(cell) for cell in row.values()]
                         for row in table["rows"]],
                "charts": [_chart(chart) for chart in table.get("charts", ())],
            }
            for table in found
        ]  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise ConfigError(f"{path}: it has no tables of `semeai reproduce NAME --json`") from None
    return [texts(table) for table in tables]

"""The report as plain text in Markdown: the same results as the page, without figures."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from semeai.printable import one_line, printable
from semeai.table import Cell, ResultTable, percent

LISTED = 100
"""Candidates in the table of a race."""
_MARKS = re.compile(r"[\\`*_\[\]#]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_report(data: Mapping[str, Any]) -> str:
    """Return the text of ``contents.report_data``."""
    parts = ["# Report"]
    for run in data["runs"]:
        parts += _run(run)
    for table in data["tables"]:
        rows = tuple(tuple(_plain(cell) if isinstance(cell, str) else cell for cell in row) for row in table["rows"])
        columns = tuple(map(_plain, table["columns"]))
        parts.append(ResultTable(_plain(table["title"]), columns, rows, _plain(table["note"])).to_markdown())
    about = data["about"]
    parts += ["## How it was made", "\n".join(f"- {key}: {_code(value)}" for key, value in about.items() if value)]
    return printable("\n\n".join(part.strip() for part in parts) + "\n")


def _run(run: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {_plain(run['kind'].capitalize())} {_code(run['name'])}"
    yield _plain(" ".join(run["data"]["words"]))
    tables = {"race": _race, "match": _match, "evolution": _evolution}
    if run["kind"] in tables:
        yield from tables[run["kind"]](run["data"])
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    digest = f"digest `{run['digest']}`, " if run["kind"] == "race" else ""
    yield f"Seed {run['seed']}, {digest}{_plain(versions)}. State: {_plain(run['state'])}."


def _race(data: Mapping[str, Any]) -> Iterator[str]:
    order = {"accepted": 0, "undecided": 1, "failed": 2}
    rows: list[tuple[Cell, ...]] = []
    effects = {effect[0]: effect for effect in data.get("effects", ())}
    for index, name, verdict, n, total, lower, upper, *_ in sorted(
        data["candidates"], key=lambda row: (order.get(row[2], 3), -(row[4] or 0) / max(row[3], 1))
    )[:LISTED]:
        ends = "" if lower is None else f"{lower:.4f} to {upper:.4f}"
        cells: tuple[Cell, ...] = (_code(name), _plain(verdict), n, f"{total / n:.4f}" if n else "", ends)
        rows.append((*cells, _effect(effects.get(index))) if effects else cells)
    last = [f"{data['effects'][0][1]} difference to the baseline"] if effects else []
    columns = ("candidate", "verdict", "evaluations", "win rate", "always-valid interval", *last)
    more = len(data["candidates"]) - len(rows)
    yield ResultTable("Candidates", columns, tuple(rows), f"And {more:,} more." if more > 0 else "").to_markdown()
    for failure in data.get("failures", ()):
        yield f"Failure of {_code(failure['candidate'])}: {_code(failure['message'])}"
    if (more := data.get("n_failures", 0) - len(data.get("failures", ()))) > 0:
        yield f"And {more:,} more failures."


def _effect(effect: list[Any] | None) -> str:
    if effect is None:
        return ""
    difference, *ends = effect[2:5]
    shown = ["∞" if end is None else f"{end:+.4g}" for end in ends]
    return f"{'' if difference is None else f'{difference:+.4g}'} ({'−' * (ends[0] is None)}{shown[0]} to {shown[1]})"


def _match(data: Mapping[str, Any]) -> Iterator[str]:
    if not data["n_games"]:
        return
    rows: tuple[tuple[Cell, ...], ...] = (
        ("games", data["n_games"]),
        ("score of the first player", percent(data["win_rate"], data["interval"])),
        ("moving first", _score(data["as_first"])),
        ("moving second", _score(data["as_second"])),
        ("draws", data["draws"]),
        ("moves per game", data["moves"]),
    )
    if rating := data.get("rating"):
        rows += tuple((name, shown_rating(rating, key)) for name, key in RATINGS)
        rows += (("pairs with 0, 1/2, 1, 3/2, 2 points", ", ".join(map(str, rating["pentanomial"]))),)
        rows += ((f"LLR of {rating['llr_elo'][1]:g} against {rating['llr_elo'][0]:g} Elo", f"{rating['llr']:+.2f}"),)
    title = f"{_code(data['a'])} against {_code(data['b'])}, {_plain(data['game'])} {_plain(data['board'])}"
    yield ResultTable(title, ("", "value"), rows, "The interval is valid at any number of games.").to_markdown()


RATINGS = (("Elo", "elo"), ("normalised Elo", "normalised_elo"))


def shown_rating(rating: Mapping[str, Any], key: str) -> str:
    """Return an Elo difference with its always-valid interval; infinite ones have no digits."""
    value, *ends = ("∞" if x is None else f"{x:+.1f}" for x in (rating[key], *rating[f"{key}_always_valid_95"]))
    return f"{value} [{', '.join(ends)}]"


def _score(score: list[float]) -> str:
    return f"{score[0]:g} of {score[1]:,}"


def _evolution(data: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        (
            p["name"],
            _code(p["change"]) if p.get("change") else "",
            _code(m["opponent"]),
            _plain(m["budget"]),
            percent(m["win_rate"], m["interval"]),
            m["n_games"],
        )
        for p in data["programs"]
        for m in p["matches"]
    ]
    if rows:
        columns = ("program", "last change", "opponent", "budget", "success rate, 95% Wilson", "games")
        yield ResultTable("Validation", columns, tuple(rows)).to_markdown()
    steps = tuple(
        (s["number"], s["candidates"], _code(s["accepted"]) if s["accepted"] else "", s["discarded"], s["n_games"])
        for s in data["steps"]
    )
    yield ResultTable("Steps", ("step", "candidates", "accepted", "discarded", "games"), steps).to_markdown()


def _code(text: str) -> str:
    """Return a text of the ledger as code: on one line, and nothing in it has a meaning in Markdown."""
    return f"`{one_line(text).replace('`', 'ʼ') or ' '}`"


def _plain(text: str) -> str:
    """Return a text as it is shown: what has a meaning in Markdown or HTML is escaped."""
    return _MARKS.sub(r"\\\g<0>", text).translate(_ENTITIES)

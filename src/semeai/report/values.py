"""Plain JSON values: what a page may get from a ledger."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from semeai.printable import printable
from semeai.stats.bounds import Bounds

Json = dict[str, Any]
MAX_TEXT = 20_000
"""Characters of one text; the middle of a longer one is left out."""
MAX_STDERR = 4_000
"""The same for the standard error of one failure in a list."""


def number(value: float | None, digits: int = 5) -> float | None:
    """Return a number that JSON can hold; None for infinities and for what is no number."""
    return None if value is None or not math.isfinite(value) else round(value, digits)


def interval(bounds: Bounds | None) -> list[float] | None:
    """Return an interval of win rates within [0, 1]."""
    return None if bounds is None else [round(max(0.0, bounds.lower), 5), round(min(1.0, bounds.upper), 5)]


def text(value: Any, most: int = MAX_TEXT) -> str:
    """Return a text of the ledger without characters that change how the rest of a page is read."""
    found = str(value)
    if len(found) > most:
        half = most // 2
        found = f"{found[:half]}\n[… {len(found) - 2 * half:,} characters …]\n{found[-half:]}"
    return printable(found)


def texts(value: Any) -> Any:
    """Return JSON data with all its texts made safe by ``text``."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): texts(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [texts(part) for part in value]
    return number(value, 12) if isinstance(value, float) else value


def thinned(values: Sequence[int], most: int) -> list[int]:
    """Return up to ``most`` indices of a growing sequence, at about equal ratios, with the first and the last."""
    if len(values) <= most:
        return list(range(len(values)))
    low, high = math.log(max(values[0], 1)), math.log(max(values[-1], 2))
    chosen, wanted = [], iter(low + (high - low) * i / (most - 1) for i in range(most))
    target = next(wanted)
    for i, value in enumerate(values):
        if math.log(max(value, 1)) >= target - 1e-12:
            chosen.append(i)
            target = next((w for w in wanted if w > math.log(max(value, 1))), math.inf)
    return [*chosen, len(values) - 1] if chosen[-1] != len(values) - 1 else chosen


def counted(items: Iterable[str]) -> dict[str, int]:
    """Return how often each item occurs, the most frequent first."""
    found: dict[str, int] = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def moment_of(recorded: str) -> float:
    """Return a time of the ledger in seconds since 1970; a damaged one counts as the beginning."""
    try:
        return datetime.fromisoformat(recorded).astimezone(UTC).timestamp()
    except (ValueError, TypeError):
        return 0.0

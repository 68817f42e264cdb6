"""The pace of a run that is under way, as counts from which a page tells results per second at any later moment.

They are the results of the last minute in which there were any and, where results are rare, the last few dozen of them.
A page divides by the time up to its own present, so the pace of a run that makes no progress falls towards zero.
"""

from collections.abc import Sequence

from sqlalchemy import Table, select

from semeai.report.values import Json, moment_of, number
from semeai.store import schema
from semeai.store.kinds import table_named
from semeai.store.ledger import Ledger, RunInfo

RECENT = 400
"""Results that are looked at."""
MINUTE = 60.0
FEWEST = 32
"""Results that are counted even if they took longer than a minute."""
Result = tuple[int, float, float]
"""Number of evaluations or games, worker seconds, and the moment of recording."""


def pace(results: Sequence[Result]) -> Json:
    """Return the number of results since a moment (seconds since 1970), and the worker seconds that they took."""
    if not results:
        return {}
    found = sorted(results, key=lambda result: -result[2])
    latest = found[0][2]
    n = max(FEWEST, sum(when > latest - MINUTE for *_, when in found))
    recent = found[:n]
    since = found[n][2] if n < len(found) else min(when - seconds for _, seconds, when in recent)
    return {
        "results": sum(size for size, *_ in recent),
        "worker_seconds": number(sum(seconds for _, seconds, _ in recent), 2),
        "since": number(since, 2),
    }


def present_pace(ledger: Ledger, run: RunInfo) -> Json:
    """Return the pace of a run; that of its newest part with results if it has none of its own, as an evolution."""
    if results := _recent(ledger, run):
        return pace(results)
    for part in reversed(ledger.runs()):
        if part.name.startswith(f"{run.name}/") and (results := _recent(ledger, part)):
            return pace(results)
    return {}


def _recent(ledger: Ledger, run: RunInfo) -> list[Result]:
    if run.kind == "race":
        return _last(ledger, run.id, schema.batches, "size", "seconds")
    return _last(ledger, run.id, table_named("games")) if run.kind == "match" else []


def _last(ledger: Ledger, run_id: int, table: Table, size: str = "", seconds: str = "") -> list[Result]:
    columns = [table.c.recorded_at, *(table.c[name] for name in (size, seconds) if name)]
    query = select(*columns).where(table.c.run_id == run_id).order_by(table.c.number.desc()).limit(RECENT)
    with ledger.reading() as connection:
        if not ledger.has(connection, table):
            return []
        rows = [tuple(row) for row in connection.execute(query)]
    return [(row[1], row[2], moment_of(row[0])) if size else (1, 0.0, moment_of(row[0])) for row in rows]

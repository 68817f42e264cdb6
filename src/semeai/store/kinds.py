"""Kinds of runs: which tables of their own they bring to a ledger.

A race needs the tables of ``schema`` only. Another kind is an entry point of the group ``semeai.run_kinds``, so the
ledger can read its rows without knowing what they mean.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Table

from semeai.errors import ConfigError, did_you_mean
from semeai.registry import Registry
from semeai.store import schema


@dataclass(frozen=True)
class RunKind:
    tables: tuple[Table, ...] = ()
    """Tables for the rows of this kind, besides those of races."""


KINDS: Registry[RunKind] = Registry("kind of run", "semeai.run_kinds")
KINDS.add("race", RunKind())


def tables() -> dict[str, Table]:
    """Return the tables that hold rows of runs, by name."""
    return {table.name: table for table in (*schema.RACE_TABLES, *(t for k in KINDS.values() for t in k.tables))}


def table_named(name: str) -> Table:
    """Return a table that holds rows of runs. Raises ConfigError if there is none of that name."""
    known = tables()
    if name not in known:
        raise ConfigError(f"no table {name!r}: {did_you_mean(name, known)}")
    return known[name]


def result_tables() -> Iterator[Table]:
    """Yield the tables whose rows are results with a time."""
    yield schema.batches
    for kind in KINDS.values():
        yield from (table for table in kind.tables if "recorded_at" in table.c)

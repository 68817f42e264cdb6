"""Kinds of runs and the additional tables that they need in a ledger.

A race needs only the tables of ``schema``; one that compares numbers has ``measurements`` too. Other kinds are entry
points of the group ``semeai.run_kinds``, so the ledger can read their rows without knowing what they mean.
"""

from dataclasses import dataclass

from sqlalchemy import Table

from semeai.errors import ConfigError, did_you_mean
from semeai.registry import Registry
from semeai.store import schema


@dataclass(frozen=True)
class RunKind:
    """A kind of run, such as a race."""

    tables: tuple[Table, ...] = ()
    """Additional tables for rows of this kind, made by ``schema.run_table``."""


KINDS: Registry[RunKind] = Registry("kind of run", "semeai.run_kinds")
KINDS.add("race", RunKind((schema.measurements,)))


_OWN = {table.name: table for table in (*schema.RACE_TABLES, schema.measurements, schema.totals, schema.checkpoints)}


def tables() -> dict[str, Table]:
    """Return all tables with rows of runs, by name."""
    return _OWN | {table.name: table for kind in KINDS.values() for table in kind.tables}


def table_named(name: str) -> Table:
    """Return a table with rows of runs. Raises ConfigError if no table has this name.

    Other kinds of runs are loaded only if a race has no such table.
    """
    if name in _OWN:
        return _OWN[name]
    known = tables()
    if name not in known:
        raise ConfigError(f"no table {name!r}: {did_you_mean(name, known)}")
    return known[name]

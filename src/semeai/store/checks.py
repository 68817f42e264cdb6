"""Checksums of rows, and their running sums, by which damage to a ledger is found.

The sum of a table's checksums does not depend on the order of the rows, so games may be recorded as they end. Checksums
find accidents (a bad disk, a cut file, an edit by hand), not a forger, who could compute them too.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import JSON, Float, Table

from semeai.store import schema

_MODULUS = 1 << 128


@cache
def _columns(table: Table) -> tuple[tuple[str, bool, bool], ...]:
    """Return name, whether it is a float and whether it is JSON, for each column that the checksum covers."""
    return tuple(
        (column.name, isinstance(column.type, Float), isinstance(column.type, JSON))
        for column in table.columns
        if column.name != "checksum"
    )


def row_checksum(table: Table, row: Mapping[str, Any]) -> str:
    """Return the checksum of a row: 128 bits in hexadecimal digits."""
    values: list[Any] = [table.name]
    for name, is_float, is_json in _columns(table):
        value = row[name]
        if is_float and value is not None:
            value = float(value)  # a database returns the integer 2 as 2.0
        elif is_json:
            value = json.dumps(value, sort_keys=True)
        values.append(value)
    return _hash(values)


def damaged_row(table: Table, rows: Iterable[Sequence[Any]]) -> dict[str, Any] | None:
    """Return the first row, as it is read, whose checksum is not that of its other values; None if all are sound."""
    names, has_json = table.columns.keys(), any(is_json for _, _, is_json in _columns(table))
    for row in rows:
        if has_json:
            recorded, found = row[-1], row_checksum(table, dict(zip(names, row, strict=True)))
        else:  # numbers have the types of their columns
            values = [table.name, *row]
            recorded, found = values.pop(), _hash(values)
        if found != recorded:
            return dict(zip(names, row, strict=True))
    return None


def _hash(values: Sequence[Any]) -> str:
    return hashlib.sha256(json_list(values).encode()).hexdigest()[:32]


def _encoder() -> Callable[[Sequence[Any], int], Iterable[str]]:
    """Return the part of the json library that writes values: that in C if there is one, made once for all rows."""
    made: Any = getattr(json.encoder, "c_make_encoder", None)
    plain = json.JSONEncoder()
    if made is None:
        return lambda values, level: plain.iterencode(values)
    quoted = json.encoder.encode_basestring_ascii
    found: Callable[[Sequence[Any], int], Iterable[str]]
    found = made(None, plain.default, quoted, None, ": ", ", ", False, False, True)
    return found


_encode = _encoder()


def json_list(values: Sequence[Any]) -> str:
    """Return ``json.dumps(values)``, in a third of the time: looking at a large ledger is mostly this."""
    return "".join(_encode(values, 0))


@dataclass
class Head:
    """Number of rows of a run in one table, the sum of their checksums, and of the hashes that make the digest."""

    n_rows: int = 0
    checksums: int = 0
    digests: int = 0
    updated_at: str = ""
    """Latest time of a row; empty for rows without times."""

    def add(self, table: Table, row: Mapping[str, Any]) -> None:
        """Count a row that has a checksum."""
        self.count(row["checksum"])
        if identity := table.info["identity"]:
            self.digests = (self.digests + int(_hash([row[name] for name in identity]), 16)) % _MODULUS
        self.updated_at = max(self.updated_at, row.get("recorded_at", ""))

    def count(self, *checksums: str) -> None:
        """Count rows by their checksums alone, without their part of the digest and their times."""
        self.n_rows += len(checksums)
        self.checksums = (self.checksums + sum([int(checksum, 16) for checksum in checksums])) % _MODULUS

    def remove(self, checksum: str) -> None:
        """Take back a row of a table whose rows have no digests, before another one replaces it."""
        self.n_rows -= 1
        self.checksums = (self.checksums - int(checksum, 16)) % _MODULUS

    def to_row(self, run_id: int, table: str) -> dict[str, Any]:
        row = {
            "run_id": run_id,
            "table_name": table,
            "n_rows": self.n_rows,
            "checksums": f"{self.checksums:032x}",
            "digests": f"{self.digests:032x}",
            "updated_at": self.updated_at,
        }
        return {**row, "checksum": row_checksum(schema.heads, row)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Head":
        return cls(row["n_rows"], int(row["checksums"], 16), int(row["digests"], 16), row["updated_at"])


def head_rows(run_id: int, heads: Mapping[str, Head]) -> list[dict[str, Any]]:
    """Return the rows of ``heads`` for a run. The last one counts the others, so that none can be lost unseen."""
    rows = [head.to_row(run_id, name) for name, head in heads.items() if head.n_rows and name != "heads"]
    whole = Head()
    for row in rows:
        whole.count(row["checksum"])
    return [*rows, whole.to_row(run_id, "heads")]


def heads_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Head] | None:
    """Return the heads of a run by table name; None if their rows are not those that were recorded."""
    found, whole, recorded = {}, Head(), None
    for row in rows:
        if row_checksum(schema.heads, row) != row["checksum"]:
            return None
        if row["table_name"] == "heads":
            recorded = Head.from_row(row)
        else:
            found[row["table_name"]] = Head.from_row(row)
            whole.count(row["checksum"])
    return found if recorded == whole else None


def digest_of(heads: Mapping[str, Head], tables: Sequence[Table]) -> str:
    """Return the digest of a run from the heads of the tables that count for it."""
    found = [heads.get(table.name, Head()) for table in tables]
    text = json.dumps([[table.name, head.n_rows, head.digests] for table, head in zip(tables, found, strict=True)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]

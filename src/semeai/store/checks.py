"""Checksums of rows, and their running sums, by which damage to a ledger is found.

The sum of a table's checksums does not depend on the order of the rows, so games may be recorded as they end. Checksums
find accidents (a bad disk, a cut file, an edit by hand), not a forger, who could compute them too.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import JSON, Float, Table

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


def _hash(values: Sequence[Any]) -> str:
    return hashlib.sha256(json_list(values).encode()).hexdigest()[:32]


_quoted = json.encoder.encode_basestring_ascii


def json_list(values: Sequence[Any]) -> str:
    """Return ``json.dumps(values)``, in two thirds of the time if they are numbers, texts and None.

    A large ledger has millions of rows, and looking at it is mostly this.
    """
    texts = []
    for value in values:
        kind = type(value)
        if kind is str:
            texts.append(_quoted(value))
        elif kind is int or (kind is float and math.isfinite(value)):
            texts.append(repr(value))
        elif value is None:
            texts.append("null")
        else:
            texts.append(json.dumps(value))
    return f"[{', '.join(texts)}]"


@dataclass
class Head:
    """Number of rows of a run in one table, the sum of their checksums, and of the hashes that make the digest."""

    n_rows: int = 0
    checksums: int = 0
    digests: int = 0

    def add(self, table: Table, row: Mapping[str, Any]) -> None:
        """Count a row that has a checksum."""
        self.n_rows += 1
        self.checksums = (self.checksums + int(row["checksum"], 16)) % _MODULUS
        if identity := table.info["identity"]:
            self.digests = (self.digests + int(_hash([row[name] for name in identity]), 16)) % _MODULUS

    def to_row(self) -> dict[str, Any]:
        return {"n_rows": self.n_rows, "checksums": f"{self.checksums:032x}", "digests": f"{self.digests:032x}"}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Head":
        return cls(row["n_rows"], int(row["checksums"], 16), int(row["digests"], 16))


def digest_of(heads: Mapping[str, Head], tables: Sequence[Table]) -> str:
    """Return the digest of a run from the heads of the tables that count for it."""
    found = [heads.get(table.name, Head()) for table in tables]
    text = json.dumps([[table.name, head.n_rows, head.digests] for table, head in zip(tables, found, strict=True)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]

"""A database of patterns (the papers' AE): nested neighbourhoods with Bradley-Terry strengths, and its file.

The file is a NumPy archive without pickled objects. The identity of a player depends on the digest of the patterns
alone, not on the place of the file.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.archives import Wanted, read_arrays
from semeai.errors import ConfigError
from semeai.files import replace_file
from semeai.games.go.kernels.neighbourhoods import GO_DATABASE, MAX_PATTERNS, N_SIZES, fill_table, value_moves
from semeai.games.learnt import OWN, split_setting
from semeai.games.protocol import SCRATCH
from semeai.mirror import located

VERSION = 2
"""Version of the file; version 1 had other keys."""
_ARRAYS = {
    "version": Wanted("i"), "keys": Wanted("u", 1), "sizes": Wanted("u", 1), "weights": Wanted("f", 1),
    "about": Wanted("U"), "digest": Wanted("U"),
}  # fmt: skip
_MOST_BYTES = 64 * MAX_PATTERNS
"""Limit of the unpacked size; a larger file is refused before it is unpacked."""
_MOST_WEIGHT = 60.0


@dataclass(frozen=True, eq=False)
class Database:
    """A database in memory: patterns in the order of their keys."""

    keys: NDArray[np.uint64]
    sizes: NDArray[np.uint8]
    """The size of each pattern, as an index of ``neighbourhoods.DISTANCES``."""
    weights: NDArray[np.float32]
    """The logarithm of the strength of each pattern; 0 is the strength of a point that no pattern fits."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """How the database was learnt; not part of the digest."""

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def digest(self) -> str:
        """Sixteen letters that identify the patterns."""
        parts = (str(VERSION).encode(), self.keys.astype("<u8"), self.sizes.astype("u1"), self.weights.astype("<f4"))
        found = hashlib.sha256()
        for part in parts:
            found.update(part if isinstance(part, bytes) else part.tobytes())
        return found.hexdigest()[:16]

    @property
    def table_bytes(self) -> int:
        """Memory that the look-up uses: one key and one strength per slot."""
        return (int(self.table()[0]["mask"]) + 1) * (8 + 4)

    def by_size(self) -> list[int]:
        """Return the number of patterns of each size."""
        return [int(n) for n in np.bincount(self.sizes, minlength=N_SIZES)]

    def table(self) -> NDArray[Any]:
        """Return the record that kernels read, of shape (1,)."""
        record = np.zeros(1, GO_DATABASE)
        self.compile(record[0], 0.0, 1.0)
        return record

    def compile(self, table: Any, visits: float, heuristic: float, exponent: float = 1.0) -> None:
        """Write the patterns into ``table``, a zeroed record of GO_DATABASE; strengths are raised to ``exponent``."""
        table["visits"], table["heuristic"], table["unknown"] = visits, heuristic, 1.0
        fill_table(table, self.keys, np.exp(np.float32(exponent) * self.weights))

    def save(self, path: Path) -> None:
        """Write the file. Equal databases give equal bytes."""
        arrays = {
            "version": np.array(VERSION),
            "keys": self.keys.astype("<u8"),
            "sizes": self.sizes.astype("u1"),
            "weights": self.weights.astype("<f4"),
            "about": np.array(json.dumps(dict(self.about), sort_keys=True)),
            "digest": np.array(self.digest),
        }
        written = io.BytesIO()
        np.savez_compressed(written, allow_pickle=False, **arrays)
        replace_file(path, written.getvalue(), "database")


def database_values(states: NDArray[Any], database: Database, moves: Sequence[int]) -> NDArray[np.float32]:
    """Return the strength of each move divided by the greatest, as kernels see it; ``states`` belongs to a position."""
    scratch = np.zeros(1, SCRATCH)
    value_moves(states, database.table(), scratch, np.array(moves, np.int64))
    values: NDArray[np.float32] = scratch[0]["heuristic"][: len(moves)]
    return values


def load_database(path: str | Path) -> Database:
    """Read and check a file. Raises ConfigError in one sentence if anything is wrong with it."""
    arrays = read_arrays(path, "database", _ARRAYS, _MOST_BYTES)
    if int(arrays["version"]) != VERSION:
        version = int(arrays["version"])
        raise ConfigError(f"database {path}: is of version {version}, and this program reads version {VERSION}")
    database = _checked(arrays, path)
    if database.digest != str(arrays["digest"]):
        raise ConfigError(f"database {path}: is damaged: its patterns have not the digest {arrays['digest']!s:.16}")
    return database


def _checked(arrays: Mapping[str, NDArray[Any]], path: str | Path) -> Database:
    keys, sizes, weights = arrays["keys"], arrays["sizes"], arrays["weights"]
    wrong = ""
    if not len(keys) == len(sizes) == len(weights):
        wrong = f"it has {len(keys)} keys, {len(sizes)} sizes and {len(weights)} weights"
    elif not 0 < len(keys) <= MAX_PATTERNS:
        wrong = f"it has {len(keys):,} patterns, and 1 to {MAX_PATTERNS:,} are possible"
    elif keys[0] == 0 or not (keys[1:] > keys[:-1]).all():
        wrong = "its keys are not in order"
    elif (sizes >= N_SIZES).any():
        wrong = f"a size is {sizes.max()}, and the largest is {N_SIZES - 1}"
    elif not (np.abs(weights) <= _MOST_WEIGHT).all():
        wrong = f"a weight is not between -{_MOST_WEIGHT:g} and {_MOST_WEIGHT:g}"
    try:
        about = json.loads(str(arrays["about"]))
    except (ValueError, RecursionError):
        about = None
    if not wrong and not isinstance(about, dict):
        wrong = "what it says of itself cannot be read"
    if wrong:
        raise ConfigError(f"database {path}: {wrong}")
    return Database(keys.astype(np.uint64), sizes.astype(np.uint8), weights.astype(np.float32), about)


# A player's setting ``policy.database`` is "DIGEST@FILE": the identity of the database, and where it was found.

OWN_FILE = "database.npz"
"""The file of the database that comes with semeai, in this package."""
OWN_DATABASE = f"5803d42d01d58ee0@{OWN}"


def setting_of(path: str | Path, name: str | None = None) -> str:
    """Read and check a file. Returns its setting, with ``name`` (default: the path) as the place."""
    return f"{load_database(path).digest}@{path if name is None else name}"


@lru_cache(maxsize=4)
def database_of(setting: str) -> Database:
    """Return the database of a setting, read once per process. Raises ConfigError if the file has changed."""
    digest, place = split_setting(setting, "database")
    if place == OWN:
        place = str(files("semeai.games.go") / OWN_FILE)
    elif not place:
        raise ConfigError(f"the database {digest} is known by its digest only: name its file with database=FILE")
    found = load_database(located(place))
    if found.digest != digest:
        raise ConfigError(
            f"database {place}: has changed: it was {digest} when the player was read, now {found.digest}"
        )
    return found

"""Files of move models, and the setting ``policy.model`` of a player."""

import hashlib
import io
import json
from collections.abc import Mapping
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
from semeai.games.go.database import split_setting
from semeai.games.go.kernels.features import FIRST_ID, N_IDS, SLOTS, WIDTH
from semeai.games.go.kernels.move_model import GO_MODEL, MAX_SHAPES, fill_model
from semeai.games.patterns.policy import OWN
from semeai.mirror import located

VERSION = 1
_ARRAYS = {
    "version": Wanted("i"), "rows": Wanted("f", 1), "keys": Wanted("u", 1), "shapes": Wanted("f", 1),
    "about": Wanted("U"), "digest": Wanted("U"),
}  # fmt: skip
_MOST_BYTES = 16 * MAX_SHAPES + 8 * N_IDS * WIDTH + 100_000
_MOST_WEIGHT = 60.0


@dataclass(frozen=True, eq=False)
class MoveModel:
    """A move model in memory."""

    rows: NDArray[np.float32]
    """Weight and factors of each value of each slot, see ``features.SLOTS``."""
    keys: NDArray[np.uint32]
    """Keys of the known shapes, in order."""
    shapes: NDArray[np.float32]
    """Weight of each shape."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What the model was learnt from, and how; not part of the digest."""

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def digest(self) -> str:
        """Sixteen letters that identify the weights."""
        found = hashlib.sha256(f"move model {VERSION}".encode())
        for part in (self.rows.astype("<f4"), self.keys.astype("<u4"), self.shapes.astype("<f4")):
            found.update(part.tobytes())
        return found.hexdigest()[:16]

    def of_slot(self, name: str) -> NDArray[np.float32]:
        """Return the weights of one slot's values."""
        slot = list(SLOTS).index(name)
        return self.rows[FIRST_ID[slot] : FIRST_ID[slot + 1], 0]

    @cached_property
    def _table(self) -> NDArray[Any]:
        """The record that kernels read, of shape (1,); to copy it is faster than to fill it."""
        record = np.zeros(1, GO_MODEL)
        fill_model(record[0], self.rows, self.keys, self.shapes)
        return record

    def compile(self, policy: Any, even: float, visits: float, heuristic: float, exponent: float) -> None:
        """Write the model into ``policy``, a record of GO_POLICY."""
        policy["model"] = self._table[0]
        table = policy["model"]
        table["even"], table["visits"], table["heuristic"], table["exponent"] = even, visits, heuristic, exponent

    def save(self, path: Path) -> None:
        """Write the file. Equal models give equal bytes."""
        arrays = {
            "version": np.array(VERSION),
            "rows": self.rows.astype("<f4").ravel(),
            "keys": self.keys.astype("<u4"),
            "shapes": self.shapes.astype("<f4"),
            "about": np.array(json.dumps(dict(self.about), sort_keys=True)),
            "digest": np.array(self.digest),
        }
        written = io.BytesIO()
        np.savez_compressed(written, allow_pickle=False, **arrays)
        replace_file(path, written.getvalue(), "move model")


def load_model(path: str | Path) -> MoveModel:
    """Read and check a file. Raises ConfigError in one sentence if anything is wrong with it."""
    arrays = read_arrays(path, "move model", _ARRAYS, _MOST_BYTES)
    if int(arrays["version"]) != VERSION:
        version = int(arrays["version"])
        raise ConfigError(f"move model {path}: is of version {version}, and this program reads version {VERSION}")
    model = _checked(arrays, path)
    if model.digest != str(arrays["digest"]):
        raise ConfigError(f"move model {path}: is damaged: its weights have not the digest {arrays['digest']!s:.16}")
    return model


def _checked(arrays: Mapping[str, NDArray[Any]], path: str | Path) -> MoveModel:
    rows, keys, shapes = arrays["rows"], arrays["keys"], arrays["shapes"]
    wrong = ""
    if len(rows) != N_IDS * WIDTH:
        wrong = f"it has {len(rows)} weights of features, and this program needs {N_IDS * WIDTH}"
    elif len(keys) != len(shapes):
        wrong = f"it has {len(keys)} keys and {len(shapes)} weights of shapes"
    elif not 0 < len(keys) <= MAX_SHAPES:
        wrong = f"it has {len(keys):,} shapes, and 1 to {MAX_SHAPES:,} are possible"
    elif keys.max() >= 2**32 or keys[0] == 0 or not (keys[1:] > keys[:-1]).all():
        wrong = "its keys are not in order"
    elif not all((np.abs(part) <= _MOST_WEIGHT).all() for part in (rows, shapes)):
        wrong = f"a weight is not between -{_MOST_WEIGHT:g} and {_MOST_WEIGHT:g}"
    try:
        about = json.loads(str(arrays["about"]))
    except (ValueError, RecursionError):
        about = None
    if not wrong and not isinstance(about, dict):
        wrong = "what it says of itself cannot be read"
    if wrong:
        raise ConfigError(f"move model {path}: {wrong}")
    return MoveModel(
        rows.astype(np.float32).reshape(-1, WIDTH), keys.astype(np.uint32), shapes.astype(np.float32), about
    )


# A player's setting ``policy.model`` is "DIGEST@FILE", as for databases.

OWN_FILE = "model.npz"
"""The file of the model that comes with semeai, in this package."""
OWN_MODEL = f"f8561330afc5df71@{OWN}"


def setting_of(path: str | Path, name: str | None = None) -> str:
    """Read and check a file. Returns its setting, with ``name`` (default: the path) as the place."""
    return f"{load_model(path).digest}@{path if name is None else name}"


@lru_cache(maxsize=4)
def model_of(setting: str) -> MoveModel:
    """Return the model of a setting, read once per process. Raises ConfigError if the file has changed."""
    digest, place = split_setting(setting, "model")
    if place == OWN:
        place = str(files("semeai.games.go") / OWN_FILE)
    elif not place:
        raise ConfigError(f"the move model {digest} is known by its digest only: name its file with model=FILE")
    found = load_model(located(place))
    if found.digest != digest:
        raise ConfigError(
            f"move model {place}: has changed: it was {digest} when the player was read, now {found.digest}"
        )
    return found

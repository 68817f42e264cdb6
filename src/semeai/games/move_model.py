"""Move models: weights of features that say how likely a strong player chooses each move, and their files.

The strength of a move is exp of the sum of the weights of its features and shapes, and of the products of the factors
of each two of its features. Which features there are is up to each game.
"""

import hashlib
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from semeai.archives import Wanted, read_arrays
from semeai.errors import ConfigError
from semeai.files import replace_file
from semeai.games.learnt import NONE, OWN, checked_setting, split_setting
from semeai.games.patterns.policy import PatternPolicy
from semeai.mirror import located

Visits = Annotated[float, Field(ge=0, le=1e6)]
Factor = Annotated[float, Field(ge=0, le=10)]

VERSION = 1
_ARRAYS = {
    "version": Wanted("i"), "rows": Wanted("f", 1), "keys": Wanted("u", 1), "shapes": Wanted("f", 1),
    "about": Wanted("U"), "digest": Wanted("U"),
}  # fmt: skip
_MOST_WEIGHT = 60.0


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a game's moves, as the kernels of the game number them."""

    game: str
    slots: Mapping[str, int]
    """Number of values of each slot. A move has one value of each."""
    groups: Mapping[str, tuple[Sequence[str], Sequence[int]]]
    """Groups of features by name: names of slots, and indices of keys."""
    width: int = 1
    """Numbers per value of a slot: its weight, and its factors."""
    first_keys: tuple[bool, ...] = ()
    """For each key of a move: whether it has no smaller shape before it, in which it would lie."""
    max_shapes: int = 0
    """Largest number of shapes of a model."""
    own_model: str = ""
    """The setting of the model that comes with semeai."""
    factors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Settings that multiply weights, and the groups whose weights they multiply. One of them has all shapes."""

    @property
    def n_ids(self) -> int:
        return sum(self.slots.values())

    @property
    def n_slots(self) -> int:
        return len(self.slots)

    @property
    def n_keys(self) -> int:
        return len(self.first_keys)

    @property
    def most_bytes(self) -> int:
        """Limit of the unpacked size of a file; a larger one is refused before it is unpacked."""
        return 16 * self.max_shapes + 8 * self.n_ids * self.width + 100_000

    def used_by(self, groups: Sequence[str]) -> NDArray[np.bool_]:
        """Return which slots and keys belong to the groups."""
        used = np.zeros(self.n_slots + self.n_keys, np.bool_)
        for group in groups:
            slots, keys = self.groups[group]
            used[[list(self.slots).index(slot) for slot in slots]] = True
            used[[self.n_slots + k for k in keys]] = True
        return used


@dataclass(frozen=True, eq=False)
class MoveModel:
    """A move model in memory."""

    features: Features
    rows: NDArray[np.float32]
    """Weight and factors of each value of each slot."""
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
        game = "" if self.features.game == "go" else f" {self.features.game}"  # Go's models were the first ones
        found = hashlib.sha256(f"move model {VERSION}{game}".encode())
        for part in (self.rows.astype("<f4"), self.keys.astype("<u4"), self.shapes.astype("<f4")):
            found.update(part.tobytes())
        return found.hexdigest()[:16]

    def of_slot(self, name: str) -> NDArray[np.float32]:
        """Return the weights of one slot's values."""
        sizes = list(self.features.slots.values())
        slot = list(self.features.slots).index(name)
        return self.rows[sum(sizes[:slot]) : sum(sizes[: slot + 1]), 0]

    def scaled(self, factors: Sequence[float]) -> "MoveModel":
        """Return the model with the weights of its groups multiplied, by one number for each of ``features.factors``.

        What two features say together is multiplied by the square root of both their numbers: in one group by its own.
        """
        f = self.features
        rows, shapes, sizes = self.rows.copy(), self.shapes, list(f.slots.values())
        for factor, groups in zip(factors, f.factors.values(), strict=True):
            used = f.used_by(groups)
            here = np.repeat(used[: f.n_slots], sizes)
            rows[here, :1] *= np.float32(factor)
            rows[here, 1:] *= np.float32(math.sqrt(factor))
            if used[f.n_slots :].any():
                shapes = shapes * np.float32(factor)
        return MoveModel(f, rows, self.keys, shapes, self.about)

    def save(self, path: Path) -> None:
        """Write the file. Equal models give equal bytes."""
        arrays = {
            "version": np.array(VERSION),
            "rows": self.rows.astype("<f4").ravel(),
            "keys": self.keys.astype("<u4"),
            "shapes": self.shapes.astype("<f4"),
            "about": np.array(json.dumps({**self.about, "game": self.features.game}, sort_keys=True)),
            "digest": np.array(self.digest),
        }
        written = io.BytesIO()
        np.savez_compressed(written, allow_pickle=False, **arrays)
        replace_file(path, written.getvalue(), "move model")


def load_model(path: str | Path, features: Features) -> MoveModel:
    """Read and check a file. Raises ConfigError in one sentence if anything is wrong with it."""
    arrays = read_arrays(path, "move model", _ARRAYS, features.most_bytes)
    if int(arrays["version"]) != VERSION:
        version = int(arrays["version"])
        raise ConfigError(f"move model {path}: is of version {version}, and this program reads version {VERSION}")
    model = _checked(arrays, path, features)
    if model.digest != str(arrays["digest"]):
        raise ConfigError(f"move model {path}: is damaged: its weights have not the digest {arrays['digest']!s:.16}")
    return model


def _checked(arrays: Mapping[str, NDArray[Any]], path: str | Path, features: Features) -> MoveModel:
    rows, keys, shapes = arrays["rows"], arrays["keys"], arrays["shapes"]
    try:
        about = json.loads(str(arrays["about"]))
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise ConfigError(f"move model {path}: what it says of itself cannot be read")
    game, needed = about.get("game", "go"), features.n_ids * features.width
    wrong = ""
    if game != features.game:
        wrong = f"is for {game!s:.50}, and a model for {features.game} is needed"
    elif len(rows) != needed:
        wrong = f"it has {len(rows)} weights of features, and this program needs {needed}"
    elif len(keys) != len(shapes):
        wrong = f"it has {len(keys)} keys and {len(shapes)} weights of shapes"
    elif not min(1, features.max_shapes) <= len(keys) <= features.max_shapes:
        wrong = f"it has {len(keys):,} shapes, and 1 to {features.max_shapes:,} are possible"
    elif len(keys) and (keys.max() >= 2**32 or keys[0] == 0 or not (keys[1:] > keys[:-1]).all()):
        wrong = "its keys are not in order"
    elif not all((np.abs(part) <= _MOST_WEIGHT).all() for part in (rows, shapes)):
        wrong = f"a weight is not between -{_MOST_WEIGHT:g} and {_MOST_WEIGHT:g}"
    if wrong:
        raise ConfigError(f"move model {path}: {wrong}")
    table = rows.astype(np.float32).reshape(-1, features.width)
    return MoveModel(features, table, keys.astype(np.uint32), shapes.astype(np.float32), about)


# A player's setting ``policy.model`` is "DIGEST@FILE", as for databases.

OWN_FILE = "model.npz"
"""The file of the model that comes with semeai, in the package of its game."""


def setting_of(path: str | Path, features: Features, name: str | None = None) -> str:
    """Read and check a file. Returns its setting, with ``name`` (default: the path) as the place."""
    return f"{load_model(path, features).digest}@{path if name is None else name}"


@lru_cache(maxsize=4)
def model_of(setting: str, features: Features) -> MoveModel:
    """Return the model of a setting, read once per process. Raises ConfigError if the file has changed."""
    digest, place = split_setting(setting, "model")
    if place == OWN:
        place = str(files(f"semeai.games.{features.game}") / OWN_FILE)
    elif not place:
        raise ConfigError(f"the move model {digest} is known by its digest only: name its file with model=FILE")
    found = load_model(located(place), features)
    if found.digest != digest:
        raise ConfigError(
            f"move model {place}: has changed: it was {digest} when the player was read, now {found.digest}"
        )
    return found


@lru_cache(maxsize=8)
def _scaled(model: MoveModel, factors: tuple[float, ...]) -> MoveModel:
    """Return the same object for the same factors, so that what is compiled from it is kept."""
    return model.scaled(factors)


class ModelPolicy(PatternPolicy):
    """The base of a game's policy whose nodes ask a move model."""

    features: ClassVar[Features]

    model: str = ""
    """A move model: the digest of its weights and where it lies. ``model=FILE`` reads a file that ``semeai learn``
    wrote, ``model=own`` takes the one that comes with semeai, ``model=none`` none."""
    model_even: Visits = 10.0
    """Visits that say nothing, half of them won, for players with a model; it replaces the simple features."""
    model_visits: Visits = 80.0
    """Virtual visits, all won, that the most likely move gets in the RAVE statistics; others get fewer."""
    model_heuristic: Annotated[float, Field(ge=0, le=1e6)] = 0.2
    """What that move gets in H, for choices without RAVE, progressive bias and progressive widening."""
    model_exponent: Annotated[float, Field(gt=0, le=10)] = 0.5
    """A move gets this power of its probability divided by the greatest one, of both: below 1 the others get more."""

    @classmethod
    def added_settings(cls) -> tuple[str, ...]:
        """Return the settings that are younger than some players, whose identities leave them out at their defaults."""
        return tuple(cls.features.factors)

    @classmethod
    def model_setting(cls, name: str, folder: Path) -> str:
        """Return the setting ``model`` for ``own``, for ``none``, or for the file ``name`` in ``folder``."""
        if name in (OWN, NONE):
            return cls.features.own_model if name == OWN else ""
        return setting_of(folder / name, cls.features, name)

    @field_validator("model")
    @classmethod
    def _names_a_model(cls, setting: str) -> str:
        return checked_setting(setting, "model", cls.features.own_model)

    def scaled_model(self) -> MoveModel:
        """Return the model with its groups of features weighed as the settings say."""
        factors = tuple(getattr(self, name) for name in self.features.factors)
        model = model_of(self.model, self.features)
        return model if all(factor == 1.0 for factor in factors) else _scaled(model, factors)

    def write_model(self, table: Any) -> None:
        """Write what is equal in all games into the record ``table`` of a model."""
        table["even"], table["visits"] = self.model_even, self.model_visits
        table["heuristic"], table["exponent"] = self.model_heuristic, self.model_exponent

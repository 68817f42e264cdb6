"""Opening suites of a match: a file of openings, known by its contents and not by its place.

The setting ``suite`` is written as ``FILE``, or ``own`` for the suite that comes with the game. ``located`` makes it
``DIGEST@PATH``, and identities keep the digest alone. Workers read the file again, and it must be unchanged.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from semeai import mirror
from semeai.errors import ConfigError
from semeai.files import read_bytes
from semeai.games.catalog import game_named
from semeai.games.opening import Opening
from semeai.work.needs import Needs

OWN = "own"
MAX_BYTES = 100_000_000
_DIGEST = re.compile(r"[0-9a-f]{16}")


def located(setting: str, game: str, folder: str | Path) -> str:
    """Return a suite as ``DIGEST@PATH``. Raises ConfigError if there is no such file, or no opening in it."""
    if not setting or "@" in setting or _DIGEST.fullmatch(setting):
        return setting
    place = setting if setting == OWN else str((Path(folder) / setting).resolve())
    data = _contents(place, game)
    found = f"{_digest(data)}@{place}"
    _read(found, game)
    return found


def digest_of(setting: str) -> str:
    """Return the part of a suite's setting that identifies it."""
    return setting.partition("@")[0]


def needs_of_suite(setting: str) -> Needs:
    """Return the file of a located suite, for workers on other machines."""
    place = setting.partition("@")[2]
    return Needs(frozenset({place}) if place not in ("", OWN) else frozenset())


def openings_of(setting: str, game: str) -> Sequence[Opening]:
    """Return the openings of a located suite, at least one."""
    return _read(setting, game)


@lru_cache(maxsize=4)
def _read(setting: str, game: str) -> Sequence[Opening]:
    digest, _, place = setting.partition("@")
    if not place:
        raise ConfigError(f"suite {setting!r} is known by its contents only: give the file")
    data = _contents(place, game)
    if _digest(data) != digest:
        raise ConfigError(f"suite {place} has changed since the run began")
    return game_named(game).read_suite(data, f"suite {place}")


def _contents(place: str, game: str) -> bytes:
    if place != OWN:
        return read_bytes(Path(mirror.located(place)), "suite", limit=MAX_BYTES)
    if own := game_named(game).own_suite:
        return own
    raise ConfigError(f"suite: {game} has no suite of its own")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]

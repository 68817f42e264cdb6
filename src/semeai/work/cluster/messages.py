"""What a driver and the workers of a cluster say to each other, as picklable data."""

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from semeai.errors import ConfigError
from semeai.fingerprint import fingerprint
from semeai.registry import main_is_origin, origins
from semeai.work.needs import MOST_BYTES, Setup, digests
from semeai.work.packing import packed


@dataclass(frozen=True)
class Offer:
    """The setup of a run, offered to a worker at first contact. The worker accepts it, asks for files, or refuses."""

    digest: str
    setup: bytes = field(repr=False)
    """A pickled ``Setup``; only the process that runs its tasks unpacks it."""
    fingerprint: Mapping[str, str]
    files: Mapping[str, str]
    """Hash of the contents by path."""
    programs: frozenset[str]
    places: Mapping[str, str]
    """State of what does not travel, by path: hash of a file's contents, or that it is a folder."""
    modules: tuple[str, ...]
    """Modules that have registered something, which the tasks may need."""
    folder: str
    """Working directory of the driver."""


def offer(setup: Setup) -> Offer:
    """Return the offer for a setup. Raises ConfigError if the setup cannot travel."""
    if main_is_origin():
        raise ConfigError(
            "this script registers something, which workers of a cluster cannot see: "
            "register it in a module that is installed on the workers, and import that module"
        )
    data, needs, modules, folder = packed(setup, "the program"), setup.needs(), origins(), os.getcwd()
    files, places = digests(needs.files), digests(needs.places)
    paths = sorted(files.items()), sorted(needs.programs), sorted(places.items())
    digest = hashlib.sha256(repr((fingerprint(), paths, modules, folder)).encode() + data).hexdigest()
    return Offer(digest, data, fingerprint(), files, needs.programs, places, modules, folder)


Contents = Mapping[str, tuple[int, bytes]]
"""Mode and contents of files by path."""


def contents(paths: Mapping[str, str]) -> Contents:
    """Return files to send to a worker. Raises ConfigError if they are too large or have changed meanwhile."""
    total = sum(os.path.getsize(path) for path in paths if os.path.exists(path))
    if total > MOST_BYTES:
        raise ConfigError(
            f"the files that workers need have {total / 1e6:,.0f} MB together, and at most {MOST_BYTES // 10**6} MB "
            "are sent to a worker: put them into a folder that all machines share"
        )
    found = {}
    for path, digest in paths.items():
        try:
            with open(path, "rb") as file:
                found[path] = (stat.S_IMODE(os.fstat(file.fileno()).st_mode), file.read())
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
        if hashlib.sha256(found[path][1]).hexdigest() != digest:
            raise ConfigError(f"{path}: has changed since the run began")
    return found


@dataclass(frozen=True)
class Greeting:
    """A worker's answer to an offer."""

    host: str
    refusal: str = ""
    """Why it cannot take the offer, as the end of a sentence about the worker; empty if it can."""
    wants_files: bool = False
    """Whether it needs copies of the offer's files."""


@dataclass(frozen=True)
class Order:
    """A parcel for whichever worker is free."""

    session: str
    generation: int
    """Orders up to a generation can be held: workers do not begin them any more."""
    setup: str
    """Digest of the offer that the worker must know."""
    tasks: bytes = field(repr=False)
    """A pickled list of tasks."""


Outcome = Literal["done", "held", "dropped", "unknown", "unfit", "lost"]


@dataclass(frozen=True)
class Answer:
    """What became of an order.

    "held": not begun; "dropped": not wanted any more; "unknown": the worker does not know the setup; "unfit": the
    worker cannot do such work; "lost": the processes that did the work were repeatedly killed from outside.
    """

    outcome: Outcome
    results: list[Any] = field(default_factory=list)
    worker: str = ""
    """Address of the worker."""
    host: str = ""
    message: str = ""
    seconds: float = 0.0
    """Time that the work took."""


@dataclass(frozen=True)
class NodeReport:
    """What a worker says about itself for ``semeai workers``."""

    host: str
    pid: int
    n_tasks: int
    rate: float
    """Tasks per second, over the last minute or so."""
    n_failures: int
    """Tasks whose program crashed, or did not end in time."""
    n_crashes: int
    """Processes that died while they did the work."""
    state: str
    """idle, preparing (compiling, for example) or working."""
    prepared: bool
    """Whether the kernels, and all else that the work needs first, are ready on this machine."""
    fingerprint: Mapping[str, str]

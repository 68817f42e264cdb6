"""The one decorator for compiled kernels, and where their machine code is kept.

Numba hashes only the file a function is written in, so a kernel that calls a changed kernel of another file would
be served stale from its cache. The cache directory is therefore named by a hash of all kernel sources, the numba
version and the compile flags; it is never shared with the caller's own numba functions.
"""

import hashlib
import importlib.metadata
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import overload

_numba_config: Any = numba.config

F = TypeVar("F", bound=Callable[..., Any])

BOUNDSCHECK = os.environ.get("SEMEAI_BOUNDSCHECK", "") == "1"
_PACKAGE = Path(__file__).parent
_KERNEL_LAYERS = {"jit.py", "rng_kernels.py", "stats", "games", "search"}
"""Where kernels, and the tables and constants that are compiled into them, come from."""
_DEFINES_KERNELS = re.compile(rb"^@(kernel|inlined|implements)\b", re.MULTILINE)
_warm_ups: dict[str, Callable[[], object]] = {}


def kernel(function: F) -> F:
    """Compile ``function``: nogil, cached on disk, bounds checked when SEMEAI_BOUNDSCHECK=1."""
    return _compiled(function, inline=False)


def inlined(function: F) -> F:
    """A kernel that becomes part of each kernel that calls it: for what is short and runs at every move."""
    return _compiled(function, inline=True)


def _compiled(function: F, inline: bool) -> F:
    directory = cache_directory()
    before = _numba_config.CACHE_DIR
    # Numba reads CACHE_DIR when a function is decorated, so it is set for the length of this call only.
    _numba_config.CACHE_DIR = str(directory or "")
    options: dict[str, Any] = {
        "nogil": True,
        "cache": directory is not None,
        "boundscheck": BOUNDSCHECK,
        "forceinline": inline,
    }
    try:
        compiled: Any = numba.njit(**options)(function)
    finally:
        _numba_config.CACHE_DIR = before
    return compiled  # type: ignore[no-any-return]


def implements(generic: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[[F], F]:
    """Make ``function`` what ``generic`` means, inside kernels, for records of ``dtype`` as its first argument.

    Numba resolves the call when it compiles the caller: no pointer, no branch, and the caller's disk cache works.
    """
    record = numba.from_dtype(dtype)

    def register(function: F) -> F:
        def choose(*types: Any) -> Callable[..., Any] | None:
            return function if types[0] == record else None

        options: Any = {"nogil": True, "boundscheck": BOUNDSCHECK}
        overload(generic, strict=False, jit_options=options)(choose)
        return function

    return register


def kernel_key() -> str:
    """Hash of everything that decides what the compiled kernels are."""
    digest = hashlib.sha256()
    digest.update(f"{importlib.metadata.version('numba')} {sys.version_info[:2]} {BOUNDSCHECK}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source, name = path.read_bytes(), path.relative_to(_PACKAGE)
        if name.parts[0] in _KERNEL_LAYERS or _DEFINES_KERNELS.search(source):
            digest.update(name.as_posix().encode() + b"\0" + source)
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path | None:
    """The first writable place for this version's kernels; None where there is none (then nothing is cached)."""
    key = kernel_key()
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = [os.environ.get("SEMEAI_CACHE_DIR"), os.path.join(home, "semeai"), _temporary_place()]
    for place in places:
        if place and _is_writable(directory := Path(place) / "kernels" / key):
            return directory
    return None


def _temporary_place() -> str:
    # One per user: another user's machine code is not trusted.
    return os.path.join(tempfile.gettempdir(), f"semeai-{getattr(os, 'getuid', lambda: 0)()}")


def _is_writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        stat = directory.stat()
    except OSError:
        return False
    return not hasattr(os, "getuid") or stat.st_uid == os.getuid()


def warm_up(name: str) -> Callable[[F], F]:
    """Register a function that calls a family of kernels on tiny input, so that they are compiled."""

    def register(function: F) -> F:
        _warm_ups[name] = function
        return function

    return register


def compile_kernels(progress: Callable[[str], object] | None = None) -> dict[str, float]:
    """Compile every registered family once, before workers start; returns the seconds each took.

    There is no lock in numba's cache: eight cold processes would compile everything eight times.
    """
    seconds = {}
    for name, call in _warm_ups.items():
        marker = None if (directory := cache_directory()) is None else directory / f"{name}.warm"
        if progress and not (marker and marker.exists()):
            progress(f"compiling {name} kernels (once for this version of semeai) …")
        start = time.perf_counter()
        call()
        seconds[name] = time.perf_counter() - start
        if marker:
            marker.touch()
    return seconds

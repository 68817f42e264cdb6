"""The decorators for compiled kernels, and where their machine code is kept.

Numba hashes only the file a function is written in, so a kernel that calls a changed kernel of another file would be
served stale from its cache. The cache directory is therefore named by a hash of all kernel sources, the versions of
numba and NumPy, and the compile flags; it is never shared with the caller's own numba functions.

A kernel source is a file that defines kernels, or lies in a folder named ``kernels``: constants and tables that are
compiled into kernels stand there too. All other files can be edited without compiling anything again.
"""

import glob
import hashlib
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.extending import overload

_numba_config: Any = numba.config

F = TypeVar("F", bound=Callable[..., Any])

BOUNDSCHECK = os.environ.get("SEMEAI_BOUNDSCHECK", "") == "1"
_PACKAGE = Path(__file__).parent
_NAMED_SOURCES = {"jit.py", "rng_kernels.py", "games/protocol.py"}
_DEFINES_KERNELS = re.compile(rb"\n@(?:kernel|inlined|implements)\b")
_warm_ups: dict[str, Callable[[], object]] = {}
_implemented: set[tuple[str, Any]] = set()
"""Optional functions and the types of records that have their own."""
_games_outside: defaultdict[Any, set[str]] = defaultdict(set)
"""Numba's type of a record -> ``_outside_keys`` of the functions that say what it means."""


def kernel(function: F) -> F:
    """Compile ``function``: nogil, cached on disk, bounds checked when SEMEAI_BOUNDSCHECK=1."""
    return _compiled(function, inline=False)


def inlined(function: F) -> F:
    """Compile ``function`` into each kernel that calls it: for what is short and runs at every move."""
    return _compiled(function, inline=True)


def _compiled(function: F, inline: bool) -> F:
    options: dict[str, Any] = {"nogil": True, "boundscheck": BOUNDSCHECK, "forceinline": inline}
    compiled: Any = numba.njit(**options)(function)
    if (directory := cache_directory()) is not None:
        before = _numba_config.CACHE_DIR
        # Numba reads CACHE_DIR when a cache is made, so it is set for the length of this call only.
        _numba_config.CACHE_DIR = str(directory)
        try:
            with suppress(RuntimeError):  # a function typed in at a prompt lies in no file that could be cached
                compiled._cache = _KernelCache(function)
        finally:
            _numba_config.CACHE_DIR = before
    return compiled  # type: ignore[no-any-return]


class _KernelCache(FunctionCache):
    """Numba's disk cache of one function, which also tells versions of games outside semeai apart.

    The search is compiled for their records, and their sources are no part of ``kernel_key``.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._own_keys = _outside_keys(function)

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        records = (getattr(argument, "dtype", argument) for argument in signature)
        keys = self._own_keys.union(*(_games_outside.get(record, ()) for record in records))
        index: tuple[Any, ...] = super()._index_key(signature, codegen)  # type: ignore[no-untyped-call]
        return (*index, *sorted(keys))

    def save_overload(self, signature: Any, data: Any) -> None:
        """Save machine code. Numba sometimes finds none to save while another process saves the same function."""
        with suppress(RuntimeError):  # then the next process compiles it
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]


def implements(generic: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[[F], F]:
    """Make ``function`` what ``generic`` means, inside kernels, for records of ``dtype`` as its first argument.

    Numba resolves the call when it compiles the caller: no pointer, no branch, and the caller's disk cache works.
    """
    record = numba.from_dtype(dtype)

    def register(function: F) -> F:
        def choose(*types: Any) -> Callable[..., Any] | None:
            return function if types[0] == record else None

        options: Any = {"nogil": True, "boundscheck": BOUNDSCHECK}
        _implemented.add((generic.__name__, record))
        overload(generic, strict=False, jit_options=options)(choose)
        _games_outside[record] |= _outside_keys(function)
        return function

    return register


def optional(function: F) -> F:
    """Make ``function`` a generic one that ``implements`` may replace; for other records its body is compiled."""

    def stub(*arguments: Any) -> Any:
        return function(*arguments)

    body: Any = function
    stub.__name__ = function.__name__

    def choose(*types: Any) -> Callable[..., Any] | None:
        return None if (function.__name__, types[0]) in _implemented else body

    options: Any = {"nogil": True, "boundscheck": BOUNDSCHECK}
    overload(stub, strict=False, jit_options=options)(choose)
    return stub  # type: ignore[return-value]


def _outside_keys(function: Callable[..., Any]) -> set[str]:
    """Return a hash of what the function is compiled from, if that is no part of semeai: its folder's Python files."""
    file = Path(function.__code__.co_filename).absolute()
    if file.is_relative_to(_PACKAGE):
        return set()
    return {_folder_key(file.parent) if file.is_file() else os.urandom(8).hex()}  # a notebook's cells are no files


@cache
def _folder_key(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def kernel_sources() -> Iterator[tuple[str, bytes]]:
    """Yield name and text of the files that decide what the kernels of semeai are."""
    for path in sorted(glob.glob("**/*.py", root_dir=_PACKAGE, recursive=True)):
        name = path.replace(os.sep, "/")
        with open(os.path.join(_PACKAGE, path), "rb", buffering=0) as file:
            source = file.readall()
        if "/kernels/" in f"/{name}" or name in _NAMED_SOURCES or _DEFINES_KERNELS.search(b"\n" + source):
            yield name, source


def kernel_key() -> str:
    """Return a hash of everything that decides what the compiled kernels are."""
    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {np.__version__} {sys.version_info[:2]} {BOUNDSCHECK}".encode())
    for name, source in kernel_sources():
        digest.update(name.encode() + b"\0" + source)
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path | None:
    """Return the first writable place for this version's kernels; None if there is none (then nothing is cached)."""
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


def compile_kernels(
    progress: Callable[[str], object] | None = None, more: Mapping[str, Callable[[], object]] | None = None
) -> dict[str, float]:
    """Compile every registered family once, and those in ``more``, before workers start. Returns seconds by family.

    There is no lock in numba's cache: eight cold processes would compile everything eight times.
    """
    seconds = {}
    for name, call in {**_warm_ups, **(more or {})}.items():
        marker = None if (directory := cache_directory()) is None else directory / f"{name}.warm"
        if progress and not (marker and marker.exists()):
            progress(f"compiling {name} kernels (once for this version of semeai) …")
        start = time.perf_counter()
        call()
        seconds[name] = time.perf_counter() - start
        if marker:
            marker.touch()
    return seconds

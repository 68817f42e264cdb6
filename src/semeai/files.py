"""Read and write the files that users name. Every mistake is one sentence with the name of the file.

Only regular files are read, and only up to a limit: a pipe could wait for ever, and a device may never end.
"""

import os
import stat
from pathlib import Path
from typing import TextIO

from semeai.errors import ConfigError

MAX_BYTES = 64_000_000
"""Limit of a file that is read as a whole, if its reader has no smaller one."""

_PORTION = 1 << 20

AnyPath = str | os.PathLike[str]


def read_bytes(path: AnyPath, what: str = "", limit: int = MAX_BYTES) -> bytes:
    """Return the contents of a file. Raises ConfigError if it cannot be read or has more than ``limit`` bytes.

    ``what`` is the kind of file, for the message.
    """
    place = _place(path, what)
    try:
        # Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
        handle = os.open(checked_path(path, what), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            data = _read(handle, place, limit)
        finally:
            os.close(handle)
    except OSError as error:
        raise ConfigError(f"{place}: cannot be read: {error.strerror or error}") from None
    if len(data) > limit:
        raise ConfigError(f"{place}: cannot be read: it has more than {limit:,} bytes")
    return data


def _read(handle: int, place: str, limit: int) -> bytes:
    """Return the contents of an open file, or a beginning that is longer than ``limit``."""
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ConfigError(f"{place}: cannot be read: it is a pipe or a device, not a regular file")
    parts, size = [], 0
    while size <= limit and (part := os.read(handle, _PORTION)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def read_text(path: AnyPath, what: str = "", limit: int = MAX_BYTES) -> str:
    """Return the contents of a text file in UTF-8, as ``read_bytes`` does."""
    data = read_bytes(path, what, limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{_place(path, what)}, line {line}: not UTF-8 text") from None


def write_text(path: AnyPath, text: str, what: str = "") -> None:
    """Write a file in UTF-8. Raises ConfigError if it cannot be written."""
    try:
        checked_path(path, what).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"{_place(path, what)}: cannot be written: {error.strerror or error}") from None


def replace_file(path: AnyPath, data: bytes, what: str = "") -> None:
    """Write the whole file or nothing. Raises ConfigError if it cannot be written."""
    target = checked_path(path, what)
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, target)
    except OSError as error:
        raise ConfigError(f"{_place(path, what)}: cannot be written: {error.strerror or error}") from None


def append_to(path: AnyPath, what: str = "") -> TextIO:
    """Return the file, open to write at its end. Raises ConfigError if that is not possible."""
    try:
        return checked_path(path, what).open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"{_place(path, what)}: cannot be written: {error.strerror or error}") from None


def make_folder(path: AnyPath, what: str = "") -> None:
    """Create a folder, and those above it, if it does not exist. Raises ConfigError if that is not possible."""
    try:
        checked_path(path, what).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{_place(path, what)}: cannot be written: {error.strerror or error}") from None


def checked_path(path: AnyPath, what: str = "") -> Path:
    """Return the path. Raises ConfigError if no file can have it: the operating system takes no NUL characters."""
    try:
        if b"\0" not in os.fsencode(path):
            return Path(path)
    except UnicodeEncodeError:
        pass
    raise ConfigError(f"{_place(path, what)}: no file can have this name") from None


def _place(path: AnyPath, what: str) -> str:
    return f"{what} {os.fspath(path)}" if what else os.fspath(path)

"""Where a command's result goes: files, and the name of its run."""

import os
import sys
from pathlib import Path

from semeai.errors import ConfigError


def check_writable(option: str, path: Path | None) -> None:
    """Say it before the work, not after it."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(f"{option} {path}: cannot be written")


def check_folder(option: str, path: Path) -> None:
    """The same for a folder, which need not exist yet."""
    nearest = next((place for place in (path, *path.resolve().parents) if place.exists()), path)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise ConfigError(f"{option} {path}: cannot be written")


def note(text: str) -> None:
    """Print a note on what takes a while to standard error."""
    print(text, file=sys.stderr, flush=True)


def write_text(option: str, path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{option} {path}: {error.strerror}") from None

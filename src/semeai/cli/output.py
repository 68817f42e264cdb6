"""Files that a command writes its result to."""

import os
from pathlib import Path

from semeai.errors import ConfigError


def check_writable(option: str, path: Path | None) -> None:
    """Say it before the work, not after it."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(f"{option} {path}: cannot be written")


def write_text(option: str, path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{option} {path}: {error.strerror}") from None

"""Output of commands: text, JSON, notes on standard error, and checks that files can be written."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from semeai.errors import ConfigError
from semeai.files import checked_path
from semeai.printable import printable


def say(text: str) -> None:
    """Print a text for people on standard output. Names and messages in it cannot steer the terminal."""
    typer.echo(printable(text))


def note(text: str) -> None:
    """Print a note on standard error, dim on a terminal."""
    typer.secho(printable(text), err=True, dim=True)


def warn(text: str) -> None:
    """Print a warning on standard error."""
    typer.echo(printable(text), err=True)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, in printable ASCII."""
    typer.echo(json.dumps(value, indent=indent).replace("\x7f", "\\u007f"))


def print_json_lines(values: Iterable[Any]) -> None:
    """Print each value as JSON on a line of its own. They are not sent one by one: a large table has many."""
    sys.stdout.writelines(json.dumps(value).replace("\x7f", "\\u007f") + "\n" for value in values)


def print_json_rows(value: Mapping[str, Any]) -> None:
    """Print an object as JSON with one line per row of its lists: long lists are written in a fifth of the time."""
    parts = []
    for key, item in value.items():
        rows = ",\n    ".join(map(json.dumps, item)) if isinstance(item, list) else ""
        parts.append(f"{json.dumps(key)}: " + (f"[\n    {rows}\n  ]" if rows else json.dumps(item)))
    typer.echo("{\n  " + ",\n  ".join(parts).replace("\x7f", "\\u007f") + "\n}")


def installed_version() -> str:
    from importlib.metadata import version

    return version("semeai")


def check_range(option: str, value: float | None, *, gt: float, le: float) -> None:
    """Raise ConfigError if an option is not above ``gt`` and at most ``le``. Typer's own limits are inclusive."""
    from semeai.models import limit_words

    if value is not None and not gt < value <= le:
        raise ConfigError(f"{option}: {limit_words(gt=gt, le=le)}, not {value:g}")


@contextmanager
def naming_options(keys: Iterable[str]) -> Iterator[None]:
    """Let an error about one of the keys name the option instead: ``--size``, not ``size``."""
    try:
        yield
    except ConfigError as error:
        key, colon, rest = str(error).partition(":")
        raise ConfigError(f"--{key.replace('_', '-')}{colon}{rest}" if key in keys else str(error)) from None


def check_writable(option: str, path: Path | None) -> None:
    """Raise ConfigError if a file cannot be written. This is called before the work, not after it."""
    if path is None:
        return
    checked_path(path, option)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(f"{option} {path}: cannot be written")


def check_folder(option: str, path: Path) -> None:
    """Raise ConfigError if no files can be written to a folder, which need not exist yet."""
    checked_path(path, option)
    nearest = next((place for place in (path, *path.resolve().parents) if place.exists()), path)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise ConfigError(f"{option} {path}: cannot be written")

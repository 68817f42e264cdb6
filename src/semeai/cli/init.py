"""``semeai init``: a small race to start from."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from semeai.errors import ConfigError

TEMPLATES = ("race.toml", "optimiser.py")


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: semeai init first-race && semeai race first-race/race.toml")(init)


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it; made if it does not exist.")],
) -> None:
    """Write an example: a small optimiser and a race of ten variants of it, to run and then to change."""
    for name in TEMPLATES:
        if (folder / name).exists():
            raise ConfigError(f"{folder / name} exists already: nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in TEMPLATES:
            with as_file(files("semeai.cli") / "templates" / name) as source:
                shutil.copy(source, folder / name)
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from None
    typer.echo(f"wrote {', '.join(TEMPLATES)} to {folder}; run: semeai race {folder / 'race.toml'}")

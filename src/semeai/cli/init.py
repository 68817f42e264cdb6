"""``semeai init``: write a small race or a small evolution as an example."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from semeai.cli.output import say
from semeai.errors import ConfigError
from semeai.files import make_folder, replace_file

RACE = ("race.toml", "optimiser.py")
EVOLUTION = ("evolve.toml",)


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; created if it does not exist.")],
    evolve: Annotated[bool, typer.Option("--evolve", help="Write an evolution: a Go player that improves.")] = False,
) -> None:
    """Write a small example to run and to change.

    It is a race between ten variants of an optimiser, or the evolution of a small Go player.

    Examples:
        semeai init first-race && semeai race first-race/race.toml
        semeai init first-player --evolve && semeai evolve first-player/evolve.toml
    """
    templates = EVOLUTION if evolve else RACE
    for name in templates:
        if (folder / name).exists():
            raise ConfigError(f"{folder / name} exists already: nothing was written")
    make_folder(folder)
    for name in templates:
        replace_file(folder / name, (files("semeai.cli") / "templates" / name).read_bytes())
    run = "evolve" if evolve else "race"
    say(f"wrote {', '.join(templates)} to {folder}; run: semeai {run} {folder / templates[0]}")

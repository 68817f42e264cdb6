"""Folder with the game records of a match, one file per game."""

import os
from collections.abc import Sequence
from pathlib import Path

from semeai.errors import ConfigError
from semeai.match.pair import PlayedGame


class Records:
    """The folder of game records, created if it does not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"--sgf {folder}: {error.strerror}") from None

    def path(self, number: int) -> Path:
        return self.folder / f"game-{number + 1:06d}.sgf"

    def refuse_others(self, pairs: set[int]) -> None:
        """Raise ConfigError if the folder has games of another match: they must not be overwritten."""
        mine = {self.path(2 * number + i).name for number in pairs for i in (0, 1)}
        others = sorted(path.name for path in self.folder.glob("game-*.sgf") if path.name not in mine)
        if others:
            raise ConfigError(f"--sgf {self.folder}: {others[0]} is no game of this match so far; give another folder")

    def write(self, pair: Sequence[PlayedGame]) -> None:
        for game in pair:
            path, content = self.path(game.number), game.sgf.encode()
            try:
                if path.exists():  # written before the match was interrupted
                    if path.read_bytes() != content:
                        raise ConfigError(f"--sgf {path} is a game of another match; give another folder")
                    continue
                part = path.with_name(f".{path.name}.part")
                part.write_bytes(content)
                os.replace(part, path)
            except OSError as error:
                raise ConfigError(f"--sgf {path}: {error.strerror}") from None

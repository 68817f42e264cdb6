"""Folder with the game records of a match, one file per game."""

from collections.abc import Sequence
from pathlib import Path

from semeai.errors import ConfigError
from semeai.files import make_folder, read_bytes, replace_file
from semeai.match.pair import PlayedGame


class Records:
    """The folder of game records, created if it does not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_folder(folder, "--sgf")

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
            if not path.exists():
                replace_file(path, content, "--sgf")
            elif read_bytes(path, "--sgf") != content:  # the same if written before the match was interrupted
                raise ConfigError(f"--sgf {path} is a game of another match; give another folder")

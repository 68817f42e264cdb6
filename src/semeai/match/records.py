"""Game records of a match: a folder with one file per game, or one PGN file with all games of chess."""

from collections.abc import Sequence
from pathlib import Path

from semeai.errors import ConfigError
from semeai.files import append_to, make_folder, read_bytes, replace_file
from semeai.games.catalog import game_named
from semeai.games.record import GameRecord
from semeai.match.pair import PlayedGame
from semeai.match.settings import MatchSettings
from semeai.players.specs import PlayerSpec
from semeai.store.identity import hash_config


class Records:
    """The folder of game records, created if it does not exist."""

    def __init__(self, folder: Path, suffix: str = ".sgf") -> None:
        self.folder = folder
        self.suffix = suffix
        make_folder(folder, "--sgf")

    def path(self, number: int) -> Path:
        return self.folder / f"game-{number + 1:06d}{self.suffix}"

    def refuse_others(self, pairs: set[int]) -> None:
        """Raise ConfigError if the folder has games of another match: they must not be overwritten."""
        mine = {self.path(2 * number + i).name for number in pairs for i in (0, 1)}
        others = sorted(path.name for path in self.folder.glob(f"game-*{self.suffix}") if path.name not in mine)
        if others:
            raise ConfigError(f"--sgf {self.folder}: {others[0]} is no game of this match so far; give another folder")

    def write(self, pair: Sequence[PlayedGame]) -> None:
        for game in pair:
            path, content = self.path(game.number), game.sgf.encode()
            if not path.exists():
                replace_file(path, content, "--sgf")
            elif read_bytes(path, "--sgf") != content:  # the same if written before the match was interrupted
                raise ConfigError(f"--sgf {path} is a game of another match; give another folder")


class PgnFile:
    """One file with all games of a match in their order. A match that resumes goes on where the file ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        append_to(path, "--pgn").close()  # it can be written
        self._known = read_bytes(path, "--pgn", limit=MAX_PGN_BYTES)
        self._at = 0

    def refuse_others(self, pairs: set[int]) -> None:
        """Raise ConfigError if the file has games and the match has none yet."""
        if self._known and not pairs:
            raise self._of_another()

    def write(self, pair: Sequence[PlayedGame]) -> None:
        content = "".join(game.sgf for game in pair).encode()
        known = self._known[self._at : self._at + len(content)]
        if not content.startswith(known):
            raise self._of_another()
        self._at += len(content)
        if len(known) < len(content):  # not there, or cut off when the match was interrupted
            with append_to(self.path, "--pgn") as file:
                file.write(content[len(known) :].decode())

    def _of_another(self) -> ConfigError:
        return ConfigError(f"--pgn {self.path} has games of another match; give another file")


MAX_PGN_BYTES = 2_000_000_000


def write_pair(settings: MatchSettings, spec: PlayerSpec, seed: int, records: Sequence[GameRecord]) -> None:
    """Write the two games of a candidate and a seed into the folder of a race; the same pair has the same file."""
    game = game_named(settings.game)
    folder = Path(settings.records) / hash_config(spec.identity())[:10]
    make_folder(folder, "evaluator.match.records")
    for i, record in enumerate(records, 1):
        content = game.write_record(record).encode()
        replace_file(folder / f"{seed:010d}-{i}{game.record_suffix}", content, "evaluator.match.records")

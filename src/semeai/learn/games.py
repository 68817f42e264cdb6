"""Read games from files, or let a player play against itself."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from semeai.errors import ConfigError, SemeaiError
from semeai.files import read_bytes
from semeai.games.catalog import game_named
from semeai.games.record import MAX_RECORD_BYTES, GameRecord
from semeai.match.match import Match
from semeai.match.run import run_match
from semeai.match.settings import MatchSettings
from semeai.match.store import recorded_pairs
from semeai.players.catalog import parse_spec
from semeai.runs.run import Observer, Place
from semeai.store.ledger import Ledger

OPENING_MOVES = 4
"""Random moves at the beginning of each self-play game, so that games differ; nothing is learnt from them."""


@dataclass(frozen=True)
class Files:
    """Games that were read, and errors of the files that were refused."""

    games: tuple[GameRecord, ...]
    refused: tuple[str, ...] = ()
    """One sentence per file."""


def find_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files among ``paths`` and the .sgf files below the folders among them, sorted by name in each folder.

    Raises ConfigError for a folder without such a file.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() == ".sgf" and p.is_file())
            if not inside:
                raise ConfigError(f"{path}: there is no .sgf file in this folder")
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def read_games(paths: Sequence[Path], game: str = "go") -> Files:
    """Read and replay every file. A file that cannot be read or replayed is refused; the others count."""
    rules = game_named(game)
    games, refused = [], []
    known: dict[
        tuple[int, int], tuple[int, int]
    ] = {}  # equal moves of all games are one object: 2.6 KB per game, not 16
    for path in paths:
        try:
            record = rules.read_record(read_bytes(path, limit=MAX_RECORD_BYTES), str(path))
            rules.replay(record)
        except SemeaiError as error:
            refused.append(str(error))
        else:
            games.append(replace(record, moves=tuple(known.setdefault(move, move) for move in record.moves)))
    return Files(tuple(games), tuple(refused))


def self_play(player: str, size: int, seed: int, folder: str | None = None, game: str = "go") -> Match:
    """Return the match of a player against itself that gives the games to learn from."""
    spec = parse_spec(player, folder, game)
    return Match(spec, spec, MatchSettings(game=game, size=size, opening_moves=OPENING_MOVES), seed)


def play_games(
    match: Match, games: int, place: Place, *, observer: Observer | None = None
) -> tuple[bool, list[GameRecord]]:
    """Play or resume a match. Returns whether it was told to stop, and the games in order.

    Games are kept in the ledger: the same command reads them from there and plays the missing ones.
    """
    assert place.ledger is not None, "the games are read from the ledger"
    result = run_match(match, games, place, observer=observer)
    rules, records = game_named(match.settings.game), []
    with closing(Ledger(place.ledger)) as store:
        for number, pair in recorded_pairs(store, store.run(match.name).id):
            if 2 * number < games:
                records += [rules.read_record(game.sgf.encode(), f"game {game.number + 1}") for game in pair]
    return result.stopped, records[:games]

"""The games of a match in the ledger: written a pair at a time, in one transaction, as soon as it is played."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields

from semeai.match.pair import PlayedGame
from semeai.store import schema
from semeai.store.ledger import Ledger, RunWriter

_COLUMNS = [field.name for field in fields(PlayedGame)]


def record_pair(writer: RunWriter, games: Sequence[PlayedGame]) -> None:
    """Note a pair; it is kept once the writer is flushed."""
    for game in games:
        writer.note(schema.games, asdict(game))


def recorded_pairs(ledger: Ledger, run_id: int) -> Iterator[tuple[int, tuple[PlayedGame, ...]]]:
    """The pairs of a run with their numbers, in order; read in portions."""
    pair: list[PlayedGame] = []
    for row in ledger.rows(schema.games, run_id):
        pair.append(PlayedGame(**{name: row[name] for name in _COLUMNS}))
        if len(pair) == 2:
            yield pair[0].number // 2, tuple(pair)
            pair = []

"""Ledger table of a match's games. Each pair is written in one transaction as soon as it is played."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields

from sqlalchemy import BigInteger, Column, Float, Integer, String, Text

from semeai.match.pair import PlayedGame
from semeai.store import schema
from semeai.store.kinds import RunKind
from semeai.store.ledger import Ledger
from semeai.store.writer import RunWriter

games = schema.run_table(
    "games",
    Column("number", Integer, primary_key=True),  # from 0; a pair is 2k and 2k + 1, and A is Black in the even ones
    Column("seed", BigInteger, nullable=False),  # seed of the pair
    Column("reward", Float, nullable=False),  # player A's
    Column("reason", String(20), nullable=False),
    Column("result", String(20), nullable=False),
    Column("n_moves", Integer, nullable=False),
    Column("cpu_a", Float, nullable=False),
    Column("cpu_b", Float, nullable=False),
    Column("simulations_a", BigInteger, nullable=False),
    Column("simulations_b", BigInteger, nullable=False),
    Column("failure", Text, nullable=False),
    Column("stderr", Text, nullable=False),
    Column("sgf", Text, nullable=False),
    Column("recorded_at", String(32), nullable=False),
)

MATCH = RunKind((games,))

_COLUMNS = [field.name for field in fields(PlayedGame)]


def record_pair(writer: RunWriter, pair: Sequence[PlayedGame]) -> None:
    """Queue a pair for writing; it is stored when the writer is flushed."""
    for game in pair:
        writer.note(games, asdict(game))


def recorded_pairs(ledger: Ledger, run_id: int) -> Iterator[tuple[int, tuple[PlayedGame, ...]]]:
    """Yield the pairs of a run with their numbers, in order, without loading all at once."""
    pair: list[PlayedGame] = []
    for row in ledger.rows(games, run_id):
        pair.append(PlayedGame(**{name: row[name] for name in _COLUMNS}))
        if len(pair) == 2:
            yield pair[0].number // 2, tuple(pair)
            pair = []

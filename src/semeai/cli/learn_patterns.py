"""The part of ``semeai learn`` for databases of patterns (AE in the papers): tables and sentences."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from semeai.games.record import GameRecord
from semeai.learn.learn import Learnt, Settings, learn
from semeai.table import ResultTable, percent


def learn_patterns(
    records: Sequence[GameRecord],
    output: Path,
    chosen: Mapping[str, Any],
    progress: Callable[[str], object],
) -> tuple[list[ResultTable], str, dict[str, Any]]:
    """Learn and save a database. Returns the tables, a summary, and both as data; None in ``chosen`` is the default."""
    given = {name: value for name, value in chosen.items() if value is not None}
    found = learn(records, Settings(**given), progress)
    found.database.save(output)
    return [as_table(found)], summary(found, output), as_dict(found)


def as_table(found: Learnt) -> ResultTable:
    """Make the table of how well the held-out games are predicted, by the size of the patterns."""
    rows: list[tuple[Any, ...]] = []
    known = 0
    names = ["none", *map(str, found.database.about["distances"])]
    accuracies = (found.uniform, *found.by_size)
    for name, n, accuracy in zip(names, (0, *found.database.by_size()), accuracies, strict=False):
        known += n
        first, among = percent(accuracy.first), percent(accuracy.among_first)
        rows.append((name, known, first, among, round(accuracy.mean_rank, 1), round(accuracy.log_likelihood, 3)))
    title = f"Prediction of {found.uniform.n_moves:,} moves of {found.n_held_out} held-out games"
    columns = ("up to distance", "patterns", "top 1", "top 5", "mean rank", "log-likelihood")
    return ResultTable(title, columns, tuple(rows))


def summary(found: Learnt, output: Path) -> str:
    database = found.database
    return (
        f"{output}: {len(database):,} patterns from {found.n_moves:,} moves of {found.n_games} games, "
        f"{output.stat().st_size / 1e6:.2f} MB on disk, {database.table_bytes / 1e6:.2f} MB in memory, "
        f"digest {database.digest}\nto play with it: semeai gtp --database {shlex.quote(str(output))}"
    )


def as_dict(found: Learnt) -> dict[str, Any]:
    database = found.database
    return {
        "digest": database.digest,
        "patterns": len(database),
        "patterns_by_size": database.by_size(),
        "bytes_in_memory": database.table_bytes,
        "games": found.n_games,
        "moves": found.n_moves,
        "games_held_out": found.n_held_out,
        "uniform": vars(found.uniform),
        "by_size": [vars(accuracy) for accuracy in found.by_size],
    }

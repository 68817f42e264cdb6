"""Grow the opening book of the Go player: ``python tools/grow_book.py BOOK --positions 1500``.

Each game starts from the empty board. One side plays by the book; the other plays one of the good moves of a short
search by the default player, drawn at random. With ``--opponent`` every second pair of games is against that engine. A
position that the book does not know gets a long search, and its move is added to the book. The game goes on until it
has added a few, so lines that occur often are known deepest. All games of a round of ``ROUND`` use the same book, so
the result does not depend on the number of workers. The whole state is in the file: the tool can be stopped and
started again at any time.

``--lost FOLDER`` first reads game records and searches the loser's positions of the book again, with ten times the
simulations: errors of the book are likely to be in lost games.
"""

import argparse
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import count, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semeai.games.go.book import Book, BookMove
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import read_sgf, replay
from semeai.players.base import Player
from semeai.players.catalog import make_player, parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.rng import generator

SHORT = 400
"""Simulations of the other side."""
LEAST_SHARE = 0.05
"""Share of a short search's visits that a move needs to count as good."""
ROUND = 8
"""Games that are played from the same book."""
NEW_PER_GAME = 3
"""Positions that a game may add. More is faster, because fewer games are replayed, but deepens rare lines."""
EXPLORATION = 0.03
"""Exploration constant of long searches: without it, a reply that RAVE misjudges may never be tried."""


def searcher(simulations: int, exploration: float = 0.0) -> MctsPlayer:
    words = f"default,simulations={simulations},reuse_tree=false,memory_mb=2000,search.exploration={exploration}"
    return MctsPlayer(PlayerConfig.from_text(words))


class Task(NamedTuple):
    """A game that adds positions to the book."""

    book: Book
    game: int
    size: int
    moves: int
    simulations: int
    seed: int


def grow(book: Book, path: Path, n: int, first: Task, opponent: str | None, only_opponent: bool, workers: int) -> None:
    """Add ``n`` positions or a few more: the last round is played to its end."""
    wanted = len(book.entries) + n
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, _open_opponents, (opponent, only_opponent)) as pool:
        for start in count(len(book.entries), ROUND):
            if len(book.entries) >= wanted:
                return
            tasks = [first._replace(book=book, game=start + i) for i in range(ROUND)]
            for found in pool.map(added_by, tasks):
                fresh = [book.add(position, move) for position, move in found if book.look_up(position) is None]
                with path.open("a", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in fresh)
            print(f"{len(book.entries):5d}  {fresh[-1] if fresh else ''}", flush=True)


def revise(book: Book, paths: list[Path], simulations: int, seed: int, workers: int) -> int:
    """Repeat longer searches of the book's positions in lost games. Returns how many moves have changed."""
    doubtful: dict[str, GoPosition] = {}
    for path in paths:
        record = read_sgf(path.read_bytes(), str(path))
        loser = "WB".index(record.result[:1]) if record.result[:1] in ("B", "W") else None
        for k in range(len(replay(record).moves)):
            position = replay(record, k)
            known = book.look_up(position)
            if position.to_move == loser and known is not None and known.simulations < simulations:
                doubtful[book.add(position, known)] = position
    changed = 0
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        searches = pool.map(long_search, doubtful.values(), repeat(simulations), repeat(seed))
        for (line, position), found in zip(doubtful.items(), searches, strict=True):
            after = book.add(position, found)
            changed += line.split()[-3] != after.split()[-3]
            print(f"{line}  ->  {' '.join(after.split()[-3:])}", flush=True)
    return changed


def long_search(position: GoPosition, simulations: int, seed: int) -> BookMove:
    player = searcher(simulations, EXPLORATION)
    player.start(position, seed)
    choice = player.choose()
    assert choice.move is not None, "a player that never resigns has a move"
    return BookMove(choice.move, choice.win_rate or 0.0, simulations)


def added_by(task: Task) -> list[tuple[GoPosition, BookMove]]:
    """Play a game. Returns the first few positions that the book does not know, with their moves."""
    rng = generator(task.seed, "book", task.game)
    opponent = _opponents[task.game // 2 % len(_opponents)]
    position = GoPosition(task.size)
    opponent.start(position.copy(), int(rng.integers(2**31)))
    found: list[tuple[GoPosition, BookMove]] = []
    while len(position.moves) < 2 * task.moves and len(found) < NEW_PER_GAME:
        if position.to_move != task.game % 2:
            move = good_move(opponent, rng)
        elif (known := task.book.look_up(position)) is not None:
            move = known.move
        else:
            found.append((position.copy(), long_search(position, task.simulations, int(rng.integers(2**31)))))
            move = found[-1][1].move
        position.play(move)
        opponent.observe(move)
    return found


_opponents: list[Player] = []
"""The opponents that this worker plays, opened once."""


def _open_opponents(engine: str | None, only_engine: bool) -> None:
    if not only_engine:
        _opponents.append(searcher(SHORT))
    if engine:
        _opponents.append(make_player(parse_spec(engine)))


def good_move(player: Player, rng: np.random.Generator) -> int:
    """Return an engine's move; for our own player, one of its good moves, drawn in proportion to visits."""
    choice = player.choose()
    if not isinstance(player, MctsPlayer):
        return int(choice.move or 0)
    reports = player.report()
    visits = np.array([report.visits for report in reports], float)
    visits[visits < LEAST_SHARE * visits.sum()] = 0
    return int(reports[int(rng.choice(len(reports), p=visits / visits.sum()))].move)


def main() -> None:
    parser = argparse.ArgumentParser(description="Grow an opening book of Go.")
    parser.add_argument("book", type=Path)
    parser.add_argument("--positions", type=int, default=100, help="number of positions to add")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--simulations", type=int, default=40_000, help="simulations per long search")
    parser.add_argument("--moves", type=int, default=6, help="moves of the book's side per game")
    parser.add_argument(
        "--opponent", help="player as in semeai match, for example 'gtp:gnugo --mode gtp --seed {seed}'"
    )
    parser.add_argument("--only-opponent", action="store_true", help="no games of the player against itself")
    parser.add_argument("--lost", type=Path, help="a folder of game records: search the loser's positions again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if given.only_opponent and not given.opponent:
        parser.error("--only-opponent needs --opponent")
    book = Book.load(given.book) if given.book.exists() else Book()
    if given.lost:
        paths = sorted(given.lost.glob("**/*.sgf"))
        changed = revise(book, paths, 10 * given.simulations, given.seed, given.workers)
        print(f"{changed} positions of {len(paths)} games have another move", flush=True)
        given.book.write_text("\n".join(book.lines()) + "\n", encoding="utf-8")
    first = Task(book, 0, given.size, given.moves, given.simulations, given.seed)
    grow(book, given.book, given.positions, first, given.opponent, given.only_opponent, given.workers)
    given.book.write_text("\n".join(book.lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

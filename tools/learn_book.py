"""Learn an opening book from game records: ``python tools/learn_book.py GAMES src/semeai/games/go/book19.txt``.

Positions of the first moves that occur in many games, whatever their symmetry, get the move with the best results among
those that are played often. The results of rare moves are pulled towards the mean of the position. One game in ten is
held out. Prints how often the book knows the positions of these games, how often its move was played there, and the
results of those who played it and of those who did not.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semeai.errors import SemeaiError
from semeai.files import read_bytes
from semeai.games.go.book import Book, BookMove, turns_of
from semeai.games.go.kernels.board import PASS
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import read_sgf
from semeai.games.record import GameRecord
from semeai.learn.games import find_files
from semeai.rng import generator
from semeai.stats.intervals import wilson_interval

KOMI = (6.5, 7.5)
"""The book is written for each of them; games of any komi count."""
FEWEST_GAMES, FEWEST_OF_MOVE, LEAST_SHARE = 20, 8, 0.15
PULL = 20.0
"""Games with the mean result of the position that each move is given besides its own."""
HELD_OUT = 0.1
HEADER = """# Opening moves on 19x19, from games of strong amateurs. The format is in book.py.
# Written by tools/learn_book.py; do not edit.
"""

Key = tuple[int, int, bytes]


class Played(NamedTuple):
    """A move of a game, with the position before it."""

    position: GoPosition
    key: Key
    place: int
    """The point played, in the canonical view; the least of those that are the same by symmetry."""
    move: int
    won: bool


def openings(games: Iterable[GameRecord], n_moves: int) -> Iterator[Played]:
    """Yield the first moves of all games with a winner. The position changes with the next one."""
    for game in games:
        if game.result[:2] not in ("B+", "W+") or game.setup or game.first_player:
            continue
        position = GoPosition(game.size)
        for player, move in game.moves[:n_moves]:
            if move == PASS or player != position.to_move:
                break
            yield Played(position, *seen(position, move), move, game.result[0] == "BW"[player])
            position.play(move)


def seen(position: GoPosition, move: int) -> tuple[Key, int]:
    """Return what all symmetric views of the position share, and the place of the move in it."""
    stones, turns = turns_of(position)
    row, column = divmod(move, position.size + 1)
    point = (row - 1) * position.size + column - 1
    place = min(int(np.flatnonzero(turn == point)[0]) for turn in turns)
    return (position.size, position.to_move, stones), place


Counts = dict[Key, dict[int, list[int]]]


def count(games: Iterable[GameRecord], n_moves: int) -> Counts:
    """Return games and wins by position and move."""
    counts: Counts = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for played in openings(games, n_moves):
        entry = counts[played.key][played.place]
        entry[0] += 1
        entry[1] += played.won
    return counts


def choose(moves: dict[int, list[int]]) -> tuple[int, float, int] | None:
    """Return the place of the move with the best results among the usual ones, its win rate and its games."""
    total, wins = (sum(entry[i] for entry in moves.values()) for i in (0, 1))
    if total < FEWEST_GAMES:
        return None
    usual = {place: entry for place, entry in moves.items() if entry[0] >= max(FEWEST_OF_MOVE, LEAST_SHARE * total)}
    if not usual:
        return None
    pulled = {place: (won + PULL * wins / total) / (n + PULL) for place, (n, won) in usual.items()}
    best = max(pulled, key=lambda place: (pulled[place], -place))
    return best, pulled[best], usual[best][0]


def learn(games: Sequence[GameRecord], n_moves: int) -> dict[Key, tuple[int, float, int]]:
    return {key: found for key, moves in count(games, n_moves).items() if (found := choose(moves)) is not None}


def as_book(games: Sequence[GameRecord], known: dict[Key, tuple[int, float, int]], n_moves: int) -> Book:
    """Return the book for each komi; the moves are found again in the games, as points of their positions."""
    book, added = Book(), set()
    for played in openings(games, n_moves):
        found = known.get(played.key)
        if found is not None and found[0] == played.place and played.key not in added:
            added.add(played.key)
            for komi in KOMI:
                position = played.position.copy()
                position.komi = komi
                book.add(position, BookMove(played.move, found[1], found[2], of_games=True))
    return book


def report(games: Sequence[GameRecord], known: dict[Key, tuple[int, float, int]], n_moves: int) -> str:
    """Say how the book would have done in games that it was not learnt from."""
    n = 0
    results: dict[bool, list[bool]] = {True: [], False: []}
    for played in openings(games, n_moves):
        n += 1
        if (found := known.get(played.key)) is not None:
            results[found[0] == played.place].append(played.won)
    met = sum(map(len, results.values()))
    lines = [f"{len(games)} games held out: {met} of {n} positions are known ({met / max(1, n):.1%})"]
    for agreed, words in ((True, "the book's move"), (False, "another move")):
        wins, all_of_them = sum(results[agreed]), len(results[agreed])
        if all_of_them:
            interval = wilson_interval(wins, all_of_them)
            between = f"[{interval.lower:.1%}, {interval.upper:.1%}]"
            lines.append(f"{words}: {all_of_them} times, won {wins / all_of_them:.1%} {between}")
    return "\n".join(lines)


def read(paths: Iterable[Path], size: int) -> list[GameRecord]:
    games = []
    for path in find_files(paths):
        try:
            game = read_sgf(read_bytes(path), str(path))
        except SemeaiError as error:
            print(f"left out: {error}")
            continue
        if game.size == size:
            games.append(game)
    return games


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn an opening book from game records.")
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("output", type=Path)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--moves", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    games = read(options.games, options.size)
    order = generator(options.seed, "book").permutation(len(games))
    n = round(HELD_OUT * len(games))
    training, held_out = [games[i] for i in order[n:]], [games[i] for i in order[:n]]
    known = learn(training, options.moves)
    print(report(held_out, known, options.moves))
    book = as_book(training, known, options.moves)
    options.output.write_text(HEADER + "\n".join(book.lines()) + "\n")
    print(f"{options.output}: {len(known):,} positions, for komi {' and '.join(map(str, KOMI))}")


if __name__ == "__main__":
    main()

"""Grow the opening book of the Go player: ``python benchmarks/grow_book.py BOOK --positions 1500``.

A game is played from the empty board. One side plays by the book, the other what short searches of the default player
like, now the best move and now another of its good ones; with ``--opponent`` every second pair of games is against that
engine. The first position that the book does not know gets a long search, its move goes into the book, and the next
game begins; so lines that come up often are known deepest. The file is all the state there is: stop and start again at
will.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semeai.games.go.book import Book, BookMove
from semeai.games.go.position import GoPosition
from semeai.players.base import Player
from semeai.players.catalog import make_player, parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.rng import generator

SHORT = 400
"""Simulations of the other side."""
LEAST_SHARE = 0.05
"""Of a short search's visits: less makes a move none of its good ones."""
EXPLORATION = 0.03
"""Of long searches: without any, a reply that RAVE misjudges may not be tried in all their simulations."""


def searcher(simulations: int, exploration: float = 0.0) -> MctsPlayer:
    words = f"default,simulations={simulations},reuse_tree=false,search.exploration={exploration}"
    return MctsPlayer(PlayerConfig.from_text(words))


def grow(
    book: Book, path: Path, n: int, size: int, simulations: int, moves: int, opponents: Sequence[Player], seed: int
) -> None:
    """Add ``n`` positions, up to the move of this number of the book's side."""
    long = searcher(simulations, EXPLORATION)
    game = 0
    while n:
        game += 1
        rng = generator(seed, "book", len(book.entries), game)
        position = unknown(book, size, moves, game % 2, opponents[game // 2 % len(opponents)], rng)
        if position is None:
            continue
        long.start(position, int(rng.integers(2**31)))
        choice = long.choose()
        assert choice.move is not None, "a player that never resigns has a move"
        line = book.add(position, BookMove(choice.move, choice.win_rate or 0.0, simulations))
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        n -= 1
        print(f"{len(book.entries):5d}  {line}", flush=True)


def unknown(
    book: Book, size: int, moves: int, side: int, opponent: Player, rng: np.random.Generator
) -> GoPosition | None:
    """The first position of a game that the book does not know; None where its last move is known too."""
    position = GoPosition(size)
    opponent.start(position.copy(), int(rng.integers(2**31)))
    while len(position.moves) < 2 * moves:
        if position.to_move == side:
            found = book.look_up(position)
            if found is None:
                return position
            move = found.move
        else:
            move = good_move(opponent, rng)
        position.play(move)
        opponent.observe(move)
    return None


def good_move(player: Player, rng: np.random.Generator) -> int:
    """An engine's move; of our own player one of those that its search likes, at random by their visits."""
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
    parser.add_argument("--positions", type=int, default=100, help="how many to add")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--simulations", type=int, default=40_000, help="of the long searches")
    parser.add_argument("--moves", type=int, default=6, help="of the book's side")
    parser.add_argument("--opponent", help="as in semeai match, for example 'gtp:gnugo --mode gtp --seed {seed}'")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    book = Book.load(given.book) if given.book.exists() else Book()
    opponents: list[Player] = [searcher(SHORT)]
    if given.opponent:
        opponents.append(make_player(parse_spec(given.opponent)))
    grow(book, given.book, given.positions, given.size, given.simulations, given.moves, opponents, given.seed)
    given.book.write_text("\n".join(book.lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

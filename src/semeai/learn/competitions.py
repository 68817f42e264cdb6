"""Games as competitions: at each move all legal points compete, and the point that was played wins.

Coulom 2007, "Computing Elo ratings of move patterns in the game of Go", section 2.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import PASS, is_legal
from semeai.games.go.kernels.neighbourhoods import (
    REACH,
    WIDE,
    WIDE_POINTS,
    add_ring,
    clear_wide,
    first_turns,
    key_of,
    lay_out,
    no_turns,
    wide_index,
)
from semeai.games.go.position import GoPosition
from semeai.games.go.sgf import replay
from semeai.games.record import GameRecord
from semeai.jit import kernel

Wide = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Competitions:
    """Many positions in flat arrays; the points of position i are ``starts[i]:starts[i + 1]``."""

    lines: NDArray[np.int64]
    """Size of each board."""
    boards: NDArray[np.uint8]
    """All boards, one after another, row by row, from the view of the player to move."""
    points: NDArray[np.int64]
    """Legal points, as indices of the wide board of ``neighbourhoods``."""
    starts: NDArray[np.int64]
    winners: NDArray[np.int64]
    """Index in ``points`` of the point that was played."""

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def n_points(self) -> int:
        return len(self.points)

    def keys(self, size: int, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.uint64]:
        """Return the key of each point's neighbourhood of that size; 0 for points that are not ``chosen``."""
        found = np.zeros(self.n_points, np.uint64)
        mask = np.ones(self.n_points, np.bool_) if chosen is None else chosen
        _write_keys(
            self.lines, self.boards, self.points, self.starts, size, mask, found, np.zeros(WIDE_POINTS, np.uint64)
        )
        return found

    def won(self) -> NDArray[np.bool_]:
        flags = np.zeros(self.n_points, np.bool_)
        flags[self.winners] = True
        return flags

    @classmethod
    def of_games(cls, games: Iterable[GameRecord], skip: int = 0) -> Self:
        """Make a competition of every move of the games, except passes and the first ``skip`` moves of each game."""
        return cls.of_moves(pair for game in games for pair in _moves(game, skip))

    @classmethod
    def of_moves(cls, moves: Iterable[tuple[GoPosition, int]]) -> Self:
        """Make competitions of positions and the moves played there.

        A position may change once the next one is requested.
        """
        lines, winners = [], []
        boards, points = [np.empty(0, np.uint8)], [np.empty(0, np.int64)]
        starts = [0]
        for position, move in moves:
            board, legal = look(position)
            at = np.flatnonzero(legal == wide_index(move, position.size + 1))
            if len(at):  # a move out of turn may fill a ko that the player to move may not fill
                lines.append(position.size)
                boards.append(board)
                points.append(legal)
                winners.append(starts[-1] + int(at[0]))
                starts.append(starts[-1] + len(legal))
        return cls(
            np.array(lines, np.int64),
            np.concatenate(boards),
            np.concatenate(points),
            np.array(starts, np.int64),
            np.array(winners, np.int64),
        )


def _moves(game: GameRecord, skip: int) -> Iterable[tuple[GoPosition, int]]:
    """Yield the moves of a game that may be learnt, each with the position before it."""
    position = replay(game, 0)
    for number, (player, move) in enumerate(game.moves):
        if number >= skip and move != PASS:
            position.set_to_move(player)
            yield position, move
        position.play(move, player)


def look(position: GoPosition) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the board as the player to move sees it, and the legal points as indices of the wide board."""
    board = np.empty(position.size**2, np.uint8)
    points = np.empty(position.size**2, np.int64)
    n = _look(position.states, np.zeros(WIDE_POINTS, np.uint64), board, points)
    return board, points[:n]


@kernel
def _look(states: NDArray[Any], wide: Wide, board: NDArray[np.uint8], points: NDArray[np.int64]) -> int:
    state = states[0]
    lay_out(state, state.to_move, wide)
    n = 0
    for row in range(state.size):
        for column in range(state.size):
            at = (row + REACH) * WIDE + column + REACH
            board[row * state.size + column] = wide[at]
            p = (row + 1) * state.stride + column + 1
            if wide[at] == np.uint64(0) and is_legal(state, p, state.to_move):
                points[n] = at
                n += 1
    return n


@kernel
def _write_keys(
    lines: NDArray[np.int64],
    boards: NDArray[np.uint8],
    points: NDArray[np.int64],
    starts: NDArray[np.int64],
    size: int,
    chosen: NDArray[np.bool_],
    found: NDArray[np.uint64],
    wide: Wide,
) -> None:
    first = 0
    for i in range(len(lines)):
        clear_wide(wide, lines[i])
        for row in range(lines[i]):
            for column in range(lines[i]):
                wide[(row + REACH) * WIDE + column + REACH] = boards[first + row * lines[i] + column]
        first += lines[i] * lines[i]
        for k in range(starts[i], starts[i + 1]):
            if chosen[k]:
                read_in, turns = first_turns(wide, points[k]), no_turns()
                for smaller in range(size + 1):
                    turns = add_ring(wide, points[k], smaller, read_in, turns)
                found[k] = key_of(read_in, turns, size)

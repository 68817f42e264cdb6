"""Prove who wins, on boards up to base 4.

``proof_search`` answers whether White wins. Whether Black wins or nobody is the same question with exchanged
colours; it is asked only if the search has met a full board.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.games.havannah.kernels.bitboard import MAX_BITBOARD_BASE, STRIDE, Cells, make_bitboard
from semeai.games.havannah.kernels.proof_search import COUNTS, LOST, OPEN, PATH, WON, search_root
from semeai.games.havannah.kernels.proof_table import ENTRY
from semeai.games.havannah.kernels.tables import BLACK, EMPTY, MIN_BASE, WHITE, cells
from semeai.games.havannah.kernels.threats import THREATS
from semeai.games.havannah.position import HavannahPosition
from semeai.jit import warm_up

_WHITE, _BLACK = 0, 1


@dataclass(frozen=True)
class Proof:
    """The result of a search for a proof."""

    is_proven: bool
    """False if the limit of positions was reached."""
    winner: int | None
    """0 for White, 1 for Black; None for a draw, or if nothing is proven."""
    visited: int
    """Number of visited positions; one that is visited again counts again."""
    move: int | None = None
    """A move that wins, or that keeps a draw; None if the player to move loses."""


class Solver:
    """Proves positions of one base. It keeps what it finds for later positions."""

    def __init__(self, base: int, memory: int = 128, threat_limit: int = 32) -> None:
        """``memory``: MiB for the table of positions. ``threat_limit``: positions per search for threats."""
        if not MIN_BASE <= base <= MAX_BITBOARD_BASE:
            raise ConfigError(f"base {base}: proofs are for boards of base {MIN_BASE} to {MAX_BITBOARD_BASE}")
        self.base = base
        self._boards = make_bitboard(base)
        self._threats = np.zeros(1, THREATS)
        self._threats["limit"] = threat_limit
        entries = (memory << 20) // ENTRY.itemsize
        try:
            self._table = np.zeros(1 << entries.bit_length() - 1, ENTRY)
        except MemoryError:
            raise ConfigError(f"memory {memory} MiB: this machine does not have so much") from None
        self._paths = np.zeros(len(cells(base)) + 2, PATH)
        self._counts = np.zeros(1, COUNTS)

    def solve(self, position: HavannahPosition, limit: int = 1_000_000) -> Proof:
        """Prove a win or a draw, if ``limit`` positions are enough."""
        if position.size != self.base:
            raise ConfigError(f"a position of base {position.size}, and a solver for base {self.base}")
        if position.may_swap:
            raise ConfigError("Black may still swap: proofs are of positions after that choice")
        if position.is_over:
            return Proof(True, position.winner, 0)
        white, black = self._words(position)
        self._counts["visited"], self._counts["limit"] = 0, limit
        winner, winning = self._white_wins(white, black, position.to_move)
        is_proven = winner is not None
        if winner == _BLACK and self._counts[0]["full_boards"]:
            exchanged, better = self._white_wins(black, white, 1 - position.to_move)
            is_proven = exchanged is not None
            winner = _BLACK if exchanged == _WHITE else None
            winning = better or winning
        y, x = divmod(int(winning).bit_length() - 1, STRIDE)
        move = position.point(x, y) if is_proven and winning else None
        return Proof(is_proven, winner, int(self._counts[0]["visited"]), move)

    def _white_wins(self, white: Cells, black: Cells, mover: int) -> tuple[int | None, Cells]:
        """Return White, Black if White does not win, or None if the limit was reached; and the move that does it."""
        result, winning = search_root(
            self._boards, self._threats, self._table, self._paths, self._counts, white, black, mover
        )
        return {WON: mover, LOST: 1 - mover, OPEN: None}[result], winning

    def different_moves(self, position: HavannahPosition) -> list[int]:
        """Return the legal moves, only one of those that lead to symmetric positions."""
        found: dict[tuple[int, int], int] = {}
        for move in map(int, position.legal_moves()):
            position.play(move)
            words = self._words(position)
            position.undo()
            ways = self._boards[0]["turned"]
            found.setdefault(min((_turn_word(words[0], way), _turn_word(words[1], way)) for way in ways), move)
        return list(found.values())

    def _words(self, position: HavannahPosition) -> tuple[Cells, Cells]:
        """Return White's stones and Black's stones as bitboards."""
        words = {WHITE: 0, BLACK: 0, EMPTY: 0}
        for x, y in cells(self.base):
            words[position.color_at(x, y)] |= 1 << STRIDE * y + x
        return np.uint64(words[WHITE]), np.uint64(words[BLACK])


@warm_up("Havannah proof")
def _prove_a_little() -> None:
    Solver(2, memory=1).solve(HavannahPosition(2), limit=1)


def _turn_word(word: Cells, turned: NDArray[np.uint8]) -> int:
    return sum(1 << int(turned[bit]) for bit in range(64) if int(word) >> bit & 1)

"""The base class of positions: games in progress outside kernels, with checked moves and undo."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Moves = NDArray[np.int64]


class Position(ABC):
    """A game in progress, as players, matches and the command line see it; the search copies ``states``."""

    game: str
    size: int
    coordinates: str = "standard"
    """How texts name points: one of the game's ``coordinates``. It has no influence on the rules."""
    states: NDArray[Any]
    """The game's record of the current state, as an array of shape (1,)."""
    moves: list[tuple[int, int]]
    """(player, move) pairs since the start."""

    @property
    def swap(self) -> bool:
        """Whether the second player may take over the first move."""
        return False

    @property
    @abstractmethod
    def start_key(self) -> bytes:
        """Identifies the starting position: equal ``start_key`` and equal moves mean equal positions."""

    @property
    @abstractmethod
    def to_move(self) -> int:
        """The player whose turn it is, 0 or 1, even after the end of the game."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game has ended by its rules."""

    @abstractmethod
    def legal_moves(self) -> Moves:
        """Return every legal move of the player to move, by all rules; empty if the game is over."""

    def sensible_moves(self) -> Moves:
        """Return the legal moves without those that no player would want; at least one if there is a legal move."""
        return self.legal_moves()

    @abstractmethod
    def play(self, move: int, player: int | None = None) -> None:
        """Play a move of the player to move, or of ``player``. Raises IllegalMove and then changes nothing."""

    def play_recorded(self, move: int, player: int | None = None) -> None:
        """Play a move of a game that others have played: like ``play``, but it may repeat an earlier position.

        Records by rules without superko contain such moves.
        """
        self.play(move, player)

    @abstractmethod
    def undo(self) -> None:
        """Take back the last move. Raises IllegalMove if there is none."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy, which can take back moves too."""

    @abstractmethod
    def reward(self) -> float:
        """Return the reward of player 0 if the game stopped now: 1, 0, or 1/2 for a draw."""

    @abstractmethod
    def result(self) -> str:
        """Return the result if the game stopped now, as game records write it: ``B+3.5``, ``W+0.5``, ``0``."""

    @abstractmethod
    def move_to_text(self, move: int) -> str:
        """Return the name of a move."""

    @abstractmethod
    def text_to_move(self, text: str) -> int:
        """Return the move that a text names, in capitals or not. Raises IllegalMove if there is no such move."""

    @abstractmethod
    def draw(self) -> str:
        """Return the board as text."""

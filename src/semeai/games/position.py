"""A game in progress, outside kernels: it checks every move, remembers them, and takes them back."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Moves = NDArray[np.int64]


class Position(ABC):
    """What players, matches and doors see of any game; ``states`` is what the search copies."""

    game: str
    size: int
    coordinates: str = "standard"
    """How texts name points: one of the game's ``coordinates``; the rules do not care."""
    states: NDArray[Any]
    """Shape (1,): the game's record of the current state."""
    moves: list[tuple[int, int]]
    """(player, move) since the start."""

    @property
    def swap(self) -> bool:
        """Whether the second player may take over the first move."""
        return False

    @property
    @abstractmethod
    def start_key(self) -> bytes:
        """What the game began with: the same moves mean the same position just when this is equal too."""

    @property
    @abstractmethod
    def to_move(self) -> int:
        """0 or 1; whose turn it is even when the game is over."""

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    @abstractmethod
    def legal_moves(self) -> Moves:
        """Every legal move of the player to move, history taken into account; none when the game is over."""

    def sensible_moves(self) -> Moves:
        """The legal moves without those that no player would want; at least one."""
        return self.legal_moves()

    @abstractmethod
    def play(self, move: int, player: int | None = None) -> None:
        """Play for the player to move, or for ``player`` out of turn; IllegalMove leaves the position as it was."""

    @abstractmethod
    def undo(self) -> None:
        """Take back the last move; IllegalMove where there is none."""

    @abstractmethod
    def copy(self) -> Self: ...

    @abstractmethod
    def reward(self) -> float:
        """What player 0 gets of the position as it stands: 1, 0, or 1/2 for a draw."""

    @abstractmethod
    def result(self) -> str:
        """The outcome as it stands, as game records write it: ``B+3.5``, ``W+0.5``, ``0``."""

    @abstractmethod
    def move_to_text(self, move: int) -> str: ...

    @abstractmethod
    def text_to_move(self, text: str) -> int:
        """IllegalMove where the text names no move of this board."""

    @abstractmethod
    def draw(self) -> str:
        """The board as text."""

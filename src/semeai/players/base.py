"""The interface between a match and a player."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from semeai.games.position import Position


@dataclass(frozen=True)
class Choice:
    """A player's answer: a move, or None if it resigns."""

    move: int | None
    comment: str = ""
    """Comment on the move for the game record."""
    win_rate: float | None = None
    """Estimated probability that the player wins; None if it has no estimate."""
    simulations: int = 0
    """Simulations of the move; nodes in the words of chess engines."""
    cpu_seconds: float = 0.0
    score: int | None = None
    """Hundredths of a pawn, from the player's view; None if it reports none."""


class Player(ABC):
    """Base of all players. Plays any number of games, one after the other. Raises PlayerFailed if it cannot go on."""

    name: str
    explains: bool = True
    """Whether choices have comments. Writing them takes time, so matches that keep no records turn them off."""

    @abstractmethod
    def start(self, position: Position, seed: int) -> None:
        """Begin a new game at ``position``, which the player may keep but must not change."""

    @abstractmethod
    def choose(self) -> Choice:
        """Choose a move for the player to move. It is played only when ``observe`` is called."""

    @abstractmethod
    def observe(self, move: int) -> None:
        """Play ``move`` of this player or of the opponent; ``position`` of ``start`` does not change."""

    def dead_stones(self) -> list[int] | None:
        """Return the stones that it considers dead at the end of a game; None if it cannot tell."""
        return None

    def close(self) -> None:
        """End processes and close files. May be called twice."""

"""What a match asks of a player."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from semeai.games.position import Position


@dataclass(frozen=True)
class Choice:
    """A player's answer: a move, or None to resign."""

    move: int | None
    comment: str = ""
    """What a game record should say about it."""
    win_rate: float | None = None
    """The player's own estimate, from its point of view."""
    simulations: int = 0
    cpu_seconds: float = 0.0


class Player(ABC):
    """Plays any number of games, one at a time; PlayerFailed when it cannot go on."""

    name: str
    explains: bool = True
    """Whether its choices come with a comment; what nobody will read costs time at small budgets."""

    @abstractmethod
    def start(self, position: Position, seed: int) -> None:
        """A new game begins at ``position``, which the player may keep and must not change."""

    @abstractmethod
    def choose(self) -> Choice:
        """A move for the player to move in the game so far; it is played only once ``observe`` says so."""

    @abstractmethod
    def observe(self, move: int) -> None:
        """``move`` was played, by this player or by the other; ``position`` of ``start`` does not change."""

    def dead_stones(self) -> list[int] | None:
        """Stones that it takes for dead at the end of a game; None if it cannot say."""
        return None

    def close(self) -> None:
        """Give back processes and files; may be called twice."""

"""What a search says about one move; needs no compiled code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MoveReport:
    """What the search thinks of a move; ``win_rate`` is that of the player to move."""

    move: int
    visits: int
    win_rate: float
    prior: float
    pv: list[int]

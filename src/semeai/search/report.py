"""The result of a search for one move. This module needs no compiled code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MoveReport:
    """Statistics of one move. ``win_rate`` is that of the player to move, ``pv`` the expected line, move included."""

    move: int
    visits: int
    win_rate: float
    prior: float
    pv: list[int]

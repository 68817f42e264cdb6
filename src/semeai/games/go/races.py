"""The capturing races (semeai) of a position, solved."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.race_board import END, MAX_RACES
from semeai.games.go.kernels.races import (
    ALSO_REFUTED,
    ANSWERED,
    BLACK_WINS,
    FOR_ESCAPE,
    FOR_KO,
    FOR_NODES,
    RACE,
    UNKNOWN,
    WHITE_WINS,
    list_races,
)
from semeai.games.go.kernels.tables import BLACK, WHITE
from semeai.games.go.position import GoPosition

LIMIT = 3000
"""Positions per question, if nothing else is said."""
OUTCOMES = {UNKNOWN: "unknown", BLACK_WINS: "black", WHITE_WINS: "white"}
REASONS = {
    ANSWERED: "",
    FOR_KO: "a ko may decide",
    FOR_NODES: "too many positions",
    FOR_ESCAPE: "no capture was proven",
}


@dataclass(frozen=True)
class Race:
    """A race of two groups. Outcomes are ``black``, ``white`` or ``unknown``; points are moves."""

    black: int
    """A stone of the largest black chain."""
    white: int
    black_stones: int
    white_stones: int
    black_liberties: int
    """Liberties of the chain of ``black``."""
    white_liberties: int
    shared: int
    """Liberties that both chains have."""
    black_first: str
    """The outcome if Black moves first; the same if White passes."""
    white_first: str
    black_moves: tuple[int, ...]
    """Black's moves that win, a good one first, if each player wins by moving first; otherwise empty."""
    white_moves: tuple[int, ...]
    black_unclear: tuple[int, ...]
    """Black's moves of which it is not known whether they win. With all other moves, White wins the race."""
    white_unclear: tuple[int, ...]
    black_group: tuple[int, ...]
    """The stones of the group."""
    white_group: tuple[int, ...]
    reason: str
    """Why an outcome is unknown; empty if both are known."""

    @property
    def is_known(self) -> bool:
        return self.black_first != "unknown" and self.white_first != "unknown"

    @property
    def is_urgent(self) -> bool:
        """Whether each player wins if he moves first."""
        return self.black_first == "black" and self.white_first == "white"

    @property
    def smaller(self) -> int:
        """Stones of the smaller group."""
        return min(self.black_stones, self.white_stones)

    def outcome(self, first: int, after_pass: bool = False) -> str:
        """Return the outcome if player ``first`` (0 Black, 1 White) moves first, or passes and moves second."""
        return self.black_first if (first == 0) != after_pass else self.white_first


def races_of(position: GoPosition, limit: int = LIMIT) -> tuple[Race, ...]:
    """Return the races of a position, the largest MAX_RACES of them.

    ``limit`` is the number of positions read per question.
    """
    found = np.zeros(MAX_RACES, RACE)
    n = list_races(position.states, np.zeros(END, np.int64), limit, BLACK + WHITE + ALSO_REFUTED, found)
    return tuple(_race(found[i]) for i in range(n))


def _race(row: np.void) -> Race:
    numbers = {name: int(row[name]) for name in ("black", "white", "black_stones", "white_stones", "shared")}
    return Race(
        **numbers,
        black_liberties=int(row["black_liberties"]),
        white_liberties=int(row["white_liberties"]),
        black_first=OUTCOMES[int(row["black_first"])],
        white_first=OUTCOMES[int(row["white_first"])],
        black_moves=_points(row["black_moves"], int(row["black_best"])),
        white_moves=_points(row["white_moves"], int(row["white_best"])),
        black_unclear=_points(row["black_unclear"]),
        white_unclear=_points(row["white_unclear"]),
        black_group=_points(row["black_group"]),
        white_group=_points(row["white_group"]),
        reason=REASONS[int(row["reason"])],
    )


def _points(words: NDArray[np.int64], first: int = 0) -> tuple[int, ...]:
    """Return the points of a set of the kernels, with ``first`` before the others."""
    found = [32 * i + bit for i, word in enumerate(words.tolist()) for bit in range(32) if word >> bit & 1]
    return tuple(sorted(found, key=lambda p: p != first))

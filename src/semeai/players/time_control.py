"""Time controls of chess, as tournament programs write them: ``10+0.1``, ``40/60``, ``1:30+1``."""

import re
from dataclasses import dataclass

from semeai.errors import ConfigError

_FORM = re.compile(r"(?:(?P<moves>\d{1,4})/)?(?:(?P<minutes>\d{1,4}):)?(?P<seconds>\d{1,6}(?:\.\d{1,6})?)"
                   r"(?:\+(?P<increment>\d{1,6}(?:\.\d{1,6})?))?")  # fmt: skip


@dataclass(frozen=True)
class TimeControl:
    """``seconds`` for the game, or for each ``moves`` moves if that is not 0, and ``increment`` seconds per move."""

    seconds: float
    increment: float = 0.0
    moves: int = 0

    @classmethod
    def from_text(cls, text: str) -> "TimeControl":
        """Read ``MOVES/MINUTES:SECONDS+INCREMENT``; only the seconds are needed."""
        found = _FORM.fullmatch(text.strip())
        seconds = 60 * int(found["minutes"] or 0) + float(found["seconds"]) if found else 0.0
        if found is None or not seconds or found["moves"] == "0":
            raise ConfigError(f"tc={text[:40]}: write SECONDS, SECONDS+INCREMENT or MOVES/SECONDS+INCREMENT")
        return cls(seconds, float(found["increment"] or 0), int(found["moves"] or 0))


class ChessClock:
    """The time left to one player. It does not read the time: seconds are arguments."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = control.seconds
        self._moves = 0

    def spend(self, seconds: float) -> None:
        """Subtract the time of a move and add what the player gets for it."""
        control = self.control
        self.left += control.increment - seconds
        self._moves += 1
        if control.moves and self._moves % control.moves == 0:
            self.left += control.seconds

    @property
    def moves_to_go(self) -> int:
        """Number of moves until the player gets more time; 0 if the time is for the whole game."""
        moves = self.control.moves
        return moves - self._moves % moves if moves else 0

    @property
    def milliseconds(self) -> int:
        return max(1, round(1000 * self.left))

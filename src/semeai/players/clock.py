"""The time that a player may spend on its next move, by the time systems of GTP 2 and KGS."""

from dataclasses import dataclass
from enum import Enum

from semeai.errors import ConfigError

RESERVE = 0.5
"""Seconds kept in reserve for sending a move to the server and back."""
SHARE = 0.9
"""Fraction of a byo-yomi period that is used, because a search stops a little late."""
LAG = 0.02
"""Seconds that each move takes in addition to the thinking."""


class TimeSystem(Enum):
    NONE = "none"
    ABSOLUTE = "absolute"
    CANADIAN = "canadian"
    """``stones`` moves per period of ``period`` seconds."""
    BYO_YOMI = "byoyomi"
    """``stones`` periods; a move that takes longer than ``period`` seconds uses up one of them."""


@dataclass(frozen=True)
class TimeSettings:
    """Main time, followed by overtime by ``system``. All times are in seconds."""

    system: TimeSystem = TimeSystem.NONE
    main: float = 0.0
    period: float = 0.0
    stones: int = 0

    @classmethod
    def from_gtp(cls, main: int, period: int, stones: int) -> "TimeSettings":
        """Read ``time_settings`` of GTP 2, section 4.2: ``period`` 0 means absolute time, ``stones`` 0 no limit."""
        if period == 0:
            return cls(TimeSystem.ABSOLUTE, main) if main else cls()  # three zeros: no limit
        return cls() if stones == 0 else cls(TimeSystem.CANADIAN, main, period, stones)

    @classmethod
    def from_kgs(cls, system: str, *numbers: int) -> "TimeSettings":
        """Read ``none``, ``absolute MAIN``, ``byoyomi MAIN PERIOD PERIODS`` or ``canadian MAIN PERIOD STONES``."""
        needed = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
        if system not in needed or len(numbers) != needed[system]:
            raise ConfigError(f"time system {system!r} with {len(numbers)} numbers is not a time system of KGS")
        if len(numbers) == 3 and 0 in numbers[1:]:  # no overtime after all
            return cls(TimeSystem.ABSOLUTE, numbers[0])
        return cls(TimeSystem(system), *numbers)


class Clock:
    """Time left for both players, as far as it is known. It does not read the time: seconds are arguments."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.settings = settings or TimeSettings()
        self._left = [self.settings.main, self.settings.main]
        self._stones = [0, 0]  # stones or periods left in overtime; 0 in main time
        for player in (0, 1):
            self._enter_overtime(player)

    def set_left(self, player: int, seconds: float, stones: int) -> None:
        """Set the time that the server reports; ``stones`` is 0 in main time, and the periods left in byo-yomi."""
        self._left[player], self._stones[player] = seconds, stones
        self._enter_overtime(player)

    def left(self, player: int) -> tuple[float, int]:
        """Return the seconds left, and the stones or periods that they are for (0 in main time)."""
        return self._left[player], self._stones[player]

    def spend(self, player: int, seconds: float) -> bool:
        """Subtract the time of a move, for servers that do not report it. Returns False if the player lost on time."""
        settings = self.settings
        if settings.system is TimeSystem.NONE:
            return True
        self._left[player] -= seconds
        if not self._stones[player]:
            return self._enter_overtime(player)
        if settings.system is TimeSystem.BYO_YOMI:
            while self._left[player] < 0 and self._stones[player]:
                self._left[player] += settings.period
                self._stones[player] -= 1
            self._left[player] = settings.period
            return self._stones[player] > 0
        if self._left[player] < 0:
            return False
        self._stones[player] -= 1
        if not self._stones[player]:
            self._left[player], self._stones[player] = settings.period, settings.stones
        return True

    def _enter_overtime(self, player: int) -> bool:
        """Begin the overtime if the main time is used up. Returns False if the player lost on time."""
        settings, left = self.settings, self._left[player]
        if left > 0 or self._stones[player] or settings.system is TimeSystem.NONE:
            return True
        if settings.system is TimeSystem.ABSOLUTE:
            return left >= 0
        self._left[player], self._stones[player] = settings.period, settings.stones
        if left < 0:  # the move that used up the main time goes on in the overtime
            return self.spend(player, -left)
        return True

    def seconds(self, player: int, moves_left: int) -> float | None:
        """Return the time for the next move of a player with about ``moves_left`` moves to play; None for no limit.

        It may be 0: then the player moves at once.
        """
        settings, left, stones = self.settings, self._left[player], self._stones[player]
        if settings.system is TimeSystem.NONE:
            return None
        main = max(0.0, (left - RESERVE) / max(1, moves_left) - LAG)
        if settings.system is TimeSystem.ABSOLUTE:
            return main
        if stones:
            return _overtime_share(settings.system, left, stones)
        # In main time, a move may take as long as one in overtime: when the main time ends, the overtime begins.
        return max(main, _overtime_share(settings.system, settings.period, settings.stones))


def _overtime_share(system: TimeSystem, left: float, stones: int) -> float:
    usable = SHARE * left - RESERVE if left > 4 * RESERVE else left / 2
    return max(0.0, (usable if system is TimeSystem.BYO_YOMI else usable / stones) - LAG)


def expected_moves_left(points: int, played: int) -> int:
    """Estimate the moves that a player still has to make, as a game has about 0.8 moves per point of the board.

    It is at least a tenth of the points, so that the time per move shrinks by a constant factor and never runs out.
    """
    return max(points // 10, 4, (4 * points // 5 - played) // 2)

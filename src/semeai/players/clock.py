"""How long a player may think about its next move: the time systems of GTP 2 and of KGS, without reading a clock."""

from dataclasses import dataclass
from enum import Enum

from semeai.errors import ConfigError

RESERVE = 0.5
"""Seconds that are never planned with: the way of a move to the server and back."""
SHARE = 0.9
"""The part of a byo-yomi period that is used; a search stops a little late."""
LAG = 0.02
"""Seconds that each move costs beside the thinking."""


class TimeSystem(Enum):
    NONE = "none"
    ABSOLUTE = "absolute"
    CANADIAN = "canadian"
    """``stones`` moves in each period of ``period`` seconds."""
    BYO_YOMI = "byoyomi"
    """``stones`` periods; one is lost by each move that takes longer than ``period`` seconds."""


@dataclass(frozen=True)
class TimeSettings:
    """Main time first, then overtime by ``system``; all in seconds."""

    system: TimeSystem = TimeSystem.NONE
    main: float = 0.0
    period: float = 0.0
    stones: int = 0

    @classmethod
    def from_gtp(cls, main: int, period: int, stones: int) -> "TimeSettings":
        """GTP 2, section 4.2: no byo-yomi time is absolute time, byo-yomi time without stones is no limit at all."""
        if period == 0:
            return cls(TimeSystem.ABSOLUTE, main) if main else cls()  # three zeros cannot mean a game without time
        return cls() if stones == 0 else cls(TimeSystem.CANADIAN, main, period, stones)

    @classmethod
    def from_kgs(cls, system: str, *numbers: int) -> "TimeSettings":
        """``none``, ``absolute MAIN``, ``byoyomi MAIN PERIOD PERIODS``, ``canadian MAIN PERIOD STONES``."""
        needed = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
        if system not in needed or len(numbers) != needed[system]:
            raise ConfigError(f"time system {system!r} with {len(numbers)} numbers is not one of KGS")
        if len(numbers) == 3 and 0 in numbers[1:]:  # no overtime after all
            return cls(TimeSystem.ABSOLUTE, numbers[0])
        return cls(TimeSystem(system), *numbers)


class Clock:
    """The time left of both players, as far as we were told; a pure object: seconds come in as numbers."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.settings = settings or TimeSettings()
        self._left = [self.settings.main, self.settings.main]
        self._stones = [0, 0]  # of the overtime under way; 0 in main time
        for player in (0, 1):
            self._enter_overtime(player)

    def set_left(self, player: int, seconds: float, stones: int) -> None:
        """What the server says; ``stones`` is 0 in main time, and the number of periods left in Japanese byo-yomi."""
        self._left[player], self._stones[player] = seconds, stones
        self._enter_overtime(player)

    def left(self, player: int) -> tuple[float, int]:
        """Seconds, and the stones or periods they are for; 0 in main time."""
        return self._left[player], self._stones[player]

    def spend(self, player: int, seconds: float) -> bool:
        """Count a move of that length, for servers that do not tell; False when it lost on time."""
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
        """Go over to the first period when the main time is used up; False when there is no overtime."""
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
        """Time for the next move if the player has about ``moves_left`` more to play; None for no limit.

        It may be 0: then the first idea has to do.
        """
        settings, left, stones = self.settings, self._left[player], self._stones[player]
        if settings.system is TimeSystem.NONE:
            return None
        main = max(0.0, (left - RESERVE) / max(1, moves_left) - LAG)
        if settings.system is TimeSystem.ABSOLUTE:
            return main
        if stones:
            return _overtime_share(settings.system, left, stones)
        # In main time a move may as well take what it would get later: when it runs over, the overtime begins.
        return max(main, _overtime_share(settings.system, settings.period, settings.stones))


def _overtime_share(system: TimeSystem, left: float, stones: int) -> float:
    usable = SHARE * left - RESERVE if left > 4 * RESERVE else left / 2
    return max(0.0, (usable if system is TimeSystem.BYO_YOMI else usable / stones) - LAG)


def expected_moves_left(points: int, played: int) -> int:
    """How many moves a player has still to make: a game takes about four fifths as many moves as there are points.

    A tenth of the points at least, so that time shrinks by a constant factor and never runs out.
    """
    return max(points // 10, 4, (4 * points // 5 - played) // 2)

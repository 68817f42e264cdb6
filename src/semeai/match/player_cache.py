"""Players that stay ready for their next game: an engine is started once, not once per game."""

import threading
from types import TracebackType
from typing import Self

from semeai.players.base import Player
from semeai.players.specs import PlayerSpec


class PlayerCache:
    """Keeps up to ``limit`` players open; closes the least recently used one first."""

    def __init__(self, limit: int = 4) -> None:
        self._limit = max(2, limit)  # both players of a game must stay open
        self._players: dict[tuple[PlayerSpec, int], Player] = {}

    def take(self, spec: PlayerSpec, seat: int) -> Player:
        """Return the player of ``spec`` at ``seat`` (0 or 1). A player that plays against itself needs both seats."""
        key = (spec, seat)
        player = self._players.pop(key, None) or spec.make()
        self._players[key] = player  # moved to the end: the most recently used
        while len(self._players) > self._limit:
            self._players.pop(next(iter(self._players))).close()
        return player

    def close(self) -> None:
        while self._players:
            self._players.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_local = threading.local()


def worker_players() -> PlayerCache:
    """Return the cache of this thread, kept from task to task. Its engines end with this process."""
    if not hasattr(_local, "seats"):
        _local.seats = PlayerCache()
    seats: PlayerCache = _local.seats
    return seats

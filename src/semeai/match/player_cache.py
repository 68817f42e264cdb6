"""Players that stay ready for their next game: an engine is started once, not once a game."""

import threading
from types import TracebackType
from typing import Self

from semeai.players.base import Player
from semeai.players.specs import PlayerSpec


class PlayerCache:
    """The players last used, at most ``limit`` of them; whoever was not needed for longest is closed."""

    def __init__(self, limit: int = 4) -> None:
        self._limit = max(2, limit)  # both of a game must stay
        self._players: dict[tuple[PlayerSpec, int], Player] = {}

    def take(self, spec: PlayerSpec, seat: int) -> Player:
        """The player of ``spec`` at ``seat``: somebody who plays against himself needs two."""
        key = (spec, seat)
        player = self._players.pop(key, None) or spec.make()
        self._players[key] = player  # the last one is the one just used
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
    """The seats of this thread, kept from job to job; processes of theirs end with this one."""
    if not hasattr(_local, "seats"):
        _local.seats = PlayerCache()
    seats: PlayerCache = _local.seats
    return seats

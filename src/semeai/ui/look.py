"""What a page sees of a search: moves with win rates and expected lines, and in Go the owner of each point.

The time between two looks grows with the CPU time that a look takes, so the share is kept on a busy machine too. The
playouts that estimate who owns each point are a fixed share of the simulations. So looking costs a search less than a
twentieth of its simulations.
"""

import time
from typing import Any, cast

from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.players.mcts import MctsPlayer
from semeai.report.boards import move_place
from semeai.report.values import Json, number

LOOK_SECONDS = 0.25
LOOK_SHARE = 0.01
"""Largest share of the thread's CPU time that goes into looks at a search; sending them costs about as much again."""
OWNER_SHARE = 0.02
"""Playouts for owners, as a share of the simulations."""
SHOWN_MOVES = 30
LINE = 10
"""Moves of an expected line."""


class Look:
    """What a page sees of a search."""

    def __init__(self, player: MctsPlayer, position: Position) -> None:
        self._player, self._position = player, position
        self._next = time.monotonic() + LOOK_SECONDS
        self._next_cpu = 0.0
        self._owners: Any = None
        if position.game == "go":
            from semeai.games.go.ownership import OwnerCounts
            from semeai.games.go.position import GoPosition

            self._owners = OwnerCounts(cast(GoPosition, position), player.policy)

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._next and time.thread_time() >= self._next_cpu

    def data(self, simulations: int) -> Json:
        began = time.thread_time()
        reports = [report for report in self._player.report() if report.visits]
        total = sum(report.visits for report in reports)
        mean = sum(report.visits * report.win_rate for report in reports) / total if total else None
        position, first = self._position, self._position.to_move == 0
        most = max((report.visits for report in reports), default=1)
        found: Json = {
            "simulations": simulations,
            "visits": total,
            "rate": number(mean),
            "first_rate": number(None if mean is None else mean if first else 1 - mean),
            "moves": [
                {
                    "place": move_place(position, r.move), "name": position.move_to_text(r.move), "visits": r.visits,
                    "share": number(r.visits / most, 3), "rate": number(r.win_rate), "order": order,
                    "line": self._line(r.pv),
                }
                for order, r in enumerate(reports[:SHOWN_MOVES])
            ],
        }  # fmt: skip
        if self._owners is not None:
            self._owners.add(int(OWNER_SHARE * simulations) - self._owners.playouts, reports[0].pv if reports else ())
            if self._owners.playouts:
                owners = [number(float(x), 2) for x in self._owners.on_board]
                found |= {"owners": owners, "lead": number(self._owners.lead, 1)}
        now = time.thread_time()
        self._next, self._next_cpu = time.monotonic() + LOOK_SECONDS, now + (now - began) / LOOK_SHARE
        return found

    def _line(self, moves: list[int]) -> list[Json]:
        """Return the expected moves with the letters of their stones."""
        position = self._position
        letters = [position_letter(position, player) for player in (position.to_move, 1 - position.to_move)]
        return [
            {"place": move_place(position, move), "name": position.move_to_text(move), "letter": letters[i % 2]}
            for i, move in enumerate(moves[:LINE])
        ]


def position_letter(position: Position, player: int) -> str:
    return game_named(position.game).colours[player][0]

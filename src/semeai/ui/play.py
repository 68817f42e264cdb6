"""The pages of ``semeai play``: actions of the person come as JSON, the state of the board goes out as events."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semeai.errors import ConfigError
from semeai.games.catalog import game_named
from semeai.report.boards import can_be_drawn
from semeai.ui.table import GameChoice
from semeai.ui.thinking import REVIEW_SIMULATIONS, Board
from semeai.ui.web import Refused, Streams, asking, body_of, event, is_open, json_of, page, static_route, whole_number

PAUSE = 0.08
"""Seconds between two states of the board that a page gets, at least."""
OPEN_SECONDS = 1.0
"""Seconds between two looks whether the page is still there."""
ALIVE_SECONDS = 15.0
MAX_STREAMS = 20
MAX_SIMULATIONS = 100_000

Values = Mapping[str, Any]


def play_routes(board: Board) -> list[Route]:
    """Return the routes of the board."""
    streams = Streams(MAX_STREAMS)

    async def home(request: Request) -> Response:
        return page("semeai play")

    async def act(request: Request) -> Any:
        values = await json_of(request)
        action = ACTIONS.get(str(values.get("do")))
        if action is None:
            raise Refused(f"there is no action {str(values.get('do'))[:40]!r}")
        await asyncio.to_thread(action, board, values)
        return {"version": board.version}

    async def load(request: Request) -> Any:
        data = await body_of(request)
        await asyncio.to_thread(board.load, data)
        return {"version": board.version}

    async def save(request: Request) -> Response:
        with board.held() as table:
            text = table.rules.write_record(table.record())
        headers = {"content-disposition": 'attachment; filename="game.sgf"'}
        return Response(text, media_type="application/x-go-sgf", headers=headers)

    async def state(request: Request) -> Any:
        return board.data()

    async def events(request: Request) -> Response:
        return streams.answer(stream(request))

    async def stream(request: Request) -> AsyncIterator[bytes]:
        seen, heard = -1, time.monotonic()
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the server ends
                loop.call_soon_threadsafe(changed.set)

        with board.listening(wake):
            while await is_open(request):
                changed.clear()
                if board.version != seen:
                    found = await asyncio.to_thread(board.data)
                    seen, heard = found["version"], time.monotonic()
                    yield event(found)
                    await asyncio.sleep(PAUSE)
                elif time.monotonic() - heard > ALIVE_SECONDS:
                    heard = time.monotonic()
                    yield b": still here\n\n"
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), OPEN_SECONDS)

    return [
        Route("/", asking(home)),
        static_route("play.js"),
        Route("/api/state", asking(state)),
        Route("/api/events", asking(events)),
        Route("/api/do", asking(act), methods=["POST"]),
        Route("/api/load", asking(load), methods=["POST"]),
        Route("/api/game.sgf", asking(save)),
    ]


def _game(name: Any) -> str:
    if not isinstance(name, str) or not can_be_drawn(name):
        raise Refused(f"there is no board for the game {str(name)[:40]!r}")
    return name


def _begin(board: Board, values: Values) -> None:
    game = _game(values.get("game", "go"))
    rules = game_named(game)
    size = whole_number(values["size"], "the size") if values.get("size") is not None else None
    komi = values.get("komi") if rules.has_komi else None
    if komi is not None and (isinstance(komi, bool) or not isinstance(komi, int | float) or not abs(komi) <= 1000):
        raise Refused("the komi must be a number between -1000 and 1000")
    handicap = whole_number(values.get("handicap", 0), "the number of handicap stones")
    choice = GameChoice(
        game, size, None if komi is None else float(komi), handicap if rules.has_komi else 0,
        bool(values.get("swap")) and rules.has_swap, str(values.get("human", "black"))[:10],
    )  # fmt: skip
    simulations = values.get("simulations")
    wanted = None if simulations is None else _simulations(simulations)
    board.stop_review()
    board.begin(choice, wanted)


def _simulations(given: Any) -> int:
    found = whole_number(given, "the number of simulations", MAX_SIMULATIONS)
    if found < 1:
        raise ConfigError("a move needs at least one simulation")
    return found


def _play(board: Board, values: Values) -> None:
    place = values.get("place")
    if isinstance(place, str):
        if place not in ("pass", "swap"):
            raise Refused(f"{place[:40]!r} is no move")
        board.act(lambda table: table.play(table.position.text_to_move(place)))
    else:
        number = whole_number(place, "the point")
        board.act(lambda table: table.play(table.move_at(number)))


def _review(board: Board, values: Values) -> None:
    board.start_review(_simulations(values.get("simulations", REVIEW_SIMULATIONS)))


def _dead(board: Board, values: Values) -> None:
    place = whole_number(values.get("place"), "the point")
    board.act(lambda table: table.toggle_dead(place))


def _resign(board: Board, values: Values) -> None:
    board.act(lambda table: table.resign(table.position.to_move))


ACTIONS: dict[str, Callable[[Board, Values], None]] = {
    "begin": _begin,
    "play": _play,
    "undo": lambda board, values: board.act(lambda table: table.undo()),
    "resign": _resign,
    "dead": _dead,
    "go": lambda board, values: board.act(lambda table: table.go_to(whole_number(values.get("at"), "the move"))),
    "seat": lambda board, values: board.act(lambda table: table.seat(str(values.get("human"))[:10])),
    "analyse": lambda board, values: board.analyse(values.get("on") is True),
    "review": _review,
    "stop-review": lambda board, values: board.stop_review(),
}
"""What the person can do. Nothing of it reads or writes files, or starts programs."""

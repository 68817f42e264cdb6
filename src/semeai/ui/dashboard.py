"""The dashboard: pages of a ledger, kept up to date by server-sent events. It has no way to write."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semeai.errors import SemeaiError
from semeai.printable import one_line
from semeai.report.reader import LedgerReader
from semeai.report.values import Json
from semeai.ui.web import Refused, Streams, asking, event, is_open, page, static_route, whole_number

PAUSE = 1.0
"""Seconds between two looks at the ledger; more if a look takes long."""
LOOK_SECONDS = 0.15
"""CPU seconds of one look at a race that go into the intervals of undecided candidates."""
SHARE = 0.2
"""Largest share of the time that looks may take."""
ALIVE_SECONDS = 15.0
MAX_STREAMS = 40
MAX_CURVES = 16


def dashboard_routes(reader: LedgerReader) -> list[Route]:
    """Return the routes of the dashboard; all of them only read."""
    streams = Streams(MAX_STREAMS)

    async def home(request: Request) -> Response:
        return page("semeai dashboard")

    async def events(request: Request) -> Response:
        key = request.query_params.get("run")
        if key is None:
            return streams.answer(_events(request, lambda first: {"runs": reader.runs(), "ledger": reader.location}))
        name = await _name(reader, key)
        return streams.answer(_events(request, lambda first: reader.run(name, at_once=first)))

    async def curves(request: Request) -> Any:
        name = await _name(reader, request.path_params["key"])
        words = request.query_params.get("numbers", "").split(",")[: MAX_CURVES + 1]
        if len(words) > MAX_CURVES:
            raise Refused(f"at most {MAX_CURVES} curves at once")
        numbers = [whole_number(word, "the number of a candidate") for word in words]
        found = await asyncio.to_thread(reader.curves, name, numbers)
        return {str(number): curve for number, curve in found.items()}

    async def params(request: Request) -> Any:
        name = await _name(reader, request.path_params["key"])
        return await asyncio.to_thread(reader.params, name, whole_number(request.path_params["n"], "the candidate"))

    async def games(request: Request) -> Any:
        name = await _name(reader, request.path_params["key"])
        return await asyncio.to_thread(reader.games, name, whole_number(request.path_params["n"], "the first game"))

    async def game(request: Request) -> Any:
        name = await _name(reader, request.path_params["key"])
        return await asyncio.to_thread(reader.game, name, whole_number(request.path_params["n"], "the game"))

    return [
        Route("/", asking(home)),
        static_route("dashboard.js"),
        Route("/api/events", asking(events)),
        Route("/api/run/{key}/curves", asking(curves)),
        Route("/api/run/{key}/params/{n}", asking(params)),
        Route("/api/run/{key}/games/{n}", asking(games)),
        Route("/api/run/{key}/game/{n}", asking(game)),
    ]


async def _name(reader: LedgerReader, key: str) -> str:
    return await asyncio.to_thread(reader.name_of, whole_number(key, "the number of a run"))


async def _events(request: Request, look: Callable[[bool], Json]) -> AsyncIterator[bytes]:
    """Yield what looks find, whenever it has changed. The first look is told so."""
    sent: Json | None = None
    problem, heard = "", time.monotonic()
    while await is_open(request):
        began = time.monotonic()
        try:
            found, trouble = await asyncio.to_thread(look, sent is None), ""
        except SemeaiError as error:
            found, trouble = None, one_line(str(error))
        if trouble != problem:
            yield event({"error": trouble}, "problem")
            problem, heard = trouble, time.monotonic()
        if found is not None and found != sent:
            yield event(changes(sent, found))
            sent, heard = found, time.monotonic()
        elif time.monotonic() - heard > ALIVE_SECONDS:
            yield b": still here\n\n"
            heard = time.monotonic()
        await asyncio.sleep(max(PAUSE, (time.monotonic() - began) * (1 / SHARE - 1)))


def changes(sent: Json | None, found: Json) -> Json:
    """Return what a page needs that has ``sent`` already: only what has changed, and of candidates those that did."""
    if sent is None or "data" not in found:
        return found
    before = sent["data"]
    data = {key: value for key, value in found["data"].items() if key not in before or before[key] != value}
    if rows := data.get("candidates"):
        known = before["candidates"]
        data["candidates"] = [row for i, row in enumerate(rows) if i >= len(known) or known[i] != row]
    return found | {"data": data | {"partial": True}}

"""A small web server for one person: guarded against other web sites, other users and other hosts.

It listens on the loopback address unless told otherwise. Requests whose Host or Origin is another site's are refused,
so a page elsewhere can neither read nor steer it. On any other address every request needs a secret token. All answers
have a content policy under which the browser loads nothing from any other place and runs no script that stands in a
page.
"""

import contextlib
import hmac
import ipaddress
import json
import secrets
import socket
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semeai.errors import ConfigError, SemeaiError
from semeai.printable import one_line
from semeai.report.page import SCRIPTS, STYLES, static_text

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
MAX_BODY = 2_000_000
"""Bytes of a request; a larger one is refused."""
COOKIE = "semeai"
ENDING = "semeai.ending"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Refused(SemeaiError):
    """A request that the server does not serve; ``status`` is its HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """Lets only requests through that come from this server's own pages."""

    def __init__(self, app: ASGIApp, host: str, port: int, token: str | None) -> None:
        self.app, self.port, self.token = app, port, token
        self.ending = threading.Event()
        """Set when the server ends, so that streams end too."""
        self.hosts = {*LOOPBACK, host.lower()}
        self.is_open = token is not None
        if self.is_open:
            self.hosts |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        scope[ENDING] = self.ending

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    found[name] = value
            await send(message)

        refusal = self._refusal(headers) or self._sign_in(scope, headers)
        await (refusal or self.app)(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return _sentence(f"this server does not answer for the host {one_line(host[:100])!r}", 403)
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return _sentence(f"requests of {one_line(origin[:100])!r} are refused", 403)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return _sentence("requests of other sites are refused", 403)
        return None

    def _is_ours(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or host.endswith("]"):
            name, port = host, "80"
        if port != str(self.port):
            return False
        name = name.strip("[]").lower()
        if name in self.hosts:
            return True
        if not self.is_open:
            return False
        with contextlib.suppress(ValueError):  # an address cannot be claimed by another site, as a name can
            ipaddress.ip_address(name)
            return True
        return False

    def _sign_in(self, scope: Scope, headers: Headers) -> Response | None:
        """Check the token; the address with the token sets a cookie and leads to the page without it."""
        if self.token is None:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and _same(given, self.token):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return answer
        if _same(Request(scope).cookies.get(COOKIE, ""), self.token):
            return None
        return _sentence("the address needs its token: open the whole address that the command printed", 401)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _sentence(text: str, status: int) -> Response:
    return JSONResponse({"error": text}, status)


Answer = Callable[[Request], Any]


def asking(function: Answer) -> Answer:
    """Let a handler return JSON data; its errors become one sentence with a status."""

    async def handle(request: Request) -> Response:
        try:
            found = await function(request)
        except Refused as error:
            return _sentence(str(error), error.status)
        except SemeaiError as error:
            return _sentence(one_line(str(error)), 400)
        return found if isinstance(found, Response) else JSONResponse(found)

    return handle


async def body_of(request: Request) -> bytes:
    """Return the body of a request. Raises Refused if it is too large, before it is read to its end."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise Refused(f"a request has at most {MAX_BODY:,} bytes", 413)
        parts.append(part)
    return b"".join(parts)


async def json_of(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request. Raises Refused if it has none."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused("the content type must be application/json", 415)
    try:
        found = json.loads(await body_of(request))
    except (ValueError, RecursionError):
        raise Refused("the request is no JSON") from None
    if not isinstance(found, dict):
        raise Refused("the request must be a JSON object")
    return found


def whole_number(text: Any, what: str, most: int = 2**31 - 1) -> int:
    """Return a whole number from 0 to ``most``. Raises Refused otherwise."""
    if isinstance(text, bool) or not (
        isinstance(text, int) or (isinstance(text, str) and text.isascii() and text.isdecimal())
    ):
        raise Refused(f"{what} must be a whole number, not {str(text)[:40]!r}")
    if len(str(text)) > 12 or not 0 <= int(text) <= most:
        raise Refused(f"{what} must lie between 0 and {most}")
    return int(text)


def page(title: str) -> HTMLResponse:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/static/page.css"><script src="/static/page.js" defer></script></head>'
        '<body><main id="page"></main></body></html>'
    )


def static_route(script: str) -> Route:
    """Return the route of the two files of a page: all styles, and all scripts, of which ``script`` is the last."""
    own = (files("semeai.ui") / "static" / script).read_text(encoding="utf-8")
    known = {
        "page.css": ("\n".join(map(static_text, STYLES)), "text/css"),
        "page.js": ("\n".join([*map(static_text, SCRIPTS), own]), "text/javascript"),
    }

    async def send(request: Request) -> Response:
        if request.path_params["name"] not in known:
            raise Refused("there is no such file", 404)
        text, kind = known[request.path_params["name"]]
        return Response(text, media_type=kind)

    return Route("/static/{name}", asking(send))


async def is_open(request: Request) -> bool:
    """Return whether a stream should go on: its page is there, and the server does not end."""
    return not request.scope[ENDING].is_set() and not await request.is_disconnected()


def event(data: Any, name: str = "message") -> bytes:
    """Return a server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'), allow_nan=False)}\n\n".encode()


class Streams:
    """Streams of events to pages, limited in number."""

    def __init__(self, most: int) -> None:
        self.most, self.n = most, 0

    def answer(self, events: AsyncIterator[bytes]) -> Response:
        """Return a response that counts from its start to its end, however it ends."""
        return _Stream(self, events)


class _Stream(StreamingResponse):
    def __init__(self, streams: Streams, events: AsyncIterator[bytes]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
        self.streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.streams.n >= self.streams.most:
            await _sentence("too many pages are open", 503)(scope, receive, send)
            return
        self.streams.n += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.streams.n -= 1


async def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = {404: "there is no such page", 405: "this page does not take such requests"}.get(
        status, "the request failed"
    )
    return _sentence(text, status)


async def _failed(request: Request, error: Exception) -> Response:
    traceback.print_exception(error, file=sys.stderr)
    return _sentence("the server failed; its terminal says why", 500)


def make_app(routes: Sequence[Route], host: str, port: int, token: str | None) -> Guard:
    """Return the application with its guard."""
    app = Starlette(routes=list(routes), exception_handlers={HTTPException: _unknown, 500: _failed})
    return Guard(app, host, port, token)


def open_socket(host: str, port: int | None, default: int) -> socket.socket:
    """Return a listening socket. Without ``port``, the first free one from ``default`` on is used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = [port] if port is not None else [*range(default, default + 20), 0]
    for number in tried:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(64)
            return listening
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
        if port is not None or "in use" not in reason:
            break
    raise ConfigError(f"cannot listen on {host}, port {number}: {reason}")


def needs_token(host: str) -> bool:
    return host not in LOOPBACK


@contextlib.contextmanager
def serving(
    routes: Sequence[Route], host: str, port: int | None, default: int
) -> Iterator[tuple[str, threading.Thread]]:
    """Serve in a thread of its own. Yields the address to open, and the thread; the server ends with the block."""
    import uvicorn

    listening = open_socket(host, port, default)
    number = int(listening.getsockname()[1])
    token = secrets.token_urlsafe(24) if needs_token(host) else None
    app = make_app(routes, host, number, token)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=2, limit_concurrency=200, h11_max_incomplete_event_size=65536, lifespan="off",
    )  # fmt: skip
    server = uvicorn.Server(config)

    def run() -> None:
        try:
            server.run(sockets=[listening])
        except Exception:
            if not app.ending.is_set():  # else its socket was closed while it was still starting
                raise

    thread = threading.Thread(target=run, name="web", daemon=True)
    thread.start()
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    try:
        yield f"http://{shown}:{number}/" + (f"?token={token}" if token else ""), thread
    finally:
        app.ending.set()
        server.should_exit = True
        thread.join(5)
        listening.close()


def wait(thread: threading.Thread) -> None:
    """Wait until the server ends; Ctrl-C raises KeyboardInterrupt."""
    while thread.is_alive():
        thread.join(0.2)

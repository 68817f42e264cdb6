"""``semeai dashboard``: watch the runs of a ledger in the browser."""

from typing import TYPE_CHECKING, Annotated

import typer

from semeai.cli.options import LedgerOption
from semeai.cli.output import say, warn
from semeai.store.places import DEFAULT_LEDGER

if TYPE_CHECKING:
    from starlette.routing import Route

PORT = 8765
HostOption = Annotated[
    str,
    typer.Option(help="Address to listen on. Any other than the default can be reached by others, and has a token."),
]
PortOption = Annotated[int | None, typer.Option(min=0, max=65535, help="Port (default: the first free one; 0: any).")]
BrowserOption = Annotated[bool, typer.Option("--browser", help="Also open the page in the browser.")]


def dashboard(
    ledger: LedgerOption = DEFAULT_LEDGER,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    browser: BrowserOption = False,
) -> None:
    """Watch the runs of a ledger in the browser, live.

    Shows races with the intervals of all candidates, matches with their games move by move, and evolutions with their
    patterns, also while they are running. It only reads the ledger. Ctrl-C ends it.

    Examples:
        semeai dashboard --ledger first-race/semeai.sqlite
        semeai dashboard --host 0.0.0.0    for other machines, with the token that is printed
    """
    need_web()
    from semeai.report.reader import LedgerReader
    from semeai.ui.dashboard import LOOK_SECONDS, dashboard_routes

    reader = LedgerReader(ledger, LOOK_SECONDS)
    reader.prepare()
    show_page(dashboard_routes(reader), host, port, browser, f"the runs of {reader.location}")


def need_web() -> None:
    """Raise ConfigError if the web server is not installed."""
    import importlib.util

    from semeai.errors import ConfigError

    if not all(importlib.util.find_spec(name) for name in ("starlette", "uvicorn")):
        raise ConfigError("pages in the browser need a web server (pip install 'semeai[ui]')")


def show_page(routes: "list[Route]", host: str, port: int | None, browser: bool, what: str) -> None:
    """Serve until Ctrl-C. Prints the address first."""
    from semeai.ui.web import needs_token, serving, wait

    with serving(routes, host, port, PORT) as (address, thread):
        say(f"{what}: open {address} in a browser; Ctrl-C ends it")
        if needs_token(host):
            warn("others can reach this address; the token in it is the key, and nothing is encrypted")
        if browser:
            import webbrowser

            webbrowser.open(address)
        try:
            wait(thread)
        except KeyboardInterrupt:
            say("stopped")

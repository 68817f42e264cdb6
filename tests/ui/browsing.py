"""A page in a real Chromium, as tests look at it."""

import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
needs_chromium = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
VIEWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
each_view = pytest.mark.parametrize("view", VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
SECONDS = 60_000  # milliseconds that a step may take on a busy machine


@contextmanager
def looking(browser, address, view):
    """Yield a page. At the end it must have no error, no request to another place, and no sideways scroll bar."""
    width, scheme = view
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(SECONDS)
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
    allowed = (address.split("#")[0], "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(allowed) else wrong.append(request.url))
    page.goto(address)
    yield page
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert wrong == []
    context.close()

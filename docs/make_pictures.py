"""Take the pictures of the docs: ``python docs/make_pictures.py RACE EVOLUTION MATCH``, with Chromium and playwright.

The arguments are ledgers of the runs that are shown: the race that ``semeai init first-race`` writes, the evolution of
``make demo``, and a match of 9x9 Go (see docs/howto/look-at-results.md). The boards are played here.
"""

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from semeai.players.config import PlayerConfig
from semeai.players.mcts import compile_players
from semeai.report.figure import draw_run
from semeai.report.reader import LedgerReader
from semeai.ui.dashboard import dashboard_routes
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import serving

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
GO = "E5 C3 G7 C7 G3 E3 D5 F6 F7 D7"
HAVANNAH = "e5 c3 d6 f6 e6 g5"
WAIT = 120_000


@contextlib.contextmanager
def window(browser: Any, address: str, width: int = 1240, height: int = 900) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(address)
    yield page
    context.close()


def save(page: Page, name: str, height: int) -> None:
    """Save the upper part of a page."""
    page.set_viewport_size({"width": 1240, "height": height})
    page.mouse.move(2, 2)
    time.sleep(1)
    page.screenshot(path=IMAGES / name)


def picture_of_run(browser: Any, ledger: str, name: str, height: int, replayed: bool = False) -> None:
    reader = LedgerReader(ledger)
    run = next(run for run in reader.runs() if "/" not in run["name"])
    with (
        serving(dashboard_routes(reader), "127.0.0.1", 0, 0) as (address, _),
        window(browser, f"{address}#/run/{run['key']}") as page,
    ):
        page.locator("canvas").first.wait_for()
        if run["kind"] == "race":
            page.get_by_role("heading", name="Evidence").wait_for()
            figure = dict(reader.run(run["name"]))
            draw_run(figure | {"curves": reader.curves(run["name"], figure["data"]["shown"])}, IMAGES / "funnel.svg")
            time.sleep(4)
        if replayed:
            page.locator("tr.pick").first.click()
            page.locator(".replay").wait_for()
            page.get_by_role("slider").fill("40")
            card = page.locator("section", has=page.get_by_role("heading", name="Games", exact=True))
            card.locator(".games").evaluate("node => { node.style.maxHeight = '150px'; }")
            time.sleep(1)
            card.screenshot(path=IMAGES / name)
            return
        save(page, name, height)


def picture_of_board(browser: Any, game: str, size: int, moves: str, name: str, height: int) -> None:
    compile_players([game])
    board = Board(
        GameChoice(game, size, human="both"), lambda game: PlayerConfig(game=game, simulations=500), Budget(500)
    )
    with (
        contextlib.closing(board),
        serving(play_routes(board), "127.0.0.1", 0, 0) as (address, _),
        window(browser, address) as page,
    ):
        for move in moves.split():
            board.act(lambda table, move=move: table.play(table.position.text_to_move(move)))
        page.get_by_role("button", name="Find mistakes").click()
        page.get_by_role("button", name="Close the review").wait_for()
        page.get_by_role("button", name="Analyse").click()
        while (board.analysis or {}).get("simulations", 0) < 20_000:
            time.sleep(0.1)
        save(page, name, height)


def main(race: str, evolution: str, match: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=FLAGS)
        picture_of_run(browser, race, "race.png", 890)
        picture_of_run(browser, evolution, "evolution.png", 980)
        picture_of_run(browser, match, "match.png", 900, replayed=True)
        picture_of_board(browser, "go", 9, GO, "play.png", 1010)
        picture_of_board(browser, "havannah", 5, HAVANNAH, "havannah.png", 860)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

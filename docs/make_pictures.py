"""Make the pictures of the docs: ``python docs/make_pictures.py [NAME...]``, with Chromium and playwright.

The runs that are shown are made first, from fixed seeds and with the commands in COMMANDS, in build/pictures; a second
call finds them there. The boards are played here. Without names, all pictures are made.
"""

import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright

from semeai.players.config import PlayerConfig
from semeai.players.mcts import compile_players
from semeai.report.contents import report_data
from semeai.report.figure import draw_run
from semeai.report.reader import LedgerReader
from semeai.ui.dashboard import dashboard_routes
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import serving

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
FOLDER = DOCS.parent / "build" / "pictures"
COMMANDS = {
    "first-race/semeai.sqlite": ["init first-race", "race first-race/race.toml"],
    "first-player/semeai.sqlite": ["init first-player --evolve", "evolve first-player/evolve.toml --steps 2"],
    "match.sqlite": [
        "match mcts:default mcts:default,simulations=50 --size 9 --simulations 100 --games 40 --ledger match.sqlite"
    ],
}
"""What makes each ledger."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
GO = "E5 C3 G7 C7 G3 E3 D5 F6 F7 D7"
HAVANNAH = "e5 c3 d6 f6 e6 g5"
ANALYSED = 20_000
WAIT = 120_000
WIDTH, MARGIN = 1240, 14


def ledger(name: str) -> str:
    """Return the ledger after its commands have ended; what has ended before takes a moment."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for command in COMMANDS[name]:
        if command.startswith("init") and (FOLDER / command.split()[1]).exists():
            continue
        words = [sys.executable, "-m", "semeai", *command.split()]
        subprocess.run(words, cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    return name


@contextlib.contextmanager
def window(browser: Any, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": WIDTH, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(address)
    yield page
    context.close()


def card(page: Page, title: str) -> Locator:
    return page.locator("section.card", has=page.get_by_role("heading", name=title, exact=True))


def save(page: Page, name: str, last: Locator) -> None:
    """Save the page down to the end of its part ``last``."""
    page.mouse.move(2, 2)
    box = last.bounding_box()
    assert box is not None
    page.set_viewport_size({"width": WIDTH, "height": int(box["y"] + box["height"]) + MARGIN})
    time.sleep(1)
    page.screenshot(path=IMAGES / f"{name}.png")


@contextlib.contextmanager
def dashboard(browser: Any, place: str) -> Iterator[tuple[Page, LedgerReader, str]]:
    """Yield the page of the run in a ledger."""
    with contextlib.chdir(FOLDER), contextlib.closing(LedgerReader(ledger(place))) as reader:
        run = next(run for run in reader.runs() if "/" not in run["name"])
        with (
            serving(dashboard_routes(reader), "127.0.0.1", 0, 0) as (address, _),
            window(browser, f"{address}#/run/{run['key']}") as page,
        ):
            page.locator("canvas").first.wait_for()
            yield page, reader, run["name"]


def race(browser: Any) -> None:
    with dashboard(browser, "first-race/semeai.sqlite") as (page, _, _):
        page.get_by_role("heading", name="Evidence").wait_for()
        time.sleep(4)  # the curves come one after the other
        save(page, "race", card(page, "Intervals"))


def funnel(browser: Any) -> None:
    with contextlib.chdir(FOLDER), contextlib.closing(LedgerReader(ledger("first-race/semeai.sqlite"))) as reader:
        draw_run(report_data(reader, ["race"])["runs"][0], IMAGES / "funnel.svg")


def evolution(browser: Any) -> None:
    with dashboard(browser, "first-player/semeai.sqlite") as (page, _, _):
        page.locator(".line img").first.wait_for()
        save(page, "evolution", card(page, "What the programs are worth"))


def match(browser: Any) -> None:
    """Save a replayed game below the first rows of the list of games."""
    with dashboard(browser, "match.sqlite") as (page, _, _):
        page.locator("tr.pick").first.click()
        page.locator(".replay").wait_for()
        page.get_by_role("slider").fill("40")
        page.get_by_role("slider").blur()
        page.locator(".games").evaluate(
            "node => { node.style.maxHeight = `${node.querySelector('tbody tr:nth-child(4)').offsetTop - 1}px`; }"
        )
        time.sleep(1)
        card(page, "Games").screenshot(path=IMAGES / "match.png")


def board(browser: Any, name: str, game: str, size: int, moves: str) -> None:
    """Save a board with an analysis, and below it the mistakes of the game."""
    compile_players([game])
    choice = GameChoice(game, size, human="both")
    played = Board(choice, lambda game: PlayerConfig(game=game, simulations=500), Budget(500, analysis=ANALYSED))
    with (
        contextlib.closing(played),
        serving(play_routes(played), "127.0.0.1", 0, 0) as (address, _),
        window(browser, address) as page,
    ):
        for move in moves.split():
            played.act(lambda table, move=move: table.play(table.position.text_to_move(move)))
        page.get_by_role("button", name="Find mistakes").click()
        page.get_by_role("button", name="Close the review").wait_for()
        page.get_by_role("button", name="Analyse").click()
        while (played.analysis or {}).get("simulations", 0) < ANALYSED:
            time.sleep(0.1)
        save(page, name, card(page, "Mistakes, the largest first"))


def patterns(browser: Any) -> None:
    """Draw the patterns of docs/howto/use-patterns.md."""
    text = (DOCS / "howto" / "use-patterns.md").read_text()
    found = re.search(r"```text\n(semeai patterns 1\ngeometry square\n.*?)```", text, re.DOTALL)
    assert found is not None
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "patterns.txt").write_text(found[1])
    words = ["pattern", "draw", "patterns.txt", "--svg", str(IMAGES / "patterns.svg")]
    subprocess.run([sys.executable, "-m", "semeai", *words], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)


PICTURES: dict[str, Callable[[Any], None]] = {
    "race": race,
    "funnel": funnel,
    "evolution": evolution,
    "match": match,
    "play": partial(board, name="play", game="go", size=9, moves=GO),
    "havannah": partial(board, name="havannah", game="havannah", size=5, moves=HAVANNAH),
    "patterns": patterns,
}


def main(names: list[str]) -> None:
    if unknown := set(names) - set(PICTURES):
        sys.exit(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=FLAGS)
        for name in names or PICTURES:
            PICTURES[name](browser)
            print(f"made {name}")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])

"""What it costs to look: the first paint of the dashboard over a large ledger, and a search while a page watches it.

The ledger holds one race with 1,000 candidates and 100,000 batches. The first paint is measured in a real Chromium.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.ledger_load import fill
from semeai import RaceSettings
from semeai.errors import ConfigError
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer, compile_players
from semeai.report.reader import LedgerReader
from semeai.table import ResultTable
from semeai.ui.dashboard import LOOK_SECONDS, dashboard_routes
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import FIRST_CHUNK, Board, Budget, next_chunk
from semeai.ui.web import serving

BATCHES = 100_000
SETTINGS = RaceSettings(mode="plain", batch=8, growth=0.0)
"""Nearly all candidates stay undecided, which is the most work for a page."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip
READER = "import sys, urllib.request as r\nfor line in r.urlopen(sys.argv[1]): print(len(line), flush=True)"
"""A page that only reads, in a process of its own as a browser is."""
PAINTED = """() => new Promise((done) => {
  const look = () => {
    const table = document.querySelectorAll("tr.pick").length, drawn = document.querySelectorAll("canvas").length;
    if (table && drawn) requestAnimationFrame(() => done(performance.now())); else requestAnimationFrame(look);
  };
  look();
})"""
"""Milliseconds from the start of the navigation until the table and the first figure are drawn."""


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise ConfigError("this benchmark needs chromium")
    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield found
        found.close()


def paint_seconds(chromium: Any, address: str) -> float:
    """Return the seconds until a new window shows the race."""
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(f"{address}#/run/1")
    took: float = page.evaluate(PAINTED)
    context.close()
    return took / 1000


def paints(place: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Return the seconds of first looks, each at a new server that knows nothing yet, and of second looks."""
    first, second = [], []
    with browser() as chromium:
        for _ in range(rounds):
            with serving(dashboard_routes(LedgerReader(place, LOOK_SECONDS)), "127.0.0.1", 0, 0) as (address, _thread):
                first.append(paint_seconds(chromium, address))
                second.append(paint_seconds(chromium, address))
    return first, second


def shares_of_a_look(place: Path) -> list[tuple[str, str]]:
    """Return the CPU seconds of the server's parts of a first look, and the size of what it sends."""
    reader = LedgerReader(place, LOOK_SECONDS)
    reader.prepare()
    began = time.process_time()
    page = reader.run("load", at_once=True)
    first = time.process_time() - began
    began = time.process_time()
    reader.run("load")
    read = time.process_time() - began
    began = time.process_time()
    reader.version("load")
    version = time.process_time() - began
    shown = page["data"]["shown"]
    began = time.process_time()
    reader.curves("load", shown)
    curves = time.process_time() - began
    sent = len(json.dumps(page, separators=(",", ":")))
    reader.close()
    return [
        ("the first look: totals, verdicts, the most promising intervals", f"{first:.3f}"),
        ("the second one, a second later: the speed, and more intervals", f"{read:.3f}"),
        ("looking whether it has changed, once per second", f"{version:.4f}"),
        (f"the first {len(shown)} curves, computed once, sent after the page", f"{curves:.3f}"),
        ("kB that the page receives at first", f"{sent / 1000:.0f}"),
    ]


def bare_rate(config: PlayerConfig, choice: GameChoice, simulations: int) -> float:
    """Return the simulations per CPU second of a search that nobody looks at."""
    player = MctsPlayer(config)
    position = choice.record()
    from semeai.games.catalog import game_named

    board = game_named(choice.game).replay(position, 0)
    player.start(board, 1)
    player.set_position(board)
    done, chunk = 0, FIRST_CHUNK
    began = time.process_time()
    while done < simulations:
        before = time.monotonic()
        ran = player.think(min(chunk, simulations - done))
        done += ran
        chunk = next_chunk(chunk, time.monotonic() - before)
    rate = done / (time.process_time() - began)
    player.close()
    return rate


def watched_rate(config: PlayerConfig, choice: GameChoice, simulations: int) -> float:
    """Return the same of an analysis whose results, with owners, go to an open page."""
    board = Board(choice, lambda game: config, Budget(simulations=100, analysis=simulations))
    with contextlib.closing(board), serving(play_routes(board), "127.0.0.1", 0, 0) as (address, _):
        page = subprocess.Popen([sys.executable, "-c", READER, f"{address}api/events"], stdout=subprocess.PIPE)
        assert page.stdout is not None
        page.stdout.readline()  # it has the first state
        board.analyse(True)
        while board.analysis is None:  # making the player and its tree is not a part of the search
            time.sleep(0.001)
        began, before = time.process_time(), board.analysis["simulations"]
        while (board.analysis or {}).get("simulations", 0) < simulations:
            time.sleep(0.05)
        rate = (simulations - before) / (time.process_time() - began)
        page.kill()
        page.communicate()
    return rate


def analysis_rows(games: Sequence[tuple[str, int, int]], rounds: int) -> list[tuple[str, str, str, str]]:
    rows = []
    for game, size, simulations in games:
        config = PlayerConfig(game=game, simulations=100)
        choice = GameChoice(game, size, human="both")
        compile_players([game])
        pairs = []
        for _ in range(rounds):  # one after the other, so that a busy machine is as unfair to both
            pairs.append((bare_rate(config, choice, simulations), watched_rate(config, choice, simulations)))
        shares = [1 - watched / bare for bare, watched in pairs]
        bare, watched = (statistics.median(side) for side in zip(*pairs, strict=True))
        rows.append((f"{game} {size}", f"{bare:,.0f}", f"{watched:,.0f}", f"{100 * statistics.median(shares):.1f}%"))
    return rows


def busy() -> str:
    """Say how busy the machine was, because times on a busy machine are longer."""
    return f"Load average of the last 15 minutes: {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores."


def run(rounds: int = 5) -> list[ResultTable]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "large.sqlite"
        fill(place, BATCHES, SETTINGS)
        first, second = paints(place, rounds)
        parts = shares_of_a_look(place)
    paint_rows = [
        (what, f"{statistics.median(times):.2f}", f"{min(times):.2f}", f"{max(times):.2f}")
        for what, times in (("first look at a new server", first), ("second look", second))
    ]
    # Two seconds and more per search. Havannah is left out: its searches get faster as they go on, and an analysis is
    # timed from its first result on.
    games = (("go", 9, 100_000), ("go", 19, 25_000))
    return [
        ResultTable(
            "Seconds until a race with 1,000 candidates and 100,000 batches is on the screen",
            ("", "median", "least", "most"), tuple(paint_rows),
            f"From the start of the navigation until Chromium has drawn table and figure; {rounds} rounds. {busy()}",
        ),
        ResultTable("Where the time goes, CPU seconds of the server", ("", "value"), tuple(parts)),
        ResultTable(
            "What an analysis costs the search", ("board", "search alone", "with an open page", "less"),
            tuple(analysis_rows(games, rounds)),
            "Simulations per CPU second of the whole process, with the server, the page's events, and the playouts for "
            f"owners and score; medians of {rounds} rounds, one after the other. The last column is the median "
            f"of the differences within a round. {busy()}",
        ),
    ]  # fmt: skip

"""Pages in a real Chromium: a race to its verdict, a replayed game, whole games with the mouse, an SGF, a report."""

import json
import shutil
import time
from contextlib import closing, contextmanager, suppress

import pytest

from semeai.errors import LedgerError
from semeai.evolve.config import checked_evolution
from semeai.evolve.loop import run_evolution
from semeai.players.config import PlayerConfig
from semeai.players.mcts import compile_players
from semeai.report.contents import read_tables, report_data
from semeai.report.page import report_page
from semeai.report.reader import LedgerReader
from semeai.runs.run import place_of
from semeai.table import Chart, Curve, ResultTable
from semeai.ui import dashboard
from semeai.ui.dashboard import dashboard_routes
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import serving
from tests.report.ledgers import EVIL, Recorder, recorded_match, recorded_race
from tests.started import Started

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
VIEWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
each_view = pytest.mark.parametrize("view", VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
SECONDS = 60_000  # milliseconds that a step may take on a busy machine


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


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


def lead(page):
    return page.locator(".lead").first


@each_view
def test_a_live_race_is_watched_to_its_verdict(browser, tmp_path, view, monkeypatch):
    monkeypatch.setattr(dashboard, "PAUSE", 0.1)
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place)
    recorder.record(4)
    with (
        serving(dashboard_routes(LedgerReader(place)), "127.0.0.1", 0, 0) as (address, _),
        looking(browser, address, view) as page,
    ):
        page.get_by_role("link", name="race", exact=True).click()
        page.get_by_text("No candidate is accepted so far.").wait_for()
        assert page.locator(".badge.running").count() == 1
        page.locator("canvas").first.wait_for()
        page.locator("summary", has_text="fails").first.click()
        page.get_by_text(f"Traceback {EVIL}").first.wait_for()  # its standard error
        recorder.record(100)
        recorder.finish()
        page.get_by_text("better is better than the baseline.").wait_for()
        page.locator(".badge.finished").wait_for()
        assert page.locator("tr", has_text=EVIL).count() >= 1  # a name is text, whatever it says
        assert page.locator("main script").count() == 0
        assert page.locator("details[open]").count() == 1  # an update closes nothing
        page.locator("tr.picked", has_text="better").click()
        page.locator("tr.pick:not(.picked)", has_text="better").wait_for()
        page.locator("tr.pick", has_text="better").click()
        page.get_by_text("Parameters of better").wait_for()


RACE = """
seed = 1
[race]
mode = "plain"
batch = 10
accept_above = 0.5
discard_below = 0.5
[evaluator]
callable = "shots:wins"
[[candidates]]
name = "better"
rate = 0.9
[[candidates]]
name = "worse"
rate = 0.1
"""
SHOTS = """
import random, time
from pathlib import Path
done = 0
def wins(params, seed):
    global done
    done += 1
    while done > 40 and not Path("go").exists():
        time.sleep(0.02)
    return float(random.Random(seed).random() < params["rate"])
"""
"""A program that waits for the file ``go`` after its first evaluations."""


def test_a_race_of_the_command_line_is_watched_from_its_first_batches_to_its_end(browser, tmp_path):
    (tmp_path / "race.toml").write_text(RACE)
    (tmp_path / "shots.py").write_text(SHOTS)
    race = Started(tmp_path, ["-m", "semeai", "race", "race.toml", "--ledger", "live.sqlite", "--workers", "1"])
    with closing(race):
        race.wait_until(lambda: has_results(tmp_path / "live.sqlite"))
        with (
            serving(dashboard_routes(LedgerReader(tmp_path / "live.sqlite")), "127.0.0.1", 0, 0) as (address, _),
            looking(browser, address, VIEWS[0]) as page,
        ):
            row = page.locator("tbody tr").first
            row.locator(".badge.running").wait_for()
            assert row.inner_text().count("\t") == page.locator("th").count() - 1 == 7  # with rate and workers
            page.get_by_role("link", name="race", exact=True).click()
            page.get_by_text("No candidate is accepted so far.").wait_for()
            page.locator(".tile", has_text="per second").wait_for()
            page.locator(".tile", has_text="busy workers").wait_for()
            (tmp_path / "go").touch()
            page.get_by_text("better is better than the baseline.").wait_for()
            page.locator(".badge.finished").wait_for()
            assert page.locator(".tile", has_text="per second").count() == 0
        assert race.ended() == 0


def has_results(place):
    if not place.exists():
        return False
    with suppress(LedgerError), closing(LedgerReader(place)) as reader:
        return any(run["n_results"] for run in reader.runs())
    return False


def test_the_pace_of_a_run_that_stalls_falls(browser, match_place):
    with (
        serving(dashboard_routes(LedgerReader(match_place)), "127.0.0.1", 0, 0) as (address, _),
        looking(browser, address, VIEWS[0]) as page,
    ):
        found = page.evaluate(
            "[10, 100, 1000].map((s) => ui.pace({ pace: { results: 50, worker_seconds: 20, since: 5000 } }, 5000 + s))"
        )
        assert [(p["rate"], p["workers"]) for p in found] == [("5", "2.0"), ("0.5", "0.2"), ("0.05", "0.0")]


def test_a_run_that_is_not_there_is_a_sentence(browser, match_place):
    with serving(dashboard_routes(LedgerReader(match_place)), "127.0.0.1", 0, 0) as (address, _):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}#/run/99")
        page.get_by_text("no run with number 99").wait_for(timeout=SECONDS)
        context.close()


@pytest.fixture(scope="module")
def evolution_place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evolution")
    config = checked_evolution(
        {
            "seed": 1, "steps": 2, "candidates": 3,
            "player": {"player": "mcts:rave,search.exploration=0", "simulations": 10}, "match": {"size": 5},
            "proposers": [{"kind": "given", "patterns": ["-1 _/*", "-1 O*", "-1 S*", "-1 X*", "+1 *_"]}],
            "validation": {"games": 4, "deep_games": 0, "opponent_games": 0}, "executor": {"name": "inline"},
        }
    )  # fmt: skip
    place = folder / "semeai.sqlite"
    run_evolution(config, folder, place_of(config.executor, str(place), None, 1), name="grown", output=folder / "grown")
    return place


@each_view
def test_an_evolution_is_looked_at(browser, evolution_place, view):
    reader = LedgerReader(evolution_place)
    data = reader.run("grown")["data"]
    assert len(data["programs"]) > 1
    with serving(dashboard_routes(reader), "127.0.0.1", 0, 0) as (address, _), looking(browser, address, view) as page:
        page.get_by_role("link", name="grown", exact=True).click()
        assert lead(page).inner_text() == data["words"][0]
        pictures = page.locator(".line .pattern img")
        pictures.first.wait_for()
        assert pictures.count() == len(data["programs"]) - 1
        assert page.locator(".gallery .pattern").count() == len(data["discarded"]) > 0
        for image in pictures.all():
            assert image.evaluate("async (node) => { await node.decode(); return node.naturalWidth; }") > 20
        page.get_by_role("link", name="its race").first.click()
        page.get_by_role("heading", name="Intervals").wait_for()
        page.get_by_role("link", name="all runs").click()
        page.get_by_role("link", name="grown", exact=True).wait_for()


@pytest.fixture(scope="module")
def match_place(tmp_path_factory):
    place = tmp_path_factory.mktemp("match") / "match.sqlite"
    recorded_match(place, games=2)
    return place


STEP_THROUGH = """() => {
  const found = [], n = (colour) => document.querySelectorAll(`.replay circle.${colour}`).length;
  const forward = document.querySelector(".replay [aria-label=forward]");
  const says = document.querySelector(".replay .says");
  for (let before = ""; before !== says.textContent; ) {
    before = says.textContent;
    found.push([before.split(":")[0], n("black"), n("white")]);
    forward.click();
  }
  return found;
}"""
"""What a replay says, and its stones, at its present move and after each click on the button."""


@each_view
def test_a_game_of_a_match_is_replayed(browser, match_place, view):
    reader = LedgerReader(match_place)
    game = reader.game("match", 1)
    with serving(dashboard_routes(reader), "127.0.0.1", 0, 0) as (address, _), looking(browser, address, view) as page:
        page.get_by_role("link", name="match", exact=True).click()
        page.locator("tr.pick").nth(1).click()
        page.locator(".replay .board").wait_for()
        page.get_by_role("button", name="first move").click()
        page.get_by_role("button", name="forward").click()
        board, wanted = list(game["start"]), []
        for number, move in enumerate(game["moves"], 1):
            for point, letter in move["changes"]:
                board[point] = letter
            wanted.append([f"Move {number} of {len(game['moves'])}", board.count("b"), board.count("w")])
        assert page.evaluate(STEP_THROUGH) == wanted
        page.locator(".replay").press("Home")
        page.get_by_text("Start. ").wait_for()


def test_the_list_of_games_has_parts_and_havannah_names_white_first(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("semeai.report.match.LISTED", 4)
    recorded_match(tmp_path / "match.sqlite", "hexagons", games=10, game="havannah", size=3)
    with (
        serving(dashboard_routes(LedgerReader(tmp_path / "match.sqlite")), "127.0.0.1", 0, 0) as (address, _),
        looking(browser, address, VIEWS[0]) as page,
    ):
        page.get_by_role("link", name="hexagons", exact=True).click()
        page.get_by_text("Games 7 to 10 of 10").wait_for()
        page.get_by_role("button", name="earlier games").click()
        page.get_by_text("Games 3 to 6 of 10").wait_for()
        page.get_by_role("button", name="earlier games").click()
        page.get_by_text("Games 1 to 4 of 10").wait_for()
        assert page.get_by_role("button", name="earlier games").is_disabled()
        assert page.locator(".games tr.pick").first.inner_text().split()[0] == "1"
        page.locator(".games tr.pick").first.click()
        names = page.locator(".replay p").first
        names.wait_for()
        assert [line.split()[0] for line in names.inner_text().splitlines()] == ["White", "Black"]
        page.get_by_role("button", name="later games").click()
        page.get_by_text("Games 5 to 8 of 10").wait_for()


@pytest.fixture(scope="module")
def report_file(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("report")
    place = tmp_path / "runs.sqlite"
    recorded_race(place)
    recorded_match(place, games=2)
    file = tmp_path / "report.html"
    ours = Curve("ours", ((250.0, 60.0, 50.0, 70.0), (500.0, 55.0, 45.0, 65.0)))
    paper = Curve("the paper", ((250.0, 63.0, 62.0, 64.0), (500.0, 61.0, 60.0, 62.0)), measured=False)
    chart = Chart("Curves", "N", "win rate", (ours, paper))
    table = ResultTable("Table 1", ("N", "win rate", "paper"), ((250, "60%", "63%"), (500, "55%", "61%")), "", (chart,))
    (tmp_path / "tables.json").write_text(json.dumps([table.to_json()]))
    tables = read_tables(tmp_path / "tables.json")
    data = report_data(LedgerReader(place), ["race", "match"], tables, made="today")
    file.write_text(report_page(data, "report"))
    return file


@each_view
def test_a_report_is_opened_from_disk(browser, report_file, view):
    with looking(browser, report_file.as_uri(), view) as page:
        assert lead(page).inner_text() == "better is better than the baseline."
        page.locator("canvas").nth(3).wait_for()
        page.locator("#run-1 tr.pick").first.click()
        page.locator("#run-1 .replay .board").wait_for()
        page.get_by_role("button", name="first move").click()
        assert "Start." in page.locator("#run-1 .says").inner_text()
        assert page.locator("#run-1 circle.black").count() == 0
        page.get_by_role("button", name="forward").click()
        assert page.locator("#run-1 circle.black").count() == 1
        reproduced = page.locator("section", has=page.get_by_role("heading", name="Table 1"))
        assert reproduced.locator("tbody tr").first.inner_text().split() == ["250", "60%", "63%"]
        assert reproduced.locator("canvas").count() == 1


@contextmanager
def playing(choice):
    def config(game):
        return PlayerConfig(game=game, simulations=20, memory_mb=4)

    compile_players([choice.game])
    with (
        closing(Board(choice, config, Budget(simulations=20, analysis=500))) as board,
        serving(play_routes(board), "127.0.0.1", 0, 0) as (address, _),
    ):
        yield board, address


SHOWS_MOVE = "n => +document.querySelector('.steps input').value === n"


def finish_by_mouse(page, board, names):
    """Click legal points, the player answers, until the game is over."""
    end = time.monotonic() + SECONDS / 1000
    while time.monotonic() < end:
        with board.held() as table:
            if table.is_over:
                return
            waits = table.awaits_player
            moves = [table.position.move_to_text(int(m)) for m in table.position.sensible_moves()]
            n = table.at
        if waits:
            page.wait_for_timeout(5)
            continue
        page.wait_for_function(SHOWS_MOVE, arg=n)  # the page has seen the answer
        point = next((name for name in names if name in moves), None)
        if point is None or "pass" in moves:
            page.get_by_role("button", name="Pass").click()
        else:
            box = page.locator(f'[data-point="{point}"]').bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        while board.table.at <= n and not board.table.is_over and time.monotonic() < end:
            page.wait_for_timeout(5)
    raise AssertionError("the game has no end")


@each_view
def test_a_whole_game_of_go_is_played_with_the_mouse(browser, view):
    names = [f"{letter}{line}" for line in (3, 2, 4, 1, 5) for letter in "CBDAE"]
    with playing(GameChoice("go", 5, 0.5)) as (board, address), looking(browser, address, view) as page:
        page.locator(".hit").first.wait_for()
        finish_by_mouse(page, board, names)
        page.locator(".says b").filter(has_text="Counted" if board.table.resigned is None else "wins").wait_for()
        assert board.table.result()
        if board.table.resigned is None:  # the territory is marked
            found = board.table.data()
            empty = sum(
                1 for owner, stone in zip(found["area"], found["stones"], strict=True) if owner and stone == "."
            )
            assert page.locator(".board .area").count() >= empty


@each_view
def test_a_whole_game_of_havannah_is_played_with_the_mouse(browser, view):
    with playing(GameChoice("havannah", 3, human="white")) as (board, address):
        names = board.table.data()["board"]["names"]
        with looking(browser, address, view) as page:
            page.locator(".hit").first.wait_for()
            finish_by_mouse(page, board, names)
            page.locator(".says b").filter(has_text="game is over").or_(
                page.locator(".says b").filter(has_text="wins")
            ).first.wait_for()
            if board.table.position.is_over and board.table.position.winner is not None:
                page.locator(".board .win").first.wait_for()


@each_view
def test_the_first_stone_of_havannah_is_taken_over(browser, view):
    with (
        playing(GameChoice("havannah", 3, swap=True, human="black")) as (board, address),
        looking(browser, address, view) as page,
    ):
        page.get_by_text("You may take over the first stone").wait_for()  # the player, White, has begun
        page.get_by_role("button", name="Swap").click()
        page.wait_for_function(SHOWS_MOVE, arg=3)  # the player has answered
        assert [move["name"] for move in board.data()["table"]["moves"]][1] == "swap"
        assert page.get_by_role("button", name="Swap").is_hidden()
        assert page.locator(".board:not(.disc) circle.black").count() == 1


@each_view
def test_a_record_is_analysed(browser, tmp_path, view):
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[5]KM[0.5];B[cc];W[bb];B[dd];W[aa])")
    # The board shows Havannah at first: that the record is one of Go is found out by itself.
    with playing(GameChoice("havannah", 3, human="both")) as (board, address), looking(browser, address, view) as page:
        page.locator(".hit").first.wait_for()
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_text("Move 0 of 4").wait_for()
        page.get_by_text("What the search thinks").wait_for()
        page.locator(".board .heat.best").wait_for()
        page.locator("tr.pick").first.hover()
        page.locator(".board .label.on-black").first.wait_for()  # the expected line
        page.get_by_role("button", name="Owners").click()
        page.locator(".board .owner").first.wait_for(state="attached")
        page.get_by_role("button", name="Find mistakes").click()
        page.get_by_role("button", name="Close the review").wait_for()
        assert len(board.review["moves"]) == 4
        page.get_by_role("button", name="forward").click()
        page.get_by_text("Move 1 of 4").wait_for()
        with page.expect_download() as saved:
            page.get_by_text("Save SGF").click()
        assert "B[cc]" in saved.value.path().read_text()

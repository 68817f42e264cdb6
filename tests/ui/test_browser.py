"""Pages in a real Chromium: a race to its verdict, a replayed game, whole games with the mouse, an SGF, a report."""

import shutil
from contextlib import closing, contextmanager

import pytest

from semeai.players.config import PlayerConfig
from semeai.players.mcts import compile_players
from semeai.report.contents import report_data
from semeai.report.page import report_page
from semeai.report.reader import LedgerReader
from semeai.ui.dashboard import dashboard_routes
from semeai.ui.play import play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import serving
from tests.report.ledgers import EVIL, Recorder, recorded_match, recorded_race

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
VIEWS = [(1400, "light"), (390, "dark")]
SECONDS = 60_000  # milliseconds that a step may take on a busy machine


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def looking(browser, address, width=1400, scheme="light"):
    """Yield a page. At the end it must have no error, no request to another place, and no sideways scroll bar."""
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


def test_a_live_race_is_watched_to_its_verdict(browser, tmp_path):
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place)
    recorder.record(4)
    with (
        serving(dashboard_routes(LedgerReader(place)), "127.0.0.1", 0, 0) as (address, _),
        looking(browser, address) as page,
    ):
        page.get_by_role("link", name="race", exact=True).click()
        page.get_by_text("No candidate is accepted so far.").wait_for()
        assert page.locator(".badge.running").count() == 1
        page.locator("canvas").first.wait_for()
        recorder.record(100)
        recorder.finish()
        page.get_by_text("better is better than the baseline.").wait_for()
        page.locator(".badge.finished").wait_for()
        assert page.locator("tr", has_text=EVIL).count() >= 1  # a name is text, whatever it says
        assert page.locator("main script").count() == 0


def test_a_report_is_opened_from_disk(browser, tmp_path):
    place = tmp_path / "runs.sqlite"
    recorded_race(place)
    recorded_match(place, games=2)
    file = tmp_path / "report.html"
    file.write_text(report_page(report_data(LedgerReader(place), ["race", "match"], made="today"), "report"))
    for width, scheme in VIEWS:
        with looking(browser, file.as_uri(), width, scheme) as page:
            assert lead(page).inner_text() == "better is better than the baseline."
            assert page.locator("canvas").count() >= 3
            page.locator("#run-1 tr.pick").first.click()
            page.locator("#run-1 .replay .board").wait_for()
            page.get_by_role("button", name="first move").click()
            assert "Start." in page.locator("#run-1 .says").inner_text()
            assert page.locator("#run-1 .board .black").count() == 0
            page.get_by_role("button", name="forward").click()
            assert page.locator("#run-1 .board .black").count() == 1


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


def finish_by_mouse(page, board, names):
    """Click legal points, the player answers, until the game is over."""
    for _ in range(5000):
        with board.held() as table:
            if table.is_over:
                return
            waits = table.awaits_player
            moves = [table.position.move_to_text(int(m)) for m in table.position.sensible_moves()]
            n = table.at
        if waits:
            page.wait_for_timeout(20)
            continue
        point = next((name for name in names if name in moves), None)
        if point is None or "pass" in moves:
            page.get_by_role("button", name="Pass").click()
        else:
            page.locator(f'[data-point="{point}"]').click()
        for _ in range(50):  # the page may not have seen the answer yet; then the click is repeated
            page.wait_for_timeout(20)
            if board.table.at > n or board.table.is_over:
                break
    raise AssertionError("the game has no end")


def test_a_whole_game_of_go_is_played_with_the_mouse(browser):
    names = [f"{letter}{line}" for line in (3, 2, 4, 1, 5) for letter in "CBDAE"]
    with playing(GameChoice("go", 5, 0.5)) as (board, address), looking(browser, address) as page:
        page.locator(".hit").first.wait_for()
        finish_by_mouse(page, board, names)
        page.locator(".says b").filter(has_text="Counted" if board.table.resigned is None else "wins").wait_for()
        assert board.table.result()


def test_a_whole_game_of_havannah_is_played_with_the_mouse_on_a_phone(browser):
    with playing(GameChoice("havannah", 3, human="white")) as (board, address):
        names = board.table.data()["board"]["names"]
        with looking(browser, address, *VIEWS[1]) as page:
            page.locator(".hit").first.wait_for()
            finish_by_mouse(page, board, names)
            page.locator(".says b").filter(has_text="game is over").or_(
                page.locator(".says b").filter(has_text="wins")
            ).first.wait_for()
            if board.table.position.is_over and board.table.position.winner is not None:
                page.locator(".board .win").first.wait_for()


def test_a_record_is_analysed(browser, tmp_path):
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[5]KM[0.5];B[cc];W[bb];B[dd];W[aa])")
    with playing(GameChoice("go", 5)) as (board, address), looking(browser, address) as page:
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

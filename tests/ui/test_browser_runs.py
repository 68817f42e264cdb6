"""Pages of runs in a real Chromium: a race to its verdict, replayed games, an evolution, a report from disk."""

import json
from contextlib import closing, suppress

import pytest

from semeai.errors import LedgerError
from semeai.evolve.config import checked_evolution
from semeai.evolve.loop import run_evolution
from semeai.report.contents import read_tables, report_data
from semeai.report.page import report_page
from semeai.report.reader import LedgerReader
from semeai.runs.run import place_of
from semeai.table import Chart, Curve, ResultTable
from semeai.ui import dashboard
from semeai.ui.dashboard import dashboard_routes
from semeai.ui.web import serving
from tests.report.ledgers import EVIL, Recorder, recorded_match, recorded_race
from tests.started import Started
from tests.ui.browsing import SECONDS, VIEWS, each_view, looking, needs_chromium

pytestmark = needs_chromium


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

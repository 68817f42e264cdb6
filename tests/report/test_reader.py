"""The ledger as JSON: what pages get."""

import contextlib
import json
import re
from dataclasses import asdict, replace

import markdown
import pytest

from semeai import Ledger
from semeai.errors import ConfigError, LedgerError, RunNotFound
from semeai.match.store import MATCH, record_pair, recorded_pairs
from semeai.report.contents import read_tables, report_data
from semeai.report.markdown import markdown_report
from semeai.report.page import inline_json, report_page
from semeai.report.reader import LedgerReader
from semeai.report.values import text, thinned
from semeai.runs.resume import read_race
from semeai.stats.elo import elo
from semeai.store import schema
from semeai.store.ledger import set_run_values
from semeai.table import Chart, Curve, ResultTable
from semeai.work.jobs import Failure
from tests.report.ledgers import EVIL, Recorder, recorded_match, recorded_race


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("ledger") / "runs.sqlite"
    recorded_race(place)
    recorded_match(place)
    recorded_match(place, "hexagons", games=2, game="havannah", size=3)
    return place


@pytest.fixture
def reader(place):
    reader = LedgerReader(place)
    yield reader
    reader.close()


def test_a_race_has_the_intervals_and_verdicts_of_the_ledger(reader, place):
    page = reader.run("race")
    rows = {row[1]: dict(zip(page["data"]["columns"], row, strict=True)) for row in page["data"]["candidates"]}
    race = read_race(Ledger(place, read_only=True), "race")
    for standing in race.standings:
        row = rows[standing.candidate.name]
        assert (row["verdict"], row["n"]) == (standing.verdict.value, standing.n_evaluations)
        if standing.n_evaluations:
            bounds = race.shown_bounds(standing)
            assert (row["lower"], row["upper"]) == pytest.approx((max(0, bounds.lower), min(1, bounds.upper)), abs=1e-5)
    assert page["data"]["words"][0] == "better is better than the baseline."
    assert page["data"]["failures"][0]["stderr"] == f"Traceback {EVIL}"
    assert page["state"] == "finished"


def test_curves_end_at_the_verdict_with_its_interval(reader):
    page = reader.run("race")
    for number, curve in reader.curves("race", [1, 2, 99]).items():
        row = page["data"]["candidates"][number - 1]
        assert curve["n"] == sorted(curve["n"])
        assert [curve["lower"][-1], curve["upper"][-1]] == pytest.approx(row[5:7], abs=1e-4)
        evidence = curve["merit"][-1] / curve["needed"][0], curve["doubt"][-1] / curve["needed"][1]
        assert (evidence[0] >= 1) == (row[2] == "accepted")
        assert (evidence[1] >= 1) == (row[2] == "discarded")


def test_a_short_look_computes_intervals_later(tmp_path):
    """Looks without time for intervals show the last known ones, and the next looks complete them."""
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place)
    recorder.record(6)
    reader = LedgerReader(place, look_seconds=0.0)
    data = reader.run("race")["data"]
    undecided = [row for row in data["candidates"] if row[2] == "undecided" and row[3]]
    assert data["n_old_intervals"] == len(undecided) > 0
    assert all(row[5] is None for row in undecided)
    reader._bounds.look_seconds = 100.0
    whole = reader.run("race")["data"]  # the run has not changed, but the page was not complete
    assert whole["n_old_intervals"] == 0
    exact = {row[0]: row[5:7] for row in whole["candidates"]}
    assert all(exact[row[0]][0] is not None for row in undecided)
    reader._bounds.look_seconds = 0.0
    recorder.record(4)
    later = reader.run("race")["data"]
    assert later["n_old_intervals"] > 0
    for row in later["candidates"]:
        if row[2] == "undecided" and row[3]:
            assert row[5:7] == exact[row[0]]  # of the earlier look: still valid
    recorder.finish("interrupted")


def test_a_first_look_takes_what_is_known_and_later_ones_complete_it(place):
    reader = LedgerReader(place)
    rough = reader.run("race", at_once=True)
    assert rough["data"]["speed"] == []
    assert reader.run("race", at_once=True) is rough  # a second page does not wait either
    whole = reader.run("race")
    assert whole["data"]["speed"] != []
    assert whole["data"]["candidates"] == rough["data"]["candidates"]
    assert reader.run("race", at_once=True) is whole
    reader.close()


def test_a_match_has_its_tally_and_every_game(reader):
    data = reader.run("match")["data"]
    assert data["n_games"] == 4 == len(data["games"])
    assert data["elo"] == pytest.approx(elo(data["win_rate"]), abs=0.1) or data["win_rate"] in (0, 1)
    for number, *_ in data["games"]:
        game = reader.game("match", number)
        board = list(game["start"])
        for move in game["moves"]:
            for place, letter in move["changes"]:
                board[place] = letter
        assert len(board) == 16
        assert game["moves"]
    with pytest.raises(RunNotFound, match="has no game 100"):
        reader.game("match", 99)
    assert len(reader.game("hexagons", 0)["start"]) == 19


def test_a_page_is_computed_again_only_if_the_run_has_changed(tmp_path):
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place)
    recorder.record(6)
    reader = LedgerReader(place)
    first = reader.run("race")
    assert reader.run("race") is first
    assert first["state"] == "running"
    recorder.record(6)
    second = reader.run("race")
    assert second["data"]["n_evaluations"] > first["data"]["n_evaluations"]
    recorder.finish("interrupted")
    assert reader.run("race")["state"] == "interrupted"


def test_a_report_is_one_file_whose_data_cannot_leave_its_element(reader, tmp_path):
    data = report_data(reader, ["race", "match"], made="today")
    page = report_page(data, f"report {EVIL}")
    assert EVIL not in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "").split("<body>")[0].replace(
        "https://github.com/leeoniya/uPlot", ""
    )
    start = page.index('id="data">') + len('id="data">')
    assert json.loads(page[start : page.index("</script>", start)]) == json.loads(json.dumps(data))
    assert "better is better than the baseline" in markdown_report(data)


HOSTILE = ("<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](http://evil.example/x.png)", "`</code><b>`",
           "# title", "a|b", "*bold* _x_", "&lt;b&gt;", "line\n\n<h1>end</h1>", "")  # fmt: skip


def test_texts_of_the_ledger_are_texts_in_markdown():
    """Rendered as the documentation is, no name and no message makes an element of its own."""
    candidates = [[i, name, "undecided", 10, 5, 0.1, 0.9, 0, 0] for i, name in enumerate(HOSTILE, 1)]
    failures = [{"candidate": name, "message": name} for name in HOSTILE]
    race = {"words": [f"{name} is better." for name in HOSTILE], "candidates": candidates, "failures": failures}
    programs = [
        {
            "name": "P1",
            "change": name,
            "matches": [{"opponent": name, "budget": name, "win_rate": 0.5, "interval": [0.4, 0.6], "n_games": 2}],
        }
        for name in HOSTILE
    ]
    steps = [{"number": 1, "candidates": 1, "accepted": name, "discarded": 0, "n_games": 2} for name in HOSTILE]
    match = {
        "words": [],
        "n_games": 2,
        "a": HOSTILE[0],
        "b": HOSTILE[1],
        "game": "go",
        "board": "9x9",
        "win_rate": 0.5,
        "interval": [0.4, 0.6],
        "as_first": [1, 1],
        "as_second": [0, 1],
        "draws": 0,
        "moves": 3.0,
    }
    runs = [
        {
            "kind": kind,
            "name": name,
            "seed": "1",
            "digest": "d",
            "versions": {name: name},
            "state": "finished",
            "data": data,
        }
        for kind, data in (
            ("race", race),
            ("match", match),
            ("evolution", {"words": [], "programs": programs, "steps": steps}),
        )
        for name in HOSTILE
    ]
    tables = [{"title": name, "note": name, "columns": [name, "n"], "rows": [[name, 1]]} for name in HOSTILE]
    made = markdown.markdown(
        markdown_report({"runs": runs, "tables": tables, "about": {"command": HOSTILE[3]}}), extensions=["tables"]
    )
    allowed = {"h1", "h2", "h3", "p", "ul", "li", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(re.findall(r"</?([a-zA-Z0-9]+)", made)) <= allowed
    assert made.count("<h1>") == 1
    assert made.count("<code>&lt;script&gt;alert(1)&lt;/script&gt;</code>") >= 3


def test_a_long_list_of_failures_is_bounded_and_counted(tmp_path):
    place = tmp_path / "failures.sqlite"
    recorder = Recorder(place)
    recorder.record(8)
    for i in range(70):
        failure = Failure("crash", "it crashed", i, i, "x" * 30_000)
        recorder.writer.note(schema.failures, {"number": i + 100, "batch": 0, "candidate": 4, **asdict(failure)})
    recorder.finish()
    data = LedgerReader(place).run("race")["data"]
    assert len(data["failures"]) == 50
    assert data["n_failures"] > 70
    assert len(json.dumps(data["failures"])) < 50 * 5_000
    report = markdown_report({"runs": [LedgerReader(place).run("race")], "tables": [], "about": {}})
    assert f"And {data['n_failures'] - 50} more failures." in report


def test_the_list_of_games_has_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("semeai.report.match.LISTED", 4)
    place = tmp_path / "match.sqlite"
    recorded_match(place, games=10)
    reader = LedgerReader(place)
    data = reader.run("match")["data"]
    assert ([game[0] for game in data["games"]], data["n_played"]) == ([6, 7, 8, 9], 10)
    assert [game[0] for game in reader.games("match", 2)] == [2, 3, 4, 5]
    assert reader.games("match", 10) == []
    page = report_data(reader, ["match"])["runs"][0]
    assert [game[0] for game in page["data"]["games"]] == [0, 1, 2, 3]  # those that can be replayed
    assert list(page["records"]) == ["0", "1", "2", "3"]


def test_intervals_of_candidates_with_a_verdict_are_forgotten(tmp_path):
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place)
    recorder.record(1)
    reader = LedgerReader(place)
    reader.run("race")
    first = set(reader._bounds.last[1])
    recorder.record(200)
    recorder.finish()
    rows = reader.run("race")["data"]["candidates"]
    undecided = {row[0] for row in rows if row[2] == "undecided"}
    assert set(reader._bounds.last[1]) == undecided
    assert first - undecided


def test_a_report_of_a_damaged_run_is_refused(tmp_path):
    place = tmp_path / "damaged.sqlite"
    recorded_race(place)
    with Ledger(place)._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE batches SET size = size + 1 WHERE number = 3")
    with pytest.raises(LedgerError, match="race"):
        report_data(LedgerReader(place), ["race"])


def test_reproduced_tables_have_the_paper_beside_ours_and_their_curves(tmp_path, reader):
    ours = Curve("fast", ((250.0, 60.0, 50.0, 70.0), (500.0, 55.0, 45.0, 65.0)))
    chart = Chart(
        "Table 2", "N", "win rate", (ours, Curve("fast (paper)", ((500.0, 63.0, 62.0, 64.0),), measured=False))
    )
    rows = ((250, "60%", ""), (500, "55%", "63 ± 1%"))
    table = ResultTable(f"Table 2 {EVIL}", ("N", "win rate", "paper"), rows, "A note.", (chart,))
    (tmp_path / "tables.json").write_text(json.dumps([table.to_json()]))
    (found,) = read_tables(tmp_path / "tables.json")
    assert found["rows"][1] == [500, "55%", "63 ± 1%"]
    (drawn,) = found["charts"]
    assert [(c["paper"], c["n"], c["mean"]) for c in drawn["curves"]] == [
        (False, [250.0, 500.0], [60.0, 55.0]),
        (True, [500.0], [63.0]),
    ]
    page = report_page(report_data(reader, [], [found]), "report")
    assert "63 \\u00b1 1%" in page
    assert EVIL not in page
    assert "63 ± 1%" in markdown_report(report_data(reader, [], [found]))


@pytest.mark.parametrize(
    "points", [[[1, 2, 3]], [[1, 2, 3, "x"]], [[1, 2, 3, None]], [[1, 2, 3, float("nan")]], [], 5, [[1, 2, 3, 10**400]]]
)
def test_damaged_charts_are_refused_in_one_sentence(tmp_path, points):
    chart = {"title": "", "x": "", "y": "", "even": None, "log_x": True, "log_y": False,
             "curves": [{"label": "", "points": points, "measured": True}]}  # fmt: skip
    (tmp_path / "tables.json").write_text(json.dumps([{"title": "", "note": "", "rows": [], "charts": [chart]}]))
    with pytest.raises(ConfigError, match=r"tables\.json"):
        read_tables(tmp_path / "tables.json")


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"title": 1}]', '[{"title": "", "note": "", "rows": [3]}]'])
def test_other_files_than_tables_are_refused_in_one_sentence(tmp_path, content):
    (tmp_path / "tables.json").write_text(content)
    if content == "{}":
        assert read_tables(tmp_path / "tables.json") == []
        return
    with pytest.raises(ConfigError, match=r"tables\.json"):
        read_tables(tmp_path / "tables.json")


def test_long_and_dangerous_texts():
    assert "\x1b" not in text("\x1b[31m")
    assert len(text("x" * 10**6)) < 21_000
    assert inline_json("</script><!--") == '"\\u003c/script\\u003e\\u003c!--"'
    assert thinned(range(1, 1001), 10)[0] == 0
    assert thinned(range(1, 1001), 10)[-1] == 999
    assert len(thinned(range(1, 1001), 10)) <= 11


def test_unknown_runs(reader):
    with pytest.raises(RunNotFound, match="did you mean 'match'"):
        reader.run("mach")
    with pytest.raises(RunNotFound):
        reader.name_of(99)


def test_names_and_counts_are_not_trusted(tmp_path):
    """A run whose row says nonsense is a sentence, not a traceback."""
    place = tmp_path / "odd.sqlite"
    recorded_race(place, 3)
    ledger = Ledger(place)
    ledger.write(lambda c: set_run_values(c, 1, {"config": {"race": {"mode": 5}}}))
    with pytest.raises(LedgerError, match="damaged"):
        LedgerReader(place).run("race")


def test_results_of_parts_count_for_the_whole_run(tmp_path):
    place = tmp_path / "parts.sqlite"
    recorded_match(place, "whole", games=2)
    recorded_match(place, "whole/part", games=4)
    assert {run["name"]: run["n_results"] for run in LedgerReader(place).runs()} == {"whole": 6, "whole/part": 4}


def test_failed_games_are_shown_with_their_standard_error(tmp_path):
    place = tmp_path / "failed.sqlite"
    recorded_match(place, games=2)
    with contextlib.closing(Ledger(place)) as store:
        run = store.run("match")
        ((_, (one, other)),) = recorded_pairs(store, run.id)
        failed = replace(one, number=2, failure="it ended", reason="crash", stderr=f"no {EVIL}")
        writer = store.open_run(run.name, run.kind, run.config, run.seed, run.versions, MATCH.tables)
        record_pair(writer, (failed, replace(other, number=3)))
        writer.close()
    data = LedgerReader(place).run("match")["data"]
    assert data["failures"] == [{"candidate": "game 3", "kind": "crash", "message": "it ended", "stderr": f"no {EVIL}"}]
    assert data["words"][-1] == "1 game ended by a failure: see the failures below."

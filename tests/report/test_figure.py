"""Figures of runs for papers."""

import pytest

from semeai.errors import ConfigError
from semeai.report.contents import report_data
from semeai.report.figure import _start, draw_run
from semeai.report.reader import LedgerReader
from tests.report.ledgers import Recorder, recorded_match, recorded_race

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place = tmp_path_factory.mktemp("figure") / "runs.sqlite"
    recorded_race(place)
    recorded_match(place)
    reader = LedgerReader(place)
    steps = [{"number": n, "n_games": 100 * n, "accepted": "a" if n == 2 else ""} for n in (1, 2, 3)]
    evolution = {"kind": "evolution", "name": "grown", "data": {"steps": steps}}
    return {run["kind"]: run for run in (*report_data(reader, ["race", "match"])["runs"], evolution)}


@pytest.mark.parametrize(
    ("kind", "label"), [("race", "evaluations of the candidate"), ("match", "games"), ("evolution", "step")]
)
def test_equal_runs_give_equal_figures(runs, tmp_path, kind, label):
    for name in ("a.svg", "b.svg"):
        draw_run(runs[kind], tmp_path / name)
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn == (tmp_path / "b.svg").read_text()
    assert f"<!-- {label}" in drawn


def test_a_figure_begins_where_the_first_interval_ends_within_it():
    wide = {"n": [8, 16, 32, 64], "lower": [0.0, 0.1, 0.2, 0.3], "upper": [1.0, 0.9, 0.85, 0.8]}
    late = {"n": [10, 100], "lower": [0.0, 0.0], "upper": [1.0, 0.6]}
    assert _start([late, wide], (0.25, 0.9)) == 32  # its upper end is below 0.9
    assert _start([late], (0.25, 0.9)) == 100
    assert _start([late, wide], (0.5, 0.5)) == 8  # none ends within


def test_a_pdf_and_what_cannot_be_drawn(runs, tmp_path):
    draw_run(runs["match"], tmp_path / "match.pdf")
    assert (tmp_path / "match.pdf").read_bytes().startswith(b"%PDF")
    place = tmp_path / "new.sqlite"
    recorder = Recorder(place)
    recorder.record(0)
    with pytest.raises(ConfigError, match="has no evaluations yet"):
        draw_run(report_data(LedgerReader(place), ["race"])["runs"][0], tmp_path / "race.svg")
    with pytest.raises(ConfigError, match="there is no figure"):
        draw_run({"kind": "comparison", "name": "x"}, tmp_path / "x.svg")

"""The pace of runs that are under way."""

from contextlib import closing

import pytest

from semeai.report.pace import FEWEST, pace
from semeai.report.reader import LedgerReader
from tests.report.ledgers import Recorder


def test_results_of_the_last_minute_are_counted():
    results = [(10, 2.0, 1000.0 + second) for second in range(400)]
    assert pace(results) == {"results": 600, "worker_seconds": 120.0, "since": 1339.0}


def test_rare_results_are_counted_even_if_they_took_longer():
    results = [(1, 500.0, 1000.0 + 100 * i) for i in range(100)]
    found = pace(results)
    assert (found["results"], found["since"]) == (FEWEST, 1000.0 + 100 * (99 - FEWEST))


def test_the_first_results_count_from_the_start_of_their_work():
    assert pace([(8, 20.0, 1030.0), (8, 25.0, 1030.0)]) == {"results": 16, "worker_seconds": 45.0, "since": 1005.0}
    assert pace([]) == {}


@pytest.mark.parametrize("name", ["race", "evolution/step-1"])
def test_a_run_has_the_pace_of_its_part_that_is_under_way(tmp_path, name):
    place = tmp_path / "live.sqlite"
    recorder = Recorder(place, name)
    recorder.record(9)
    whole = recorder.ledger.open_run("evolution", "evolution", {}, 1, {})
    whole.set_state("running")
    with closing(LedgerReader(place)) as reader:
        found = {run["name"]: run.get("pace") for run in reader.runs()}
        assert found[name]["results"] == 50 * 9
        assert found[name]["worker_seconds"] == pytest.approx(0.9)
        assert found["evolution"] == (found[name] if "/" in name else {})
        recorder.finish("interrupted")
        assert "pace" not in {run["name"]: run for run in reader.runs()}[name]

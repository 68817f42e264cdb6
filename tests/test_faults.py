"""Faults on purpose lose nothing; a longer run: ``python benchmarks/run.py faults``."""

import pytest
from benchmarks.faults import kills, places, report, soak
from benchmarks.faults.trials import Row, wrong_end

SEED = 2  # other moments than those of the longer run


@pytest.mark.slow
@pytest.mark.parametrize("kind", kills.KINDS)
def test_kills(kind):
    row = kills.trials("race of a callable", kind, 1, SEED)
    assert row.examples == []
    assert row.tried == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", [places.second_writers, places.lost_leases, places.full_disks])
def test_places(fault):
    try:
        row: Row = fault(2, SEED, places.reference())
    except places.Unavailable as error:
        pytest.skip(str(error))
    assert row.examples == []
    assert row.tried == 2


@pytest.mark.slow
def test_a_soak_ends_with_a_table(tmp_path):
    soak.soak(0.1, tmp_path / "soak.json", simulations=1)
    processes = [row[0] for row in soak.table(tmp_path / "soak.json").rows]
    assert {"gtp engine", "driver, race of a callable", "driver, race of a command"} <= set(processes)


@pytest.mark.parametrize(("code", "err", "wrong"), [
    (0, "", ""),
    (4, "semeai: one sentence\n", ""),
    (-9, "tracker.py:254: UserWarning: resource_tracker: x\n  warnings.warn('resource_tracker: x'\n", "exit code -9"),
    (0, "Traceback (most recent call last):", "traceback"),
    (3, "", "exit code 3"),
    (4, "one\ntwo\n", "more than a sentence"),
])  # fmt: skip
def test_what_counts_as_a_wrong_end(code, err, wrong):
    found = wrong_end(code, err, (0, 4))
    assert found.startswith(wrong)
    assert bool(found) == bool(wrong)


def test_what_is_not_available_is_said_and_tried_again(tmp_path, monkeypatch, capsys):
    def unavailable(n, seed, expected):
        raise places.Unavailable("there is no small disk")

    monkeypatch.setattr(report, "RESULTS", tmp_path / "faults.jsonl")
    monkeypatch.setattr(report, "replace_between", lambda *words: None)
    monkeypatch.setattr(places, "full_disks", unavailable)
    monkeypatch.setattr(places, "reference", lambda: "")
    found = report.run(only="full disks 1")
    assert "full disks 1: skipped, because there is no small disk" in capsys.readouterr().out
    assert "full disks" in [row[0] for row in found[1].rows if row[1] == 0]
    assert not report.RESULTS.exists()

"""Effect sizes on the pages of races that compare numbers."""

import math

import pytest

from semeai import Candidate, Ledger, run_race
from semeai.report.contents import report_data
from semeai.report.markdown import markdown_report
from semeai.report.reader import LedgerReader
from semeai.runs.effects import recorded_effects
from semeai.runs.resume import read_race

SHIFTS = {"shorter": 1.0, "a little shorter": 1.9, "longer": 2.5}


def tour(params, seed):
    return params["shift"] + seed * params["shift"] % 97 / 10


@pytest.fixture(scope="module", params=[None, (0.0, 20.0)], ids=["median", "mean"])
def place(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("effects") / "runs.sqlite"
    found = [Candidate(name, {"shift": shift}) for name, shift in SHIFTS.items()]
    settings = {"max_evaluations": 3000, "accept_above": 0.5, "discard_below": 0.5}
    run_race(
        tour, found, settings, baseline={"shift": 2.0}, better="lower", value_range=request.param, mode="plain",
        ledger=str(place), name="race", executor="inline",
    )  # fmt: skip
    return place


def test_pages_and_markdown_have_the_effects_of_the_ledger(place):
    ledger = Ledger(place, read_only=True)
    exact = recorded_effects(ledger, ledger.run("race"), read_race(ledger, "race"))
    assert len(exact) == 3
    data = report_data(LedgerReader(place), ["race"])
    page = data["runs"][0]["data"]
    names = {row[0]: row[1] for row in page["candidates"]}
    found = {names[n]: rest for n, *rest in page["effects"]}
    assert set(found) == set(exact)
    for name, effect in exact.items():
        kind, *numbers, n = found[name]
        assert (kind, n) == (effect.kind, effect.n)
        for shown, value in zip(numbers, (effect.estimate, *effect.bounds), strict=True):
            assert shown == (pytest.approx(value, rel=1e-5) if math.isfinite(value) else None)
    text = markdown_report(data)
    assert f"{exact['shorter'].kind} difference to the baseline" in text
    assert f"{exact['shorter'].estimate:+.4g} (" in text


def test_short_looks_read_the_numbers_bit_by_bit(place):
    whole = LedgerReader(place).run("race")["data"]["effects"]
    reader = LedgerReader(place)
    reader._effects.most_batches = 2
    looks = [reader.run("race")["data"] for _ in range(200)]
    assert looks[-1]["effects"] == whole
    if whole[0][1] == "median":
        assert looks[0]["effects"] != whole

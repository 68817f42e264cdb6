"""Results in notebooks: frames of pandas, and tables whose names cannot become markup."""

import pytest

import semeai
from tests.report.ledgers import EVIL


def reward(params, seed):
    return float(params["x"] > seed % 10)


def test_a_race_result_is_a_frame_and_a_table():
    pytest.importorskip("pandas")
    candidates = [semeai.Candidate(EVIL, {"x": 9}), semeai.Candidate("bad", {"x": 1})]
    result = semeai.run_race(reward, candidates, {"mode": "plain"})
    frame = result.to_frame().set_index("name")
    assert frame.loc[EVIL, "verdict"] == "accepted"
    assert frame.loc["bad", "verdict"] == "discarded"
    assert frame.loc[EVIL, "lower"] > 0.5
    assert EVIL not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


def test_a_match_result_is_a_frame_and_a_table():
    pytest.importorskip("pandas")
    result = semeai.play_match("random", "random", 4, settings={"size": 3}, executor="inline")
    frame = result.to_frame()
    assert list(frame["games"]) == [2, 2, 4]
    assert frame["score of A"][2] == frame["score of A"][0] + frame["score of A"][1]
    assert "<table>" in result._repr_html_()

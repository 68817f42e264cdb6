"""Races on a test set: verdicts before all items are asked, cost per look, resume, logs of other tools."""

import json

import numpy as np
import pytest

from semeai.errors import BadReward, ConfigError, ProgramFailed
from semeai.prompts import Grade, command_grader, race_items, read_lm_eval, read_promptfoo
from semeai.race.candidate import Verdict

ITEMS = [{"number": i} for i in range(400)]


def answer(params, item):
    """Right on a share of the items that grows with ``skill``; costs two units."""
    return float((item["number"] * 7919) % 1000 < 1000 * params["skill"]), 2.0


def race(**options):
    candidates = {"good": {"skill": 0.9}, "equal": {"skill": 0.6}, "bad": {"skill": 0.3}}
    return race_items(answer, candidates, ITEMS, baseline={"skill": 0.6}, workers=1, **options)


def test_verdicts_come_before_all_items_are_asked():
    told = []
    result = race(margin=0.1, say=told.append)
    assert result.accepted == ["good"]
    found = {s.name: (s.verdict, s.sample.n) for s in result.standings}
    assert found["bad"][0] == found["equal"][0] == Verdict.DISCARDED
    assert found["good"][1] < 100
    assert found["bad"][1] < 100
    assert result.cost == 2 * result.n_asked
    assert "cost of this look 80, so far 80: good" in told[0]


SCRIPT = 'test "$1" = careful -o $(( $2 % 3 )) = 0 && echo 1 30 || echo 0.0, 10'


def test_a_program_that_prints_its_grade():
    grade = command_grader(["sh", "-c", SCRIPT, "grader", "{prompt}", "{number}"])
    candidates = {"careful": {"prompt": "careful"}, "polite": {"prompt": "please; echo 1"}}
    result = race_items(grade, candidates, ITEMS[:60], baseline={"prompt": "$(quick)"})
    assert [s.verdict for s in result.standings] == [Verdict.ACCEPTED, Verdict.DISCARDED]
    assert result.cost >= 10 * result.n_asked
    whole = command_grader(["sh", "-c", 'test "$1" = \'{{"a": [1, "é"]}}\' && echo 1', "grader", "{item}"])
    assert whole({}, {"a": [1, "é"]}) == Grade(1.0)


@pytest.mark.parametrize(
    ("command", "params", "error", "message"),
    [
        (["echo", "{propmt}"], {"prompt": "x"}, ConfigError, r"uses \{propmt\}, but the candidate has only"),
        (["echo", "{number}"], {"number": 1}, ConfigError, r"\{number\} of the command is a parameter and a value of"),
        (["echo", "good"], {}, BadReward, "'good', not a number"),
        (["echo", "1 2 3"], {}, BadReward, r"baseline, item \d+: .* has 3 numbers, not a score and perhaps a cost"),
        (["false"], {}, ProgramFailed, r"baseline, item \d+: exit status 1"),
    ],
)
def test_a_program_that_prints_no_grade(command, params, error, message):
    with pytest.raises(error, match=message):
        race_items(command_grader(command), {"a": params}, ITEMS, baseline=params)


def test_all_items_decide_exactly():
    nearly = {"skill": 0.603}
    result = race_items(answer, {"nearly": nearly}, ITEMS, baseline={"skill": 0.6}, margin=0, batch=100)
    (standing,) = result.standings
    better = sum(answer(nearly, i)[0] for i in ITEMS) > sum(answer({"skill": 0.6}, i)[0] for i in ITEMS)
    assert standing.verdict == (Verdict.ACCEPTED if better else Verdict.DISCARDED)
    assert standing.sample.is_complete
    assert standing.interval() == (standing.difference, standing.difference)


def test_a_race_is_resumed_from_its_log(tmp_path):
    log = tmp_path / "log.jsonl"
    whole = race(log=log)
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[: len(lines) // 2]) + '\n{"name": "go')  # as after kill -9
    again = race(log=log)
    assert [(s.verdict, s.sample.n) for s in again.standings] == [(s.verdict, s.sample.n) for s in whole.standings]
    assert again.cost == whole.cost
    log.write_text("nonsense\n\n")
    with pytest.raises(ConfigError, match=r"log.jsonl, line 1: no graded answer"):
        race(log=log)


def test_answers_to_other_questions_are_not_used_again(tmp_path):
    log, asked = tmp_path / "log.jsonl", []

    def grade(params, item):
        asked.append((params["prompt"], item))
        return 1.0

    def run(prompt, items):
        asked.clear()
        race_items(grade, {"new": {"prompt": prompt}}, items, baseline={"prompt": "old"}, log=log, batch=4)
        return set(asked)

    assert run("a", ["x", "y"]) == {(p, i) for p in ("old", "a") for i in "xy"}
    assert run("a", ["x", "y"]) == set()
    assert run("b", ["x", "y"]) == {("b", "x"), ("b", "y")}
    assert run("b", ["x", "z"]) == {("b", "z"), ("old", "z")}


def test_answers_beside_a_failed_one_are_kept(tmp_path):
    log, asked = tmp_path / "log.jsonl", []

    def grade(params, item):
        asked.append(item)
        if item == "bad" and len(asked) <= 8:
            raise OSError("no network")
        return 0.5

    items = ["a", "b", "bad", "c"]
    with pytest.raises(OSError, match="no network"):
        race_items(grade, {"new": {}}, items, baseline={"x": 1}, log=log, workers=1)
    asked.clear()
    asked.extend("-" * 8)
    race_items(grade, {"new": {}}, items, baseline={"x": 1}, log=log, workers=1)
    assert asked[8:] == ["bad", "bad"]


def test_equal_candidates_are_not_accepted_by_rounding():
    """Sums of 0.1, 0.2, ... in another order may differ in the last digit."""
    scores = [k / 10 for k in range(11)] * 3
    swapped = [scores[-1 - i] for i in range(len(scores))]
    tables = {f"c{i}": {"t": np.random.default_rng(i).permutation(swapped).tolist()} for i in range(20)}
    result = race_items(lambda p, item: p["t"][item], tables, range(33), baseline={"t": scores}, margin=0.9, risk=1e-9)
    assert result.accepted == []


@pytest.mark.parametrize("bad", [1.5, float("nan"), "yes", None, (1.0, -1.0)])
def test_a_wrong_grade_names_candidate_and_item(bad):
    with pytest.raises(BadReward, match=r"baseline, item \d+"):
        race_items(lambda params, item: bad, {"a": {}}, ITEMS, baseline={}, workers=1)


def test_logs_of_other_tools(tmp_path):
    samples = tmp_path / "samples.jsonl"
    samples.write_text('{"doc_id": 0, "acc": 1.0}\n{"doc_id": 1, "acc": 0.0}\n')
    assert read_lm_eval(samples) == {"0": 1.0, "1": 0.0}
    with pytest.raises(ConfigError, match="line 1: no sample with doc_id and a number 'f1'"):
        read_lm_eval(samples, "f1")
    results = tmp_path / "results.json"
    row = {"prompt": {"raw": "Hi {{x}}", "label": "short"}, "testIdx": 3, "score": 0.5, "cost": 0.001}
    results.write_text(json.dumps({"results": {"results": [row]}}))
    assert read_promptfoo(results) == {"short": {"3": Grade(0.5, 0.001)}}
    results.write_text("{}")
    with pytest.raises(ConfigError, match="no result file of promptfoo"):
        read_promptfoo(results)

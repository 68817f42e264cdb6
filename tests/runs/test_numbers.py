"""Races that compare numbers: raw values, effect sizes, a range, a shared baseline."""

import contextlib
import csv
import io
import math
import random

import pytest

from semeai import run_race
from semeai.cli.race_status import show_race
from semeai.cli.runs import Format, export
from semeai.errors import BadReward, BaselineFailed, ConfigError
from semeai.race.candidate import Verdict
from semeai.runs.effects import recorded_effects, value_rows
from semeai.runs.race import run_plan
from semeai.runs.race_file import RaceFile
from semeai.runs.resume import read_race, verify_races
from semeai.runs.run import Place
from semeai.store.ledger import Ledger
from semeai.store.verify import verify_run
from semeai.work.evaluators import AgainstBaseline, CommandEvaluator, Judge

FAST = {"mode": "plain", "accept_above": 0.51, "discard_below": 0.6, "max_evaluations": 600}


def loss(params, seed):
    """The luck of a seed is much larger than what a candidate changes: only pairs can see it."""
    rng = random.Random(seed)
    return 10 * rng.random() + params["x"] + 0.1 * rng.random() * params["x"]


def counted(params, seed):
    CALLS.append((params["x"], seed))
    return loss(params, seed)


CALLS: list[tuple[float, int]] = []
CANDIDATES = [{"name": "better", "x": -1.0}, {"name": "worse", "x": 1.0}, {"name": "equal", "x": 0.0}]


def numbers_race(tmp_path=None, evaluate=loss, **options):
    kept = {} if tmp_path is None else {"ledger": str(tmp_path / "l.sqlite"), "name": "r"}
    return run_race(evaluate, CANDIDATES, FAST, baseline={"x": 0.0}, better="lower", **kept, **options)


def test_numbers_are_kept_and_effects_have_intervals(tmp_path):
    result = numbers_race(tmp_path)
    assert [result.verdict(name) for name in ("better", "worse")] == [Verdict.ACCEPTED, Verdict.DISCARDED]
    better = result.effects["better"]
    assert better.kind == "median"
    assert better.bounds.lower <= better.estimate <= better.bounds.upper < 0
    assert -1.1 < better.estimate < -1
    assert result.effects["equal"].bounds == (0, 0)
    with contextlib.closing(Ledger(str(tmp_path / "l.sqlite"), read_only=True)) as ledger:
        assert verify_run(ledger, ledger.run("r").id) > 0
        assert verify_races(ledger, ["r"]) == {}
        assert recorded_effects(ledger, ledger.run("r"), read_race(ledger, "r")) == result.effects
        rows = list(value_rows(ledger, "r"))
    assert len(rows) == result.n_evaluations
    for row in rows[::37]:
        x = next(c["x"] for c in CANDIDATES if c["name"] == row["candidate"])
        assert (row["value"], row["baseline"]) == (loss({"x": x}, row["seed"]), loss({"x": 0}, row["seed"]))


def test_a_resumed_race_has_all_numbers(tmp_path):
    (tmp_path / "whole").mkdir()
    whole = numbers_race(tmp_path / "whole")

    def stops(params, seed):
        CALLS.append((params["x"], seed))
        if len(CALLS) == 100:
            raise KeyboardInterrupt
        return loss(params, seed)

    CALLS.clear()
    first = numbers_race(tmp_path, stops)
    assert not first.finished
    assert 0 < first.n_evaluations < whole.n_evaluations
    again = numbers_race(tmp_path, stops)
    assert again.effects == whole.effects
    assert again.digest == whole.digest


@pytest.mark.slow
def test_a_shared_baseline_gives_the_same_race_on_any_workers(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    one = numbers_race(tmp_path / "one", share_baseline=True)
    two = numbers_race(tmp_path / "two", share_baseline=True, workers=2)
    assert one.verdict("better") == Verdict.ACCEPTED
    assert (one.digest, one.effects) == (two.digest, two.effects)


def test_a_shared_baseline_runs_once_per_seed():
    CALLS.clear()
    result = numbers_race(evaluate=counted, share_baseline=True)
    longest = max(standing.n_evaluations for standing in result.standings)
    assert len(CALLS) == result.n_evaluations + longest
    seeds = {x: [s for y, s in CALLS if y == x] for x in (-1.0, 1.0)}
    shortest = min(map(len, seeds.values()))
    assert seeds[-1.0][:shortest] == seeds[1.0][:shortest]
    CALLS.clear()
    alone = numbers_race(evaluate=counted)
    assert len(CALLS) == 2 * alone.n_evaluations


def test_a_resumed_race_does_not_run_the_shared_baseline_again(tmp_path):
    CALLS.clear()
    numbers_race(tmp_path, counted, share_baseline=True)
    before = len(CALLS)
    assert numbers_race(tmp_path, counted, share_baseline=True).finished
    assert len(CALLS) == before


@pytest.mark.parametrize("shared", [False, True])
def test_a_failing_baseline_ends_the_race(shared):
    def fails(params, seed):
        if params["x"] == 0:
            raise ValueError("no baseline today")
        return 1.0

    with pytest.raises(BaselineFailed, match="the baseline failed: ValueError: no baseline today"):
        run_race(fails, CANDIDATES[:2], FAST, baseline={"x": 0.0}, better="lower", share_baseline=shared)


@pytest.mark.parametrize("shared", [False, True])
def test_a_failing_candidate_fails_alone(shared):
    def fails(params, seed):
        return math.nan if params["x"] == 1 else loss(params, seed)

    result = numbers_race(evaluate=fails, share_baseline=shared)
    assert result.verdict("worse") == Verdict.FAILED
    assert result.verdict("better") == Verdict.ACCEPTED
    assert "cannot compare nan with the baseline's" in result.failures[0].message


def test_a_range_races_the_mean_difference():
    """It wins on 60% of the seeds and loses more on the others: on average it is worse."""

    def score(params, seed):
        return 50 + (10 if random.Random(seed).random() < 0.6 else -40) * params["x"]

    often = run_race(score, [{"name": "c", "x": 1}], FAST, baseline={"x": 0}, better="higher")
    mean = run_race(score, [{"name": "c", "x": 1}], FAST, baseline={"x": 0}, better="higher", value_range=(0, 100))
    assert often.verdict("c") == Verdict.ACCEPTED
    assert often.effects["c"].estimate == 10
    assert mean.verdict("c") == Verdict.DISCARDED
    effect = mean.effects["c"]
    assert effect.kind == "mean"
    assert effect.bounds.lower < -10 < effect.bounds.upper


def test_the_judge():
    assert Judge("lower", (0, 10)).rewards([0, 10, 5], [10, 0, 5]) == [1.0, 0.0, 0.5]
    assert Judge("higher").rewards([math.inf, 1, 1], [math.inf, 2, 0]) == [0.5, 0.0, 1.0]
    with pytest.raises(BadReward, match=r"the number 11 is outside evaluator.range \[0, 10\]"):
        Judge("lower", (0, 10)).rewards([11], [5])
    with pytest.raises(BaselineFailed, match="outside"):
        Judge("lower", (0, 10)).check_baseline([-1])
    with pytest.raises(ConfigError, match="must go from low to high"):
        Judge("lower", (1, 1))


def test_a_number_that_is_no_reward_suggests_better():
    with pytest.raises(BadReward, match=r"reward 12.5 is not a number in \[0, 1\]; set better, and a baseline"):
        run_race(lambda params, seed: 12.5, [{"name": "c"}])


def race_file(**evaluator):
    table = {"command": ["echo", "{x}"], "better": "lower", **evaluator}
    return {"evaluator": table, "baseline": {"x": 1}, "candidates": [{"name": "c", "x": 2}]}


def test_keys_of_a_race_file(tmp_path):
    plan = RaceFile.model_validate(race_file(metric="time", range=[0, 60.0])).plan(tmp_path)
    assert isinstance(plan.evaluator, AgainstBaseline)
    assert isinstance(plan.evaluator.program, CommandEvaluator)
    assert (plan.evaluator.program.metric, plan.evaluator.range) == ("time", (0, 60))
    assert plan.identity["evaluator"]["range"] == [0, 60]
    plain = RaceFile.model_validate(race_file()).plan(tmp_path).identity["evaluator"]
    assert {"metric", "range", "share_baseline"} & plain.keys() == set(), "the hash of old runs must not change"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"range": [0, 1], "better": None}, "range needs better"),
        ({"metric": "time", "command": None, "callable": "tests.programs:coin"}, "metric is for a command"),
        ({"metric": "time", "share_baseline": True}, "share_baseline: a time or memory is compared"),
        ({"range": [1, 0]}, "must go from low to high"),
    ],
)
def test_wrong_keys_are_refused(table, message, tmp_path):
    with pytest.raises((ConfigError, ValueError), match=message):
        RaceFile.model_validate(race_file(**table)).plan(tmp_path)


def test_the_first_acceptance_is_said_in_words(tmp_path, capsys):
    place = {"ledger": str(tmp_path / "l.sqlite"), "name": "r"}
    result = run_race(loss, CANDIDATES, {**FAST, "mode": "bgp"}, baseline={"x": 0.0}, better="lower", **place)
    assert result.ending == 'it ended with the first acceptance, 2 undecided; mode = "plain" decides all'
    with contextlib.closing(Ledger(place["ledger"])) as ledger:
        show_race(ledger, ledger.run("r"), as_json=False, every=False)
    assert result.ending in capsys.readouterr().out
    decided = run_race(loss, CANDIDATES[:2], FAST, baseline={"x": 0.0}, better="lower", mode="plain")
    assert decided.ending == "every candidate has a verdict"
    with pytest.raises(ConfigError, match="did you mean 'plain'"):
        run_race(loss, CANDIDATES, mode="plane")


@pytest.mark.slow
def test_time_is_a_metric(tmp_path):
    table = race_file(metric="time", command=["sleep", "{x}"])
    table |= {"baseline": {"x": 0.005}, "candidates": [{"name": "slow", "x": 0.1}]}
    table["race"] = {"accept_above": 0.51, "discard_below": 0.6, "max_evaluations": 40, "batch": 4}
    ledger = str(tmp_path / "l.sqlite")
    result = run_plan(RaceFile.model_validate(table).plan(tmp_path), "r", Place(ledger, "inline", 1))
    assert result.verdict("slow") == Verdict.DISCARDED
    assert result.effects["slow"].estimate > 0.05
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        export("r", format=Format.csv, values=True, ledger=ledger)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(rows) == result.n_evaluations
    assert float(rows[0]["value"]) > float(rows[0]["baseline"])

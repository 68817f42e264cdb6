"""Runs of races: the same ledger for any number of workers, exact resume, and failures."""

import itertools
import math
import os
import re
import signal
from types import SimpleNamespace

import pytest

from semeai import Ledger, RaceSettings, Verdict, run_race
from semeai.errors import BadReward, BaselineFailed, ConfigError, LedgerError, ProgramFailed, RunChanged
from semeai.runs.driver import split
from semeai.runs.race_file import run_race_file
from semeai.runs.resume import read_race
from semeai.runs.run import stopping_on_signals
from semeai.store import schema
from tests import programs
from tests.observers import Watching

TOML = """
seed = 5
[race]
mode = "{mode}"
accept_above = 0.51
discard_below = 0.55
{more}
[evaluator]
callable = "tests.programs:{program}"
{evaluator}
[candidates.grid]
p = [0.3, 0.5, 0.7, 0.45, 0.62]
"""


@pytest.fixture
def run(tmp_path):
    def runner(mode="plain", program="coin", more="", evaluator="", name="run", workers=1, observer=None, text=None):
        path = tmp_path / "race.toml"
        source = text or TOML.format(mode=mode, program=program, more=more, evaluator=evaluator)
        path.write_text(source + f'[executor]\nname = "{"inline" if workers == 1 else "local"}"\n')
        ledger = str(tmp_path / "ledger.sqlite")
        return run_race_file(path, name=name, ledger=ledger, workers=workers, observer=observer)

    runner.ledger = lambda: Ledger(tmp_path / "ledger.sqlite")
    return runner


def stop_after_a_verdict():
    """An observer that stops a run from inside, as Ctrl-C would, at its first new verdict."""
    drivers = []

    def decision(made):
        if drivers[0].n_new:
            drivers[0].stop()

    return Watching(start=drivers.append, decision=decision)


@pytest.mark.parametrize("mode", ["plain", "bgp"])
@pytest.mark.parametrize("program", ["coin", "smooth"])
def test_one_worker_or_eight_give_the_same_ledger(run, mode, program):
    digests = [run(mode, program, name=f"w{w}", workers=w).digest for w in (1, 2, 8)]
    assert digests[0] == digests[1] == digests[2]


def test_pairs(run):
    result = run(program="pair", more="games_per_seed = 2")
    assert [c.name for c in result.accepted] == ["p=0.7", "p=0.62"]


def test_verdicts_are_right_and_recorded(run):
    told = []
    result = run(observer=Watching(decision=told.append))
    assert result.finished
    expected = ["discarded", "discarded", "accepted", "discarded", "accepted"]
    assert [s.verdict.value for s in result.standings] == expected
    assert len(told) == 5
    store = run.ledger()
    row = store.run("run")
    assert row.state == "finished"
    assert {d["candidate"]: d["verdict"] for d in store.rows(schema.decisions, row.id)} == dict(enumerate(expected, 1))
    assert sum(b["size"] for b in store.rows(schema.batches, row.id)) == result.n_evaluations
    store.close()


def test_a_stopped_run_goes_on_to_the_same_end(run):
    whole = run(name="whole", workers=2)
    stops = 0
    while True:
        part = run(name="parts", program="coin", workers=2, observer=stop_after_a_verdict())
        if part.finished:
            break
        stops += 1
        store = run.ledger()
        assert store.run("parts").state == "interrupted"
        store.close()
    assert stops >= 3
    assert part.digest == whole.digest
    assert part.decisions == whole.decisions


def test_running_a_finished_run_again_plays_nothing(run):
    first = run()
    drivers = []
    second = run(observer=Watching(start=drivers.append))
    assert second.digest == first.digest
    assert drivers[0].n_new == 0
    assert drivers[0].n_resumed == first.n_evaluations


def test_a_changed_config_is_refused(run):
    run(more="risk = 0.05")
    with pytest.raises(RunChanged, match=r"race\.risk was 0\.05, is 0\.06"):
        run(more="risk = 0.06")


def test_the_race_is_replayed_from_the_ledger_alone(run):
    result = run()
    store = run.ledger()
    race = read_race(store, "run")
    assert race.decisions == result.decisions
    assert race.finished
    store.close()


BROKEN = """
[race]
mode = "plain"
[evaluator]
callable = "tests.programs:broken"
[[candidates]]
name = "bad"
kind = "{kind}"
[[candidates]]
name = "good"
p = 0.9
[[candidates]]
name = "worse"
p = 0.1
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_program_gets_its_verdict_and_the_race_goes_on(run, workers):
    result = run(text=BROKEN.format(kind="raise"), workers=workers)
    assert [s.verdict.value for s in result.standings] == ["failed", "accepted", "discarded"]
    store = run.ledger()
    failures = list(store.rows(schema.failures, store.run("run").id))
    assert failures
    for failure in failures:  # two, if a second batch of it was under way
        assert failure["kind"] == "program"
        assert "candidate 'bad'" in failure["message"]
    assert read_race(store, "run").decisions == result.decisions
    store.close()
    again = run(text=BROKEN.format(kind="raise"), workers=workers)
    assert again.digest == result.digest


def test_a_program_that_kills_its_worker_gets_its_verdict(run):
    result = run(text=BROKEN.format(kind="die"), workers=2)
    assert [s.verdict.value for s in result.standings] == ["failed", "accepted", "discarded"]
    assert result.n_lost_jobs > 0


WRONG_REWARDS = pytest.mark.parametrize("kind", ["nan", "large", "text"])


@WRONG_REWARDS
@pytest.mark.parametrize("workers", [1, 2])
def test_a_wrong_reward_is_the_failure_of_its_candidate(run, kind, workers):
    result = run(text=BROKEN.format(kind=kind), workers=workers)
    assert [s.verdict.value for s in result.standings] == ["failed", "accepted", "discarded"]
    assert {failure.kind for failure in result.failures} == {"bad_reward"}
    assert result.failures[0].message.startswith("candidate 'bad', seed")
    assert run(text=BROKEN.format(kind=kind)).digest == result.digest


@WRONG_REWARDS
def test_a_wrong_reward_ends_a_strict_run_and_loses_nothing(run, kind):
    text = BROKEN.format(kind=kind).replace("[evaluator]", "[evaluator]\nstrict = true")
    with pytest.raises(BadReward, match="candidate 'bad', seed"):
        run(text=text)
    store = run.ledger()
    row = store.run("run")
    assert row.state == "error"
    (failure,) = store.rows(schema.failures, row.id)
    assert failure["kind"] == "bad_reward"
    counted = {b["number"] for b in store.rows(schema.batches, row.id)}
    assert failure["batch"] not in counted
    store.close()


@pytest.mark.parametrize(("mode", "n"), [("bgp", 1), ("bgp", 3), ("plain", 50), ("stream", 50)])
def test_a_program_that_gives_no_candidate_a_reward_ends_the_run(mode, n):
    with pytest.raises(BadReward, match=r"candidate .*, seed .*: reward nan is not a number in"):
        run_race(lambda params, seed: math.nan, [{"x": x} for x in range(n)], settings={"mode": mode})


def test_a_baseline_that_gives_wrong_rewards_ends_the_run():
    def play(params, seed):
        return math.nan

    for better in ("higher", "lower"):
        with pytest.raises(BaselineFailed, match="the baseline failed: nothing can be compared with nan"):
            run_race(play, [{"x": 1.0}, {"x": 2.0}], baseline={"x": 0.0}, better=better)

    def text(params, seed):
        return "none"

    with pytest.raises(BaselineFailed, match="the baseline failed: it returned 'none'"):
        run_race(text, [{"x": 1.0}, {"x": 2.0}], baseline={"x": 0.0}, better="higher")


STREAM = """
[race]
mode = "stream"
[evaluator]
callable = "tests.programs:{program}"
[candidates]
generator = "tests.programs:{generator}"
"""


def test_a_generator_that_fails_loses_no_verdict(run):
    with pytest.raises(ConfigError, match=r"tests\.programs:broken_generator' failed: ValueError: no more ideas"):
        run(text=STREAM.format(program="coin", generator="broken_generator"))
    store = run.ledger()
    (decision,) = store.rows(schema.decisions, store.run("run").id)
    assert decision["verdict"] == "accepted"
    store.close()


def test_a_stream_that_only_fails_is_given_up(run):
    with pytest.raises(ProgramFailed, match="20 candidates in a row have failed"):
        run(text=STREAM.format(program="exits", generator="endless"))


def test_other_candidates_under_the_same_names_are_refused(run, monkeypatch):
    text = STREAM.format(program="coin", generator="endless").replace("[race]", "[race]\nmax_evaluations = 400")
    run(text=text)
    monkeypatch.setattr(programs, "endless", lambda seed: iter([{"p": 0.123}] * 50))
    with pytest.raises(RunChanged, match="candidate 1 of run 'run' was"):
        run(text=text)


def test_a_program_that_exits_is_a_failed_one(run):
    result = run(text=BROKEN.replace("broken", "exits").format(kind="fine"))
    assert {s.verdict for s in result.standings} == {Verdict.FAILED}
    assert "SystemExit" in result.failures[0].message
    assert "Traceback" in result.failures[0].stderr


@pytest.mark.slow
def test_stopping_drops_what_no_worker_has_begun(run):
    """Sixty-four batches of slow evaluations are asked for; a stop waits for a few of them only."""
    grid = "p = [" + ", ".join(f"0.5{i:02}" for i in range(40)) + "]"
    slow = TOML.format(mode="plain", program="sleeps", more="", evaluator="").replace(
        "p = [0.3, 0.5, 0.7, 0.45, 0.62]", grid
    )
    result = run(text=slow, workers=2, observer=Watching(progress=lambda driver: driver.stopping or driver.stop()))
    assert not result.finished
    assert result.n_evaluations < 64


def test_programs_of_one_name_in_two_folders_are_not_mixed_up(tmp_path):
    found = []
    for name, reward in (("a", 1.0), ("b", 0.0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "same_name.py").write_text(f"def play(params, seed):\n    return {reward}\n")
        (folder / "race.toml").write_text(
            '[evaluator]\ncallable = "same_name:play"\n[[candidates]]\nname = "c"\n[executor]\nname = "inline"\n'
        )
        result = run_race_file(folder / "race.toml", name="r", ledger=str(folder / "l.sqlite"))
        found.append(result.verdict("c").value)
    assert found == ["accepted", "discarded"]


def test_a_ledger_of_another_seed_stream_is_refused(run, monkeypatch):
    run(observer=stop_after_a_verdict(), workers=2)
    monkeypatch.setattr("semeai.race.settings.RaceSettings.batch_size", lambda self, n: 5)
    monkeypatch.setattr("semeai.store.race_rows.version", lambda name: "another")  # so it does not trust the state
    with pytest.raises(LedgerError, match="another version of semeai"):
        run(workers=2)


class TestPython:
    def test_a_function_and_dictionaries(self):
        result = run_race(programs.coin, [{"p": 0.3}, {"name": "good", "p": 0.8}], seed=2)
        assert result.accepted[0].name == "good"
        assert result.verdict("good") == Verdict.ACCEPTED
        with pytest.raises(ConfigError, match="no candidate is named 'x'"):
            result.verdict("x")

    def test_workers_do_not_change_the_result(self):
        races = [run_race(programs.coin, [{"p": 0.45}, {"p": 0.7}], seed=2, workers=w) for w in (1, 2)]
        assert races[0].decisions == races[1].decisions

    def test_against_a_baseline(self):
        shifts = [{"shift": s} for s in (-1.0, 1.0)]
        result = run_race(programs.score, shifts, RaceSettings(mode="plain"), baseline={"shift": 0.0}, better="higher")
        assert [s.verdict.value for s in result.standings] == ["discarded", "accepted"]

    def test_a_lambda_in_this_process(self):
        assert run_race(lambda params, seed: 1.0, [{"x": 1}]).accepted

    def test_a_negative_number_of_workers_is_refused(self):
        with pytest.raises(ConfigError, match="at least one worker, not -1"):
            run_race(programs.coin, [{"p": 1}], workers=-1)

    def test_half_a_comparison_is_refused(self):
        with pytest.raises(ConfigError, match="baseline and better together"):
            run_race(programs.coin, [{"p": 1}], better="higher")


def test_jobs_are_cut_by_what_they_cost():
    def sizes(start, size, cost, workers, soon=2):
        return [size for _, size in split(start, size, cost, SimpleNamespace(workers=workers, workers_soon=soon))]

    assert sizes(0, 100, float("nan"), 2) == [50, 50]  # unknown: a share each
    assert sizes(0, 100, float("nan"), 1, soon=10) == [10] * 10  # also for workers that come later
    assert sizes(0, 1000, 1e-7, 2) == [1000]  # not worth a second worker
    assert sizes(0, 100_000, 1e-5, 2) == [25_000] * 4  # a quarter of a second each
    assert sizes(5, 7, 10.0, 2) == [1] * 7  # one by one
    assert next(iter(split(5, 7, 10.0, SimpleNamespace(workers=2)))) == (5, 1)


def test_the_first_signal_is_told_and_the_third_interrupts():
    class Driver:
        stopping = dropping = False

        def stop(self):
            self.stopping, self.dropping = True, self.stopping

    driver, told = Driver(), []
    with stopping_on_signals(driver, Watching(stop=told.append)):
        os.kill(os.getpid(), signal.SIGINT)
        assert (driver.stopping, driver.dropping, told) == (True, False, [driver])
        os.kill(os.getpid(), signal.SIGTERM)
        assert (driver.dropping, told) == (True, [driver])
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def reward(params, seed):
    return 1.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"evaluate": 5}, "a function or 'module:function', not 5"),
        ({"baseline": {"x": 1}, "better": "hihger"}, "better is 'higher' or 'lower', not 'hihger'"),
        ({"settings": {"rsik": 0.1}}, "rsik"),
        ({"candidates": ({"x": i} for i in itertools.count())}, "more than 100,000 candidates"),
    ],
)
def test_what_is_wrong_in_python_is_one_sentence(arguments, sentence):
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        run_race(**{"evaluate": reward, "candidates": [{"x": 1}], **arguments})


def test_settings_may_be_a_table():
    assert run_race(reward, [{"x": 1}], {"max_evaluations": 16, "risk": 0.1}).n_evaluations <= 16


def test_run_race_with_a_ledger_resumes(tmp_path):
    place = {"ledger": str(tmp_path / "l.sqlite"), "name": "call", "settings": {"mode": "plain"}}
    candidates = [{"p": 0.45}, {"p": 0.7}]
    whole = run_race(programs.coin, candidates, {"mode": "plain"})
    part = run_race(programs.coin, candidates, **place, observer=stop_after_a_verdict())
    assert (part.finished, whole.finished) == (False, True)
    drivers = []
    rest = run_race(programs.coin, candidates, **place, workers=2, observer=Watching(start=drivers.append))
    assert [s.counts for s in rest.standings] == [s.counts for s in whole.standings]
    assert drivers[0].n_resumed == part.n_evaluations > 0
    again = run_race(programs.coin, candidates, **place)
    assert again.digest == rest.digest is not None
    with pytest.raises(RunChanged, match=r"candidates\.list\[0\]\.p was 0\.45, is 0\.46"):
        run_race(programs.coin, [{"p": 0.46}, {"p": 0.7}], **place)
    with pytest.raises(RunChanged, match=r"evaluator\.callable was 'tests\.programs:coin', is 'tests\.programs:pair'"):
        run_race(programs.pair, candidates, **place)
    with pytest.raises(ConfigError, match="ledger and name together"):
        run_race(programs.coin, candidates, name="x")


def test_the_last_result_of_a_run_is_that_of_its_last_batch(run):
    run()
    store = run.ledger()
    times = [row["recorded_at"] for row in store.rows("batches", store.run("run").id)]
    assert store.last_results() == {"run": max(times)}

import functools
import math
import os
import stat
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai import processes
from semeai.compare.commands import parse_command
from semeai.errors import BadReward, ConfigError, ProgramFailed
from semeai.processes import fill_in, placeholders
from semeai.work.evaluators import (
    AgainstBaseline,
    CallableEvaluator,
    CommandEvaluator,
    as_numbers,
    check_command,
)
from semeai.work.jobs import Job, run_job
from semeai.work.metrics import parse_numbers
from semeai.work.needs import missing_programs
from semeai.work.targets import load_target
from tests import programs

PYTHON = sys.executable
GENEROUS = 300.0  # seconds, for a machine that is busy with other things


def command_job(*arguments, timeout=GENEROUS, size=3, retries=0, **params):
    return Job(CommandEvaluator(arguments, None, timeout), "c", params, 5, 0, size, retries=retries)


class TestFillIn:
    def test_values_are_never_split_or_interpreted(self):
        values = {"x": "a b; rm -rf / $(true) {y}", "y": 1}
        assert fill_in(["./p", "--x={x}", "{x}{y}"], values) == ["./p", f"--x={values['x']}", values["x"] + "1"]

    def test_doubled_braces_stand_for_themselves(self):
        assert fill_in(["{{x}} {x}"], {"x": 3}) == ["{x} 3"]
        assert placeholders(["{{x}} {y}", "{seed}"]) == {"y", "seed"}

    def test_a_placeholder_inside_braces(self):
        """JSON as an argument: what is checked is what is filled in."""
        template = ['{{"a": {x}}}', "{{{x}}}"]
        assert placeholders(template) == {"x"}
        assert fill_in(template, {"x": 5}) == ['{"a": 5}', "{5}"]

    @given(st.lists(st.sampled_from(["{{", "}}", "{x}", "{yy}", "a", " ", '"', ":", "1"]), max_size=12))
    def test_random_templates_are_checked_as_they_are_filled_in(self, pieces):
        """A template is its pieces one after the other, and both functions see the same placeholders."""
        values = {"x": "<{y}>", "yy": "}}"}
        meant = {"{{": "{", "}}": "}", "{x}": values["x"], "{yy}": values["yy"]}
        assert fill_in(["".join(pieces)], values) == ["".join(meant.get(piece, piece) for piece in pieces)]
        assert placeholders(["".join(pieces)]) == {piece[1:-1] for piece in pieces if piece in ("{x}", "{yy}")}

    def test_an_unknown_name_is_an_error(self):
        with pytest.raises(ConfigError, match=r"uses \{z\}"):
            fill_in(["{z}"], {"x": 1})


class TestAnswers:
    @pytest.mark.parametrize(
        ("text", "numbers"), [("0.5\n", [0.5]), ("log\n\n1 0\n", [1, 0]), ("0.25, 1e-1", [0.25, 0.1])]
    )
    def test_the_last_line_counts(self, text, numbers):
        assert parse_numbers(text) == numbers

    @pytest.mark.parametrize("text", ["", "\n", "won!", "0.5 points", "0x1"])
    def test_anything_else_is_refused_with_the_text(self, text):
        with pytest.raises(BadReward, match="not a number"):
            parse_numbers(text)

    def test_python_answers(self):
        assert list(as_numbers(True)) == [1.0]
        assert list(as_numbers((1, 0.5))) == [1, 0.5]
        for answer in ("a", None, [None], {}):
            with pytest.raises(BadReward):
                as_numbers(answer)


class TestCommand:
    def test_it_gets_parameters_and_seed(self):
        code = "import sys; print(0 if sys.argv[1] == 'a b' and int(sys.argv[2]) >= 0 else 1)"
        assert run_job(command_job(PYTHON, "-c", code, "{x}", "{seed}", x="a b")).counts.total == 0

    def test_a_crash_keeps_its_stderr(self):
        failure = run_job(command_job(PYTHON, "-c", "import sys; print('why', file=sys.stderr); sys.exit(3)")).failure
        assert failure.kind == "program"
        assert "exit status 3" in failure.message
        assert failure.stderr == "why\n"

    def test_no_shell_is_involved(self, tmp_path):
        marker = tmp_path / "marker"
        run_job(command_job("echo", "1; touch {x}", x=str(marker), size=1))
        assert not marker.exists()

    def test_retries(self, tmp_path):
        script = tmp_path / "flaky.py"
        script.write_text(
            "import os, sys\n"
            "marker = sys.argv[1] + sys.argv[2]\n"
            "if not os.path.exists(marker):\n    open(marker, 'w').close(); sys.exit(1)\n"
            "print(1)\n"
        )
        arguments = (PYTHON, str(script), str(tmp_path / "m"), "{seed}")
        assert run_job(command_job(*arguments)).failure is not None
        assert run_job(command_job(*arguments, retries=1)).counts.total == 3

    def test_programs_are_found_where_games_are_installed(self, tmp_path, monkeypatch):
        program = tmp_path / "a-game"
        program.write_text("#!/bin/sh\necho 0.5\n")
        program.chmod(0o755)
        assert missing_programs(["a-game", "sh"]) == ["a-game"]
        monkeypatch.setattr(processes, "GAME_FOLDERS", (str(tmp_path),))
        check_command(["a-game"], None)
        assert missing_programs(["a-game", "sh"]) == []
        assert parse_command("a-game 1", shell=False).arguments == ("a-game", "1")
        assert run_job(command_job("a-game", "{x}", x=1)).counts.total == 1.5

    def test_what_is_no_program_is_refused_before_the_race(self, tmp_path):
        with pytest.raises(ConfigError, match="no program 'no-such-program-here'"):
            check_command(["no-such-program-here"], None)
        script = tmp_path / "play.sh"
        script.write_text("#!/bin/sh\necho 1\n")
        with pytest.raises(ConfigError, match=r"\./play\.sh"):  # not executable
            check_command(["./play.sh"], str(tmp_path))
        os.chmod(script, stat.S_IRWXU)
        check_command(["./play.sh"], str(tmp_path))


class TestJobs:
    @pytest.mark.parametrize(
        ("kind", "words"),
        [("nan", "nan is not a number in"), ("large", "1.5 is not"), ("text", "'no number'"), ("none", "None")],
    )
    def test_a_bad_reward_names_candidate_seed_and_text(self, kind, words):
        failure = run_job(Job(CallableEvaluator(programs.broken), "mine", {"kind": kind}, 5, 0, 50)).failure
        assert failure.kind == "bad_reward"
        assert failure.message.startswith(f"candidate 'mine', seed {failure.seed}: ")
        assert words in failure.message

    def test_the_cut_into_jobs_does_not_matter(self):
        evaluator = CallableEvaluator(programs.smooth)
        whole = run_job(Job(evaluator, "c", {"p": 0.5}, 77, 100, 60)).counts
        parts = [run_job(Job(evaluator, "c", {"p": 0.5}, 77, 100 + i, 20)).counts for i in (0, 20, 40)]
        assert whole == parts[0] + parts[1] + parts[2]

    def test_programs_that_look_alike_are_not_mixed_up(self):
        """NumPy shortens long arrays in their repr: two programs may have the same."""
        zeros, ones = np.zeros(5000), np.zeros(5000)
        ones[2000:3000] = 1
        means = [
            run_job(Job(CallableEvaluator(functools.partial(_middle, a)), "c", {}, 1, 0, 5)).counts.mean
            for a in (zeros, ones)
        ]
        assert means == [0, 1]

    def test_pairs_are_one_unit(self):
        counts = run_job(Job(CallableEvaluator(programs.pair), "c", {"p": 0.5}, 7, 0, 200, games_per_seed=2)).counts
        assert counts.n == 200
        assert set(counts) == {0, 500, 1000}

    def test_a_wrong_number_of_rewards_is_refused(self):
        failure = run_job(Job(CallableEvaluator(programs.pair), "c", {"p": 0.5}, 7, 0, 2)).failure
        assert "2 rewards for one seed" in failure.message


class TestAgainstBaseline:
    def evaluator(self, better="higher", baseline=0.0):
        return AgainstBaseline(CallableEvaluator(programs.score), {"shift": baseline}, better)

    def test_the_reward_says_who_did_better(self):
        for better, low, high in (("higher", 0.85, 1.0), ("lower", 0.0, 0.15)):
            job = Job(self.evaluator(better), "c", {"shift": 2.0}, 7, 0, 300)
            assert low <= run_job(job).counts.mean <= high

    def test_the_same_program_always_ties(self):
        assert dict(run_job(Job(self.evaluator(), "c", {"shift": 0.0}, 7, 0, 50)).counts) == {500: 50}

    def test_a_failing_baseline_is_not_the_candidates_fault(self):
        evaluator = AgainstBaseline(CallableEvaluator(programs.broken), {"kind": "raise"}, "higher")
        failure = run_job(Job(evaluator, "c", {}, 5, 0, 50)).failure
        assert failure.kind == "baseline"
        assert "the baseline failed" in failure.message

    def test_a_baseline_that_fails_once_is_tried_again(self, tmp_path):
        evaluator = AgainstBaseline(CallableEvaluator(_fails_first), {"marker": str(tmp_path / "m")}, "higher")
        assert run_job(Job(evaluator, "c", {}, 5, 0, 1, retries=1)).failure is None

    def test_infinity_can_be_compared_and_nan_cannot(self):
        evaluator = AgainstBaseline(CallableEvaluator(_value), {"x": 1.0}, "lower")
        assert run_job(Job(evaluator, "c", {"x": math.inf}, 5, 0, 1)).counts.total == 0
        assert run_job(Job(evaluator, "c", {"x": math.nan}, 5, 0, 1)).failure.kind == "bad_reward"


def _middle(values, params, seed):
    return values[2500]


def _fails_first(params, seed):
    marker = params.get("marker")
    if marker and not os.path.exists(marker):
        open(marker, "w").close()
        raise RuntimeError("not yet")
    return 1.0


def _value(params, seed):
    return params["x"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("tests.programs", "module:function"),
        ("no_such_module:f", "No module named"),
        ("tests.programs:no_such", "no_such"),
        ("tests.programs:__doc__", "not a function"),
    ],
)
def test_targets_that_cannot_be_loaded(target, words):
    with pytest.raises(ConfigError, match=words):
        load_target(target)


def test_a_raising_callable_is_a_failed_program():
    with pytest.raises(ProgramFailed, match="ValueError: a broken program"):
        CallableEvaluator(programs.broken).open()({"kind": "raise"}, 3)

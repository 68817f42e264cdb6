"""Warnings about candidates that look like mistakes."""

from typing import TypedDict

import pytest

from semeai import run_race
from semeai.errors import ConfigError
from semeai.runs.race_file import run_race_file
from tests import programs
from tests.observers import Watching

PLAIN = {"mode": "plain", "max_evaluations": 400}


def warnings_of(evaluate, candidates, settings=PLAIN, **more):
    told = []
    result = run_race(evaluate, candidates, settings, **more, observer=Watching(warning=told.append))
    assert result.warnings == told
    return told


class TestReads:
    @pytest.mark.parametrize("workers", [1, 2])
    def test_a_misspelt_parameter(self, workers):
        candidates = [{"name": "x", "bais": 0.2}, {"name": "y", "bias": 0.2}]
        assert warnings_of(programs.biased, candidates, workers=workers) == [
            "candidate 'x': parameter 'bais' was never read by biased; did you mean 'bias'?"
        ]

    def test_against_a_baseline(self):
        def play(params, seed):
            return programs.biased(params, seed)

        more = {"baseline": {"bias": 0.0, "idle": 1}, "better": "higher"}
        assert warnings_of(play, [{"name": "x", "bias": 0.1}], **more) == []  # 'idle' is not its change
        found = warnings_of(play, [{"name": "x", "bais": 0.1, "bias": 0.1}], **more)
        assert found == ["candidate 'x': parameter 'bais' was never read by play; did you mean 'bias'?"]

    def test_a_parameter_that_only_some_evaluations_read(self):
        def play(params, seed):
            return float(seed % 2 == 0 and bool(params["odd"])) if seed % 4 == 0 else float(params["p"] > seed % 3)

        assert warnings_of(play, [{"p": 1, "odd": 1}], {"mode": "plain", "max_evaluations": 2000}) == []

    @pytest.mark.parametrize(
        "play", [lambda params, seed: programs.coin({"q": 0, **params}, seed), lambda params, seed: float(seed % 2)]
    )
    def test_what_cannot_be_known_is_not_said(self, play):
        assert warnings_of(play, [{"p": 0.4, "other": 2}]) == []

    def test_a_command_is_not_watched(self, tmp_path):
        (tmp_path / "race.toml").write_text(
            '[race]\nmax_evaluations = 16\n[evaluator]\ncommand = ["sh", "-c", "echo 1", "{x}"]\n'
            '[[candidates]]\nname = "c"\nx = 1\n'
        )
        assert run_race_file(tmp_path / "race.toml", ledger=str(tmp_path / "l.sqlite"), workers=1).warnings == []


class TestConstants:
    def race(self, folder, program):
        (folder / "race.toml").write_text(
            '[race]\nmode = "plain"\naccept_above = 0.6\ndiscard_below = 0.65\nmax_evaluations = 400\n'
            f'[evaluator]\ncommand = ["sh", "-c", "{program}", "sh", "{{x}}", "{{seed}}"]\n'
            + "".join(f'[[candidates]]\nname = "{name}"\nx = {x}\n' for name, x in (("a", 1), ("b", 2), ("c", 3)))
        )
        return run_race_file(folder / "race.toml", ledger=str(folder / "l.sqlite"), workers=1).warnings

    def test_candidates_with_one_and_the_same_constant(self, tmp_path):
        expected = (
            "candidates 'a' and 'b': all results so far are 0.7; does the program use its parameters and the seed?"
        )
        assert self.race(tmp_path, "echo 0.7") == [expected]
        assert self.race(tmp_path, "echo 0.7") == [expected]  # read back from the ledger

    @pytest.mark.parametrize(
        "program",
        ["echo 0.7$1", "echo 0.7$(( $2 % 2 ))", "echo 1", "echo 0"],
        ids=["other constants", "seeds", "won", "lost"],
    )
    def test_what_is_no_constant_or_nothing_special(self, tmp_path, program):
        assert self.race(tmp_path, program) == []


class TestTies:
    def test_the_same_program_as_the_baseline(self, tmp_path):
        place = {"ledger": str(tmp_path / "l.sqlite"), "name": "r"}
        more = {"baseline": {"shift": 0.0}, "better": "higher", **place}
        expected = "all 56 results so far are ties; is it the same program as the baseline?"

        def play(params, seed):
            return programs.score({"shift": params["shift"] // 10}, seed)

        candidates = [{"name": "same", "shift": 3.0}, {"name": "other", "shift": 20.0}]
        assert warnings_of(play, candidates, **more) == [f"candidate 'same': {expected}"]
        (again,) = warnings_of(play, candidates, **more)  # read back from the ledger, with all results
        assert again.startswith("candidate 'same': all ")

    def test_the_same_program_as_another_candidate(self, tmp_path):
        def play(params, seed):
            return programs.score({"shift": params["shift"]}, seed) + 0 * params["x"]

        place = {"ledger": str(tmp_path / "l.sqlite"), "name": "r"}
        more = {"baseline": {"shift": 0.0, "x": 0}, "better": "higher", "share_baseline": True, **place}
        candidates = [{"name": "a", "shift": 0.4, "x": 1}, {"name": "b", "shift": 0.4, "x": 2}]
        candidates.append({"name": "c", "shift": 0.6, "x": 2})
        settings = {"mode": "plain", "accept_above": 0.58, "discard_below": 0.66, "max_evaluations": 400}
        expected = [
            "candidates 'a' and 'b' had the same numbers in their first 50 evaluations: "
            "does the program use what they differ in?"
        ]
        assert warnings_of(play, candidates, settings, **more) == expected
        assert warnings_of(play, candidates, settings, **more) == expected  # read back from the ledger

    def test_some_ties_are_no_sign(self):
        assert warnings_of(lambda params, seed: 0.5 + 0.5 * (seed % 40 == params["x"]), [{"x": 1}]) == []


class TestEqual:
    def test_one_warning_for_all_with_the_same_parameters(self):
        candidates = [{"name": f"c{i}", "p": 0.9} for i in range(6)] + [{"name": "d", "p": 0.1}]
        found = warnings_of(programs.coin, candidates)
        assert found == ["candidates 'c0', 'c1', 'c2' and 3 more have the same parameters"]
        assert warnings_of(programs.coin, candidates[:2]) == ["candidates 'c0' and 'c1' have the same parameters"]

    def test_the_parameters_of_the_baseline(self):
        more = {"baseline": {"shift": 1.0}, "better": "lower"}
        found = warnings_of(programs.score, [{"name": "null", "shift": 1.0}], **more)
        assert found[0] == "candidate 'null' has the parameters of the baseline"

    def test_a_stream_may_repeat_its_candidates(self):
        candidates = ({"name": f"c{i}", "p": 0.9} for i in range(4))
        assert warnings_of(programs.coin, candidates, {"mode": "stream"}) == []


class Settings(TypedDict):
    bias: float


def declared(params: Settings, seed: int) -> float:
    return programs.biased(params, seed)


class TestRefused:
    def test_a_wrong_signature(self, tmp_path):
        with pytest.raises(ConfigError, match=r"^<lambda>\(params\) cannot be called with two arguments"):
            run_race(lambda params: 1.0, [{"x": 1}])
        (tmp_path / "race.toml").write_text(
            '[evaluator]\ncallable = "tests.programs:endless"\n[[candidates]]\nname = "c"\n'
        )
        with pytest.raises(ConfigError, match=r"^endless\(seed\) cannot be called with two arguments"):
            run_race_file(tmp_path / "race.toml")

    def test_a_parameter_that_the_function_does_not_declare(self):
        with pytest.raises(ConfigError, match="candidate 'x': declared has no parameter 'bais'; did you mean 'bias'"):
            run_race(declared, [{"name": "x", "bais": 1.0}])
        with pytest.raises(ConfigError, match="baseline: declared has no parameter 'bais'"):
            run_race(declared, [{"name": "x", "bias": 1.0}], baseline={"bais": 0.0}, better="higher")

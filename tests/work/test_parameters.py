import copy
import dataclasses
import functools
import json
import pickle
from typing import TypedDict

import pydantic
import pytest

from semeai.errors import ConfigError
from semeai.work.evaluators import AgainstBaseline, CallableEvaluator
from semeai.work.jobs import Job, run_job
from semeai.work.parameters import WatchedParams, check_names, check_signature
from tests import programs

PARAMS = {"a": 1, "b": 2}


class Table(TypedDict):
    bias: float
    depth: int


@dataclasses.dataclass
class Record:
    bias: float
    depth: int = 1


class Model(pydantic.BaseModel):
    bias: float
    depth: int = 1


def no_seed(params):
    return 0.5


def keyword_seed(params, *, seed):
    return 0.5


def too_many(params, seed, board):
    return 0.5


class Player:
    def __call__(self, params: Table, seed: int) -> float:
        return 0.5


class TestSignature:
    @pytest.mark.parametrize("function", [no_seed, keyword_seed, too_many])
    def test_a_function_that_does_not_take_params_and_seed(self, function):
        with pytest.raises(ConfigError, match=r"f\(params.*\) cannot be called with two arguments"):
            check_signature(function, "f")

    @pytest.mark.parametrize(
        "function", [programs.coin, lambda *all: 0, Player(), functools.partial(too_many, board=9), max, divmod]
    )
    def test_others(self, function):
        check_signature(function, "f")


def typed(kind):
    def play(params, seed):
        return 0.5

    play.__annotations__ = {"params": kind, "return": float}
    return play


@pytest.mark.parametrize("function", [typed(Table), typed(Record), typed(Model), Player()])
def test_names_are_compared_with_a_declared_type(function):
    check_names(function, "play", "baseline", {"bias", "depth"})
    with pytest.raises(ConfigError, match="candidate 'x': play has no parameter 'bais'; did you mean 'bias'"):
        check_names(function, "play", "candidate 'x'", {"bais", "depth"})


@pytest.mark.parametrize("function", [typed(dict), typed(dict[str, float]), typed("Missing"), programs.coin, max])
def test_without_a_declared_type_any_name_will_do(function):
    check_names(function, "play", "candidate 'x'", {"anything"})


def keywords(**given):
    return given


class TestWatched:
    @pytest.mark.parametrize(
        "read",
        [
            lambda p: p["a"],
            lambda p: p.get("a"),
            lambda p: p.pop("a"),
            lambda p: p.setdefault("a", 3),
            lambda p: "a" in p,
            lambda p: "%(a)s" % p,  # noqa: UP031
            lambda p: "{a}".format_map(p),
        ],
    )
    def test_one_name(self, read):
        params = WatchedParams(PARAMS)
        assert read(params) == read(dict(PARAMS))
        assert params.reads == {"a"}

    @pytest.mark.parametrize(
        "read",
        [
            dict, list, len, bool, repr, str, sorted, json.dumps, copy.copy, copy.deepcopy,
            lambda p: {**p},
            lambda p: keywords(**p),
            lambda p: p | {"c": 3},
            lambda p: {"c": 3} | p,
            lambda p: p == {"a": 1},
            lambda p: list(p.values()),
            lambda p: list(p.items()),
            lambda p: list(reversed(p)),
            lambda p: p.copy(),
            lambda p: p.popitem(),
            lambda p: pickle.loads(pickle.dumps(p)),
        ],
    )  # fmt: skip
    def test_all(self, read):
        params = WatchedParams(PARAMS)
        assert read(params) == read(dict(PARAMS))
        assert params.reads >= set(PARAMS)

    def test_names_that_are_not_there_are_noted(self):
        params = WatchedParams(PARAMS)
        assert params.get("z", 5) == 5
        assert params.reads == {"z"}

    def test_a_fresh_copy_notes_in_the_same_place(self):
        params = WatchedParams(PARAMS)
        assert params.fresh().pop("a") == 1
        assert params.reads == {"a"}
        assert params["a"] == 1


def job(evaluator, params, **more):
    return Job(evaluator, "c", params, 5, 0, 4, **more)


class TestJobs:
    def test_the_reads_of_the_first_evaluation(self):
        evaluator = CallableEvaluator(programs.biased)
        params = {"bais": 0.1}
        assert run_job(job(evaluator, params, watched=True)).reads == {"bias"}
        assert run_job(job(evaluator, params)).reads is None
        assert run_job(job(evaluator, params, watched=True)).counts == run_job(job(evaluator, params)).counts

    def test_the_reads_of_the_baseline_count(self):
        def play(params, seed):
            return params["rare"] if params["mode"] == 0 else 1.0

        evaluator = AgainstBaseline(CallableEvaluator(play), {"mode": 0, "rare": 1})
        assert run_job(job(evaluator, {"mode": 1, "rare": 2}, watched=True)).reads == {"mode", "rare"}

    def test_a_retry_gets_unchanged_parameters(self):
        def play(params, seed):
            if params.pop("p") and not tries.append(seed) and len(tries) == 1:
                raise OSError
            return 1.0

        tries = []
        done = run_job(job(CallableEvaluator(play), {"p": 1}, watched=True, retries=1))
        assert (done.failure, len(tries)) == (None, 5)

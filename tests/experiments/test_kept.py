"""The file that keeps the answers of an experiment."""

import json

import pytest

from semeai.errors import ConfigError
from semeai.experiments.answers import Question, ask_all
from semeai.experiments.problems import own_problems
from semeai.experiments.races import RACES

PROBLEMS = [p for p in own_problems(RACES) if p.size == 9][:2]
QUESTIONS = [Question("mcts:uct,simulations=20", problem, run) for problem in PROBLEMS for run in (0, 1)]


def test_answers_that_are_kept_are_not_asked_again(tmp_path):
    file = tmp_path / "answers.jsonl"
    asked = ask_all(QUESTIONS, workers=1, executor="inline")
    told: list[str] = []
    assert ask_all(QUESTIONS[:3], workers=1, executor="inline", answers=file)[2].move == asked[2].move
    lines = file.read_text().splitlines()
    assert [json.loads(line)["move"] for line in lines] == [answer.move for answer in asked[:3]]
    other = {"A1": "B1"}.get(asked[0].move, "A1")
    changed = json.dumps(json.loads(lines[0]) | {"move": other})
    file.write_text(f"{changed}\n{lines[1]}\n{lines[2][:30]}")  # killed while it wrote the third
    again = ask_all(QUESTIONS, workers=1, executor="inline", answers=file, progress=told.append)
    assert [answer.move for answer in again] == [other, *(answer.move for answer in asked[1:])]
    assert again[0].solved == (other in PROBLEMS[0].good)
    assert told == [f"2 of 4 positions are known, from {file}"]
    assert len(file.read_text().splitlines()) == 4
    other_seed = ask_all(QUESTIONS, seed=2, workers=1, executor="inline", answers=file)
    assert len(other_seed) == 4
    assert len(file.read_text().splitlines()) == 8


def test_a_file_with_something_else_is_refused(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"key": "a"}\n')
    with pytest.raises(ConfigError, match=r"--answers .*answers.jsonl, line 1: this is no answer"):
        ask_all(QUESTIONS[:1], workers=1, executor="inline", answers=file)

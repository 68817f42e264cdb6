"""Damaged input of every kind is read, or refused in one sentence; a longer run: ``benchmarks/faults/fuzz.py``."""

import contextlib

import pytest
from benchmarks.faults import fuzz, seeds
from benchmarks.faults.parsers import Parser, Wrong, parsers

from semeai.errors import ConfigError, PlayerFailed

COUNT = 4000


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return parsers(tmp_path_factory.mktemp("fuzz"))


NAMES = [
    "GTP of Go", "GTP of Havannah", "PGN of chess", "SGF of Go", "SGF of Havannah", "answers of engines",
    "command lines", "counts", "evolution files", "move models", "opening books", "openings of chess",
    "output of GTP engines", "output of UCI engines", "output of programs", "pattern databases", "pattern files",
    "places of ledgers", "players", "race files", "suites",
]  # fmt: skip


def test_all_parsers_are_tried(known):
    assert sorted(known) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_damaged_input(known, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    whole = sum(parser.share for parser in known.values())
    row = fuzz.fuzz(name, known[name], max(20, round(COUNT * known[name].share / whole)), seed=1)
    assert row.examples == []
    assert row.held == row.tried
    assert row.read > 0


VALID = {
    "SGF of Go": seeds.GO_RECORDS,
    "SGF of Havannah": seeds.HAVANNAH_RECORDS,
    "race files": [text.encode() for text in seeds.RACES],
    "evolution files": [text.encode() for text in seeds.EVOLUTIONS],
    "pattern files": [text.encode() for text in seeds.PATTERNS],
    "opening books": [text.encode() for text in seeds.BOOKS],
    "suites": [text.encode() for text in seeds.SUITES],
    "command lines": [line.split() for line in seeds.COMMAND_LINES],
}


@pytest.mark.parametrize("name", VALID)
def test_the_inputs_before_the_damage_are_valid(known, name):
    for given in VALID[name]:
        known[name].parse(given)


def test_players_before_the_damage_are_valid(known):
    for words in seeds.PLAYERS:
        with contextlib.suppress(ConfigError) if "gnugo" in words else contextlib.nullcontext():  # it may be missing
            known["players"].parse(("go", words))


def raises(error):
    def parse(given):
        raise error

    return parse


def endless(given):
    while True:
        pass


@pytest.mark.parametrize(("parse", "reason"), [
    (raises(ValueError("x")), "ValueError: x"),
    (raises(MemoryError()), "MemoryError"),
    (raises(Wrong("not sound")), "not sound"),
    (raises(SystemExit(1)), "SystemExit"),
    (raises(ConfigError("")), "without words"),
    (raises(ConfigError("x" * 30_000)), "a message of 30000 characters"),
    (endless, "CPU seconds"),
])  # fmt: skip
def test_what_counts_as_lost(parse, reason):
    row = fuzz.fuzz("broken", Parser(lambda random: "input", parse), 7, seconds=0.05)
    assert (row.tried, row.held, row.lost, len(row.examples)) == (7, 0, 7, fuzz.KEPT)
    assert row.examples[0][0] == "input"
    assert reason in row.examples[0][1]


def test_what_counts_as_held():
    for parse in (lambda given: None, raises(ConfigError("a\nb")), raises(PlayerFailed("x", "two\nlines"))):
        assert fuzz.fuzz("sound", Parser(lambda random: "", parse), 3).lost == 0


def test_the_same_seed_gives_the_same_inputs(known):
    def inputs(name):
        found = []
        fuzz.fuzz(name, Parser(known[name].make, found.append), 20, seed=3)
        return found

    for name in NAMES:
        assert inputs(name) == inputs(name)

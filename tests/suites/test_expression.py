"""Wanted moves as regular expressions: the same answers as Python's ``re``, in bounded time."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semeai.errors import ConfigError
from semeai.suites.expression import DEEPEST, LONGEST, parse_wanted

LEAVES = st.sampled_from(["A", "B", "1", "2", ".", "[AB]", "[A-C1]", "PASS"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("|".join),
        st.builds(lambda part, sign: f"({part}){sign}", inner, st.sampled_from(["", "?", "*", "+"])),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, st.text("AB12PS", max_size=5))
@example("(A*)*", "AAB")
@example("(A?)+", "")
def test_agrees_with_re(expression, text):
    assert parse_wanted(expression).fits(text) == bool(re.fullmatch(expression, text))
    assert parse_wanted(f"!{expression}").fits(text) != bool(re.fullmatch(expression, text))


@pytest.mark.parametrize(
    ("want", "solutions", "others"),
    [
        ("D4|E5", "D4 e5", "D45 D pass"),
        ("!K9|L10", "D4 pass", "K9 L10"),
        ("PASS", "pass PASS", "A1 resign"),
        ("!(D9|F6)", "A1", "D9 F6"),
    ],
)
def test_whole_moves_are_compared(want, solutions, others):
    assert all(map(parse_wanted(want).fits, solutions.split()))
    assert not any(map(parse_wanted(want).fits, others.split()))


@pytest.mark.parametrize("want", ["(.?)" * 240 + "X", "(" * DEEPEST + ".*" + ")*" * DEEPEST + "X", ".*" * 499 + "X"])
def test_what_takes_re_for_ever_takes_no_time(want):
    began = time.process_time()
    assert not parse_wanted(want).fits("RESIGN")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("want", "why"),
    [
        ("", "because of its end: a move is missing"),
        ("A1|", "because of its end: a move is missing"),
        ("(A1", r"a \) is missing"),
        ("A1)", r"'\)' at character 3: there is no \( for it"),
        ("[A", "a ] is missing"),
        ("[C-A]", "C-A is no range"),
        ("*A", r"'\*' at character 1"),
        ("A**", r"'\*' at character 3"),
        (r"(?P<x>A)\1", r"'\?' at character 2"),
        ("A{9}", "'{' at character 2"),
        ("(" * (DEEPEST + 1) + "A", "more than 50 groups"),
        ("A" * (LONGEST + 1), "at most 1,000 characters, not 1,001"),
    ],
)
def test_a_mistake_is_named(want, why):
    with pytest.raises(ConfigError, match=why):
        parse_wanted(want)

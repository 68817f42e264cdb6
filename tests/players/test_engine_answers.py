"""Answers are found however an engine's output is cut into parts, in linear time, and with limits."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.players.engine_answers import LONGEST_ANSWER, LONGEST_LINE, MOST_SKIPPED, EngineAnswers

FORMS = [
    (b"= A1\n\n", (True, "A1")),
    (b"=\n\n", (True, "")),
    (b"=12 A1\n\n", (True, "A1")),
    (b"?7 no\n\n", (False, "no")),
    (b"= A1\r\n\r\n", (True, "A1")),
    (b"\n \n\t# a comment\n#\n  = A1\n\n", (True, "A1")),
    (b"= a\n b\n \nc\n\n", (True, "a\n b\n \nc")),
    (b"= a\n# b\n\n", (True, "a\n# b")),
    (b"\0\0= A\x07B\n\x1b\n", (True, "AB")),
    ("= é→\n\n".encode(), (True, "é→")),
    (b"= \xff\n\n", (True, "\N{REPLACEMENT CHARACTER}")),
]


def read(output: bytes, size: int = 1 << 16) -> EngineAnswers:
    answers = EngineAnswers()
    for start in range(0, len(output), size):
        answers.add(output[start : start + size])
    return answers


@pytest.mark.parametrize(("output", "answer"), FORMS)
def test_all_forms_however_they_are_cut(output, answer):
    for size in range(1, len(output) + 1):
        answers = EngineAnswers()
        for start in range(0, len(output), size):
            assert answers.take("x") is None
            answers.add(output[start : start + size])
        assert answers.take("x") == answer
        assert answers.take("x") is None
        assert answers.unasked() == ""


@given(st.lists(st.sampled_from([b"=", b"?", b"#", b"\n", b" ", b"1", b"A", b"\r", b"\xc3", b"\xa9"])), st.data())
def test_the_cut_does_not_matter(pieces, data):
    output = b"".join(pieces)
    cut = data.draw(st.integers(0, len(output)))
    whole, parts = EngineAnswers(), EngineAnswers()
    whole.add(output)
    parts.add(output[:cut])
    parts.add(output[cut:])
    found = []
    for answers in (whole, parts):
        try:
            found.append((answers.take("x"), answers.unasked(), answers.begun()))
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "output", [b"Welcome!\n", b"Welcome!\n= A1\n\n", b"# hello\nWelcome!\n", b"Welcome!" + b" " * 99]
)
def test_other_text_is_no_answer(output):
    with pytest.raises(ValueError, match=r"^answered 'Welcome!' to 'name', which is no GTP answer$"):
        read(output).take("name")


def test_more_than_one_answer():
    answers = read(b"= A1\n\n# a comment after it\n= B1\n\n= C1\n\n")
    assert answers.take("x") == (True, "A1")
    assert answers.unasked() == "= B1"


@pytest.mark.parametrize("rest", [b"", b"\n\n", b"# thinking", b"# thinking\n \n"])
def test_comments_after_an_answer_are_no_answers(rest):
    answers = read(b"= A1\n\n" + rest)
    assert answers.take("x") == (True, "A1")
    assert answers.unasked() == ""


@pytest.mark.parametrize("rest", [b"= B1", b"= B1\n", b"B1", b"B1\n"])
def test_other_output_after_an_answer_is_unasked(rest):
    answers = read(b"= A1\n\n" + rest)
    assert answers.take("x") == (True, "A1")
    assert answers.unasked().endswith("B1")


@pytest.mark.parametrize(
    ("begin", "part", "limit", "words"),
    [
        (b"= ", b"x" * 1000, LONGEST_LINE, "wrote a line of more than 256 KB in answer to 'name'"),
        (b"#", b"x" * 1000, LONGEST_LINE, "wrote a line of more than 256 KB in answer to 'name'"),
        (b"= ", b"x\n" * 1000, LONGEST_ANSWER, "wrote more than 1 MB in answer to 'name'"),
        (b"", b"# x\n" * 1000, MOST_SKIPPED, "wrote more than 4 MB of comments in answer to 'name'"),
        (b"", b"         \n" * 100, MOST_SKIPPED, "wrote more than 4 MB of comments in answer to 'name'"),
        (b"", b" " * 1000, MOST_SKIPPED, "wrote more than 4 MB of comments in answer to 'name'"),
    ],
)
def test_limits(begin, part, limit, words):
    answers = EngineAnswers()
    answers.add(begin)
    for _ in range(limit // len(part)):
        answers.add(part)
    assert answers.take("name") is None
    answers.add(part)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^{words}$"):
            answers.take("name")
        answers.add(b"\n\n= A1\n\n")


def test_nothing_is_collected_after_a_limit():
    answers = read(b"= " + b"x\n" * (2 * LONGEST_ANSWER))
    assert len(answers.begun()) < LONGEST_ANSWER + 10


def test_reading_is_linear():
    """Four times the output takes about four times as long; it took sixteen times when each part was joined to all."""

    def seconds(size: int) -> float:
        output = b"= " + b"A1 B2 C3\n" * (size // 9) + b"\n"
        began = time.process_time()
        assert read(output, 16).take("x") is not None
        return time.process_time() - began

    short, long = (min(seconds(size) for _ in range(3)) for size in (250_000, 1_000_000))
    assert long < 10 * short

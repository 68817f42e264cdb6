"""The engine on streams: the reader thread, stopping, broken input, and time."""

import io
import os
import threading
import time

import pytest

from semeai.gtp.io import MAX_LINE_BYTES, serve, split_lines
from tests.gtp.helpers import Talk, parse


class Pipes:
    """A conversation with a server in another thread, through real pipes."""

    def __init__(self, **options):
        self.talk = Talk(**options)
        self.talk.ok("genmove b")  # compiled before anything is timed
        self.talk.ok("clear_board")
        read, write = os.pipe()
        back, out = os.pipe()
        self.into, self.answers = os.fdopen(write, "wb", buffering=0), os.fdopen(back, "rb")
        self._server_ends = os.fdopen(read, "rb"), os.fdopen(out, "wb")
        self.thread = threading.Thread(target=serve, args=(self.talk.engine, *self._server_ends))
        self.thread.start()

    def say(self, text):
        self.into.write(text.encode())

    def line(self):
        return self.answers.readline().decode()

    def answer(self):
        lines = []
        while not lines or lines[-1] != "\n":
            lines.append(self.line())
        return "".join(lines)

    def close(self):
        if not self.into.closed:
            self.into.close()
        self.thread.join(300)
        assert not self.thread.is_alive()
        for stream in (self.answers, *self._server_ends):
            stream.close()


@pytest.fixture
def pipes():
    pipes = Pipes(analysis_simulations=10**9, simulations=50, changes={"memory_mb": 2000})  # it will not rest
    yield pipes
    pipes.close()


def run(script, **options):
    """What comes out when ``script`` is piped in."""
    out = io.BytesIO()
    serve(Talk(**options).engine, io.BytesIO(script), out)
    return out.getvalue().decode()


def test_a_script_is_answered_line_by_line():
    assert run(b"name\n1 protocol_version\r\n\n# nothing\n2 boardsize 9\n") == "= semeai\n\n=1 2\n\n=2\n\n"
    assert run(b"") == ""
    assert run(b"name") == "= semeai\n\n"  # no line end at the end of the input
    assert run(b"quit\nname\n") == "=\n\n"


def test_bytes_that_are_no_text():
    answers = run(b"\xff\xfe\nname \xc3\x28\n\xe2\x80\xa8\n3 \xff\nname\n").split("\n\n")
    assert answers == ["? unknown command", "= semeai", "? unknown command", "?3 unknown command", "= semeai", ""]


def test_endless_lines_are_cut():
    long = b"5 play b " + b"D4 " * MAX_LINE_BYTES
    assert run(long + b"\nname\n") == "?5 invalid color or coordinate\n\n= semeai\n\n"
    assert len(list(split_lines(io.BytesIO(b"x" * (3 * MAX_LINE_BYTES) + b"\ny\nz")))) == 3


def test_any_input_ends_an_analysis_and_is_answered(pipes):
    pipes.say("7 lz-analyze b 1\n")
    assert pipes.line() == "=7\n"
    for _ in range(3):
        assert pipes.line().startswith("info move ")
    began = time.monotonic()
    pipes.say("8 name\n")
    rest = pipes.answer()
    assert rest.endswith("\n\n") or rest == "\n"
    assert pipes.answer() == "=8 semeai\n\n"
    assert time.monotonic() - began < 300


def test_an_empty_line_ends_an_analysis_too(pipes):
    pipes.say("lz-analyze b 1\n")
    assert pipes.line() == "=\n"
    assert pipes.line().startswith("info")
    pipes.say("\n")
    assert pipes.answer().endswith("\n")
    pipes.say("name\n")
    assert pipes.answer() == "= semeai\n\n"


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_quit_and_the_end_of_input_end_an_analysis_at_once(pipes, end):
    pipes.say("lz-analyze b 1\n")
    assert pipes.line() == "=\n"
    assert pipes.line().startswith("info")
    began = time.monotonic()
    if end:
        pipes.say(end)
    else:
        pipes.into.close()
    pipes.thread.join(300)
    assert time.monotonic() - began < 300
    assert not pipes.thread.is_alive()


def test_a_resting_analysis_waits_for_input():
    pipes = Pipes(analysis_simulations=20, simulations=50)
    pipes.say("lz-analyze b 1\n")
    assert pipes.line() == "=\n"
    line = pipes.line()
    while "visits" in line and sum(int(x.split()[0]) for x in line.split("visits ")[1:]) < 19:
        line = pipes.line()
    pipes.thread.join(0.3)
    assert pipes.thread.is_alive()
    pipes.say("name\n")
    assert pipes.answer()[-1] == "\n"
    assert pipes.answer() == "= semeai\n\n"
    pipes.close()


def test_a_move_that_was_asked_for_is_given_whatever_comes_next(pipes):
    pipes.say("lz-genmove_analyze b 1\nname\nquit\n")
    lines = pipes.answer().splitlines()
    assert lines[0] == "="
    assert lines[-2].startswith("play ")
    assert pipes.answer() == "= semeai\n\n"


def test_analyses_in_a_script_show_something():
    answers = run(b"lz-analyze b 10\nlz-analyze w 10\nlz-genmove_analyze b 10\nquit\n").split("\n\n")
    assert [a.split("\n")[1][:10] for a in answers[:3]] == ["info move "] * 3
    assert answers[2].split("\n")[-1].startswith("play ")
    assert parse(answers[3] + "\n\n") == (True, "", "")


@pytest.mark.slow
def test_the_clock_is_kept_in_real_time():
    talk = Talk(simulations=10**9, changes={"memory_mb": 50})
    talk.ok("time_settings 0 2 1")
    talk.ok("genmove b")  # compiles
    for command in ("time_settings 0 2 1", "kgs-time_settings byoyomi 0 2 3", "time_settings 30 0 0"):
        talk.ok(command)
        began = time.monotonic()
        talk.ok("genmove w")
        assert 0.1 < time.monotonic() - began < 60  # 10**9 simulations take hours


def test_no_time_left_is_no_reason_to_think():
    talk = Talk(simulations=10**9)
    talk.ok("time_settings 100 0 0")
    talk.ok("time_left b 0 0")
    began = time.monotonic()
    talk.ok("genmove b")
    assert time.monotonic() - began < 300
    assert talk.fails("time_left b") == talk.fails("time_left b -1 0") == "syntax error"
    assert talk.fails("time_settings 1 2") == talk.fails("kgs-time_settings canadian 1") == "syntax error"
    assert talk.fails("kgs-time_settings") == talk.fails("kgs-time_settings byoyomi 1 2 3 4") == "syntax error"


def test_the_log_has_both_sides():
    log = io.StringIO()
    serve(Talk().engine, io.BytesIO(b"1 name\nquit\n"), io.BytesIO(), log)
    assert [line[10:] for line in log.getvalue().splitlines()] == ["< 1 name", "> =1 semeai", "< quit", "> ="]

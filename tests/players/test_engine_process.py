"""Engines that write or read in bad ways: every time limit holds, and every failure is one sentence."""

import gc
import os
import sys
import time
from pathlib import Path

import pytest

from semeai.errors import PlayerFailed
from semeai.players.engine_process import UNREAD_STDERR, EngineProcess

PATIENCE = 300.0  # seconds: far more than is needed, so that a busy machine fails no test
START = """
import os, sys, threading, time
def write(text, stream=1):
    os.write(stream, text.encode())
def flood(text, stream=1):
    while True:
        write(text, stream)
"""
ENDLESS = {
    "comments": "flood('# thinking\\n' * 1000)",
    "blanks": "flood(' ' * 10000)",
    "a line": "write('= '); flood('x' * 10000)",
    "a comment": "write('#'); flood('x' * 10000)",
    "lines": "write('= \\n'); flood('x\\n' * 1000)",
    "one byte per 50 ms": "write('= ')\nwhile True: write('x'); time.sleep(0.05)",
    "one comment per 50 ms": "while True: write('# x\\n'); time.sleep(0.05)",
    "errors": "flood('x' * 10000, 2)",
    "errors and comments": (
        "threading.Thread(target=flood, args=('x' * 10000, 2)).start()\nwhile True: write('# x\\n'); time.sleep(0.05)"
    ),
}


def engine(code: str, startup_timeout: float = PATIENCE) -> EngineProcess:
    return EngineProcess([sys.executable, "-c", START + code], "e", None, startup_timeout)


@pytest.mark.parametrize("output", ENDLESS)
def test_endless_output_ends_at_a_limit(output):
    bad = engine(ENDLESS[output], startup_timeout=1.0)
    began = time.monotonic()
    with pytest.raises(PlayerFailed, match=r"^engine 'e' (wrote more than|wrote a line|gave no answer)") as caught:
        bad.ask("name", 1.0)
    assert time.monotonic() - began < PATIENCE
    assert caught.value.reason in ("bad answer", "timeout")
    assert len(str(caught.value)) < 200
    assert not bad.is_open
    assert bad._process.returncode is not None


@pytest.mark.parametrize("output", ["one byte per 50 ms", "errors", "errors and comments"])
def test_a_time_limit_holds_while_output_comes(output):
    bad = engine(f"input(); write('= \\n\\n')\n{ENDLESS[output]}")
    assert bad.ask("name", PATIENCE) == ""
    with pytest.raises(PlayerFailed, match=r"without being asked|gave no answer to 'version' within 0\.5 s") as caught:
        bad.ask("version", 0.5)
    assert ("x" * 100 in caught.value.stderr) == output.startswith("errors")


def test_an_engine_that_does_not_read_its_commands():
    deaf = engine("input(); write('= \\n\\n'); time.sleep(1000)")
    deaf.ask("name", PATIENCE)
    began = time.monotonic()
    with pytest.raises(PlayerFailed, match=r"gave no answer to 'x+' within 0\.5 s"):
        deaf.ask("x" * 1_000_000, 0.5)
    assert time.monotonic() - began < PATIENCE


def test_a_long_command_is_sent_whole():
    echo = engine("write('= ' + str(len(sys.stdin.buffer.readline())) + '\\n\\n'); time.sleep(1000)")
    assert echo.ask("x" * 999_999, PATIENCE) == "1000000"
    echo.close()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("Welcome!\\n", "answered 'Welcome!' to 'name', which is no GTP answer"),
        ("Welcome!", "gave no answer to 'name' within 2 s (it wrote 'Welcome!')"),
    ],
)
def test_output_before_the_first_command(output, words):
    polite = engine("write('\\n# Welcome!\\n\\n'); input(); write('= \\n\\n')")
    assert polite.ask("name", PATIENCE) == ""
    polite.close()
    with pytest.raises(PlayerFailed) as caught:
        engine(f"write('{output}'); time.sleep(1000)", 2).ask("name", PATIENCE)
    assert str(caught.value) == f"engine 'e' {words}"


def test_output_after_an_answer():
    """Comments are allowed everywhere, and two answers to one command are not."""
    talks = engine("while True: input(); write('= A1\\n\\n# good\\n')")
    assert [talks.ask("genmove", PATIENCE) for _ in range(3)] == ["A1"] * 3
    talks.close()
    twice = engine("while True: input(); write('= A1\\n\\n= B1\\n\\n')")
    assert twice.ask("genmove", PATIENCE) == "A1"
    with pytest.raises(PlayerFailed, match="wrote '= B1' without being asked"):
        twice.ask("genmove", PATIENCE)


def test_an_answer_just_before_the_end_counts():
    last = engine("input(); write('why', 2); write('= ' + 'x' * 100_000 + '\\n\\n'); os._exit(3)")
    assert last.ask("name", PATIENCE) == "x" * 100_000
    with pytest.raises(PlayerFailed, match=r"^engine 'e' ended \(exit status 3\) in place of an answer$") as caught:
        last.ask("name", PATIENCE)
    assert caught.value.stderr == "why"


def test_an_engine_that_closes_its_output():
    closes = engine("input(); write('= A'); os.close(1); time.sleep(1000)")
    with pytest.raises(PlayerFailed, match=r"^engine 'e' closed its output after '= A' in place of an answer$"):
        closes.ask("name", PATIENCE)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can make a pipe larger")
def test_an_engine_may_talk_between_two_commands(tmp_path):
    """A pondering engine writes to standard error while nobody reads it."""
    done = tmp_path / "done"
    code = f"input(); write('= \\n\\n'); write('x' * {UNREAD_STDERR}, 2); open('{done}', 'w').close(); time.sleep(1000)"
    ponders = engine(code)
    ponders.ask("name", PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while not done.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert ponders.stderr == "x" * 4000
    ponders.close()


def test_a_forgotten_engine_leaves_no_handles_open():
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(3):
        forgotten = engine("input(); write('= \\n\\n'); time.sleep(1000)")
        forgotten.ask("name", PATIENCE)
        process = forgotten._process
        del forgotten
        gc.collect()
        assert process.returncode is not None
    if before:
        assert len(os.listdir("/proc/self/fd")) == before

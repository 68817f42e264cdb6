"""One program run to its end: its time and its output are limited, and nothing that it started is left."""

import os
import sys
import time
from pathlib import Path

import pytest

from semeai.errors import BadReward, ProgramFailed
from semeai.streams import KEPT_STDERR
from semeai.work.command import KEPT_OUTPUT, run_command
from semeai.work.metrics import parse_numbers, printed_numbers

PATIENCE = 300.0  # seconds: far more than is needed, so that a busy machine fails no test


def run(code: str, timeout: float = PATIENCE) -> str:
    return run_command([sys.executable, "-c", code], folder=None, timeout=timeout).output


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_signal_is_named():
    with pytest.raises(ProgramFailed, match="SIGSEGV"):
        run("import os; os.kill(os.getpid(), 11)")


@pytest.mark.slow
def test_a_hanging_program_ends_at_its_limit_with_all_its_children(tmp_path):
    note = tmp_path / "pid"
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '1000'])\n"
        f"open('{note}~', 'w').write(str(child.pid))\n"
        f"os.rename('{note}~', '{note}')\n"
        "time.sleep(1000)\n"
    )
    for timeout in (0.5, 5, PATIENCE):  # a busy machine may need more time to start the child
        with pytest.raises(ProgramFailed, match=rf"no answer within {timeout:g} s"):
            run(code, timeout)
        if note.exists():
            break
    child = int(note.read_text())
    deadline = time.monotonic() + PATIENCE
    while is_alive(child):
        assert time.monotonic() < deadline, "the child outlives its program"
        time.sleep(0.01)


@pytest.mark.parametrize("child", [["sleep", "1000"], ["yes"], ["sh", "-c", "yes >&2"]])
def test_a_child_left_behind_does_not_hold_it_up(child):
    code = f"import subprocess; subprocess.Popen({child}); print(1)"
    began = time.monotonic()
    output = run(code, timeout=1000)
    assert time.monotonic() - began < PATIENCE
    if child != ["yes"]:  # its output is the program's
        assert output == "1\n"


def test_only_the_end_of_a_long_output_is_kept():
    output = run("import sys; print('x' * 100); [print('y' * 1000) for _ in range(5000)]; print(0.5)")
    assert len(output) == KEPT_OUTPUT
    assert parse_numbers(output) == [0.5]


def test_the_last_line_is_never_lost():
    """The program ends at once after it, with a full pipe behind it."""
    code = "import os; os.write(1, b'x' * 200_000 + b'\\n0.25\\n'); os._exit(0)"
    for _ in range(20):
        assert parse_numbers(run(code)) == [0.25]


def test_both_streams_are_read_at_once():
    code = (
        "import sys\n"
        "for _ in range(100):\n    print('o' * 20_000)\n    print('e' * 20_000, file=sys.stderr)\n"
        "sys.exit('the reason')\n"
    )
    with pytest.raises(ProgramFailed, match="exit status 1") as caught:
        run(code)
    assert caught.value.stderr.endswith("e\nthe reason\n")
    assert len(caught.value.stderr) == KEPT_STDERR


def test_a_wrong_last_line_is_shown_with_the_beginning_of_the_output():
    finished = run_command(
        ["sh", "-c", "echo usage: play; seq 20000; printf %0300d 7; echo end"], folder=None, timeout=PATIENCE
    )
    with pytest.raises(BadReward) as caught:
        printed_numbers(finished)
    words = str(caught.value)
    assert words.startswith("the last line it printed is '0000")
    assert "0007end', not a number; its output begins with 'usage: play 1 2 3" in words
    assert len(words) < 600


@pytest.mark.slow
@pytest.mark.parametrize(("redirection", "stream"), [("", "output"), (" >&2", "error")])
def test_a_program_that_floods_is_ended(redirection, stream):
    with pytest.raises(ProgramFailed) as caught:
        run_command(["sh", "-c", f"exec yes no{redirection}"], folder=None, timeout=1000)
    words = f"it wrote more than 1,000 MB to standard {stream}, beginning with 'no no no"
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 200
    assert len(caught.value.stderr) == (KEPT_STDERR if stream == "error" else 0)


def test_a_program_that_dribbles_ends_at_its_time_limit():
    with pytest.raises(ProgramFailed, match=r"no answer within 0\.5 s"):
        run("import os, time\nwhile True: os.write(1, b'1\\n'); time.sleep(0.05)", timeout=0.5)


def test_a_program_may_close_its_streams_and_work_on():
    assert run("import os, time; print(1, flush=True); os.close(1); os.close(2); time.sleep(0.2)") == "1\n"
    with pytest.raises(ProgramFailed, match="exit status 3"):
        run("import os, time; os.close(1); os.close(2); time.sleep(0.2); os._exit(3)")


def test_output_that_is_no_text():
    output = run("import os; os.write(1, bytes(range(256)) + b'\\n1\\n')")
    assert parse_numbers(output) == [1]
    assert "\0" not in output

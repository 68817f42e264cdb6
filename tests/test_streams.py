"""The pipes of a program: deadlines hold whatever it does, and its end is seen whoever keeps its pipes open."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.processes import end_program, start_program
from semeai.streams import KEPT_STDERR, Ends, ErrorTail, Pipes

PATIENCE = 300.0  # seconds: far more than is needed, so that a busy machine fails no test


@pytest.fixture(params=["reported end", "no report"])
def reports(request, monkeypatch):
    """With and without a report of the operating system that a program has ended."""
    if request.param == "no report":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@contextmanager
def program(code: str, *arguments: str):
    """A Python program; with its pipes and all that was read."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, *arguments]
    process = start_program(command, folder=None, stdin=pipe, stdout=pipe, stderr=pipe)
    out, err = Ends(1 << 20), ErrorTail()
    pipes = Pipes(process, out.add, err.add)
    try:
        yield pipes, out, err
    finally:
        end_program(process)
        pipes.close()


class TestEnds:
    @given(st.lists(st.binary(max_size=40)), st.integers(1, 60))
    def test_the_last_bytes_are_kept_however_they_come(self, parts, kept):
        ends = Ends(kept)
        for part in parts:
            ends.add(part)
        whole = b"".join(parts)
        assert ends.size == len(whole)
        assert ends.tail() == whole[-kept:].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")

    def test_a_long_stream_takes_no_more_memory_than_is_kept(self):
        ends = Ends(1000)
        for _ in range(1000):
            ends.add(b"x" * 999)
        assert len(ends._tail) <= 3000
        assert ends.head() == repr("x" * 80 + "…")

    def test_an_error_tail_counts_characters(self):
        tail = ErrorTail()
        tail.add("é".encode() * 10_000)
        assert tail.tail() == "é" * KEPT_STDERR


@pytest.mark.usefixtures("reports")
class TestPipes:
    def test_all_that_an_ended_program_wrote_is_read(self):
        code = "import os; os.write(2, b'e' * 60000); [os.write(1, b'o' * 50000) for _ in range(20)]"
        with program(code) as (pipes, out, err):
            assert pipes.wait(PATIENCE)
            assert (out.size, err.size) == (1_000_000, 60_000)

    @pytest.mark.parametrize("child", ["time.sleep(1000)", "while True: os.write(1, b'x' * 60000)"])
    def test_a_child_that_keeps_the_pipes_open_does_not_hide_the_end(self, child):
        """Not even one that has left the process group, or that writes for ever."""
        code = (
            "import os, time\n"
            "ready, mark = os.pipe()\n"
            "if (pid := os.fork()) == 0:\n"
            "    os.setsid()\n"
            "    os.close(mark)\n"
            f"    {child}\n"
            "os.close(mark)\n"
            "os.read(ready, 1)\n"
            "os.write(1, b'answer')\n"
            "os.write(2, str(pid).encode())\n"
        )
        with program(code) as (pipes, out, err):
            assert pipes.wait(PATIENCE)
            assert out.size >= len("answer")
            pid = int(err.tail())
            os.kill(pid, signal.SIGKILL)

    @pytest.mark.parametrize(
        "code",
        [
            "import time; time.sleep(1000)",
            "import os\nwhile True: os.write(1, b'x' * 60000)",
            "import os\nwhile True: os.write(1, b'x' * 60000); os.write(2, b'y' * 60000)",
            "import os, time\nwhile True: os.write(1, b'x'); time.sleep(0.05)",
            "import os, time\nos.close(1); os.close(2); time.sleep(1000)",
        ],
        ids=["silent", "floods", "floods both", "dribbles", "closes its streams"],
    )
    def test_the_deadline_holds(self, code):
        with program(code) as (pipes, _, _):
            began = time.monotonic()
            assert not pipes.wait(0.5)
            assert 0.5 <= time.monotonic() - began < PATIENCE

    def test_what_is_there_is_read_after_the_deadline(self):
        with program("import os, time; os.write(1, b'x'); time.sleep(1000)") as (pipes, out, _):
            give_up = time.monotonic() + PATIENCE
            while not out.size:
                assert not pipes.pump(deadline=0.0)
                assert time.monotonic() < give_up

    def test_a_program_that_does_not_read_cannot_block_us(self):
        with program("import time; time.sleep(1000)") as (pipes, _, _):
            pipes.send(b"x" * 1_000_000)
            assert not pipes.wait(0.2)

    def test_long_input_is_sent_while_output_is_read(self):
        echo = "import os\nwhile data := os.read(0, 50000): os.write(1, data)"
        with program(echo) as (pipes, out, _):
            pipes.send(b"x" * 1_000_000)
            deadline = time.monotonic() + PATIENCE
            while out.size < 1_000_000:
                assert pipes.pump(deadline)

    def test_a_closed_input_is_no_error(self):
        with program("import os, time; os.close(0); os.write(1, b'x'); time.sleep(1000)") as (pipes, out, _):
            deadline = time.monotonic() + PATIENCE
            while not out.size:
                assert pipes.pump(deadline)
            pipes.send(b"x" * 1_000_000)
            assert not pipes.wait(0.1)

    def test_a_closed_output_is_seen(self):
        with program("import os, time; os.close(1); time.sleep(1000)") as (pipes, _, _):
            deadline = time.monotonic() + PATIENCE
            while not pipes.output_closed:
                assert pipes.pump(deadline)
            assert not pipes.ended

"""Commands that tests start and end: all their processes are found by a mark in their environment."""

import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are looked up in /proc")
LIMIT = 200
"""Seconds for what takes a few, on a machine with much else to do."""
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Process:
    """A process of a command. One that has ended is none, even if its parent does not know yet."""

    pid: int
    line: str
    environment: dict[str, str]

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


class Started:
    """A running command. Its output is kept in files in ``folder``."""

    def __init__(self, folder, arguments, program=(sys.executable,), **environment):
        self.mark, self.folder = f"SEMEAI_TEST_MARK={uuid.uuid4().hex}", folder
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        name, value = self.mark.split("=")
        added = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1", name: value, **environment}
        with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
            self.process = subprocess.Popen(
                [*map(str, program), *arguments], stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, cwd=folder,
                env={**os.environ, **added},
            )  # fmt: skip

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    @property
    def output(self):
        return "".join((self.folder / name).read_text() for name in ("stdout", "stderr"))

    def processes(self):
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or belongs to somebody else
                words = (place / "environ").read_bytes().decode(errors="replace").split("\0")
                line = (place / "cmdline").read_text().replace("\0", " ")
                if self.mark in words and line:
                    environment = dict(word.partition("=")[::2] for word in words if "=" in word)
                    found.append(Process(int(place.name), line, environment))
        return found

    def wait_until(self, condition):
        """Wait for a condition of the running command. The first test may have to compile kernels."""
        deadline = time.monotonic() + 4 * LIMIT
        while not condition():
            assert self.process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.02)

    def cpu_seconds(self):
        # Not looked up in processes(): a process that has just begun has no environment to read yet.
        return Process(self.process.pid, "", {}).cpu_seconds()

    def open_files(self):
        found = []
        for place in Path(f"/proc/{self.process.pid}/fd").glob("*"):
            with suppress(OSError):  # it has been closed meanwhile
                found.append(place.readlink())
        return found

    def ended(self):
        """Wait for its end and for that of all processes that it has started. Returns the exit code."""
        code = self.process.wait(LIMIT)
        deadline = time.monotonic() + LIMIT
        while left := self.processes():
            assert time.monotonic() < deadline, left
            time.sleep(0.05)
        return code

    def close(self):
        """End all its processes, whatever state they are in."""
        self.process.kill()
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()
        for process in self.processes():
            with suppress(OSError):
                os.kill(process.pid, signal.SIGKILL)

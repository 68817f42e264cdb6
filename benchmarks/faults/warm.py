"""Commands of semeai that start at once: each is a fork of a process that has imported everything already.

Importing is most of the processor time of a short run. A fork runs the command from its first line on, in a process
group of its own, and starts its own workers.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_MODULES = (
    "semeai.cli.app", "semeai.cli.race", "semeai.cli.match", "semeai.cli.display", "semeai.cli.match_display",
    "semeai.cli.main", "semeai.match.run", "semeai.race.rules", "semeai.runs.race_file", "semeai.work.packing",
    "sqlalchemy.dialects.sqlite.pysqlite", "sqlalchemy.dialects.postgresql.psycopg", "rich.live", "rich.table",
    "multiprocessing.forkserver", "concurrent.futures.process", "cloudpickle",
)  # fmt: skip
_own = threading.local()


class Started:
    """A started command."""

    def __init__(self, template: "_Template", pid: int, files: list[Path]) -> None:
        self.pid = pid
        self._template, self._files = template, files

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        self._template.look()
        return self._template.codes.get(self.pid)

    def send(self, number: int) -> None:
        """Send a signal to the process if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Wait at most so long. Returns the exit code; None if it still runs."""
        deadline = time.monotonic() + seconds
        while (code := self.poll()) is None and (left := deadline - time.monotonic()) > 0:
            self._template.look(left)
        return code

    def output(self) -> tuple[str, str]:
        """Return what it has written, and its errors. May be called once."""
        found = [file.read_text(errors="replace") for file in self._files]
        for file in self._files:
            file.unlink()
        return found[0], found[1]


def start(words: list[str], folder: Path) -> Started:
    """Start ``semeai`` with these words in a folder."""
    if not hasattr(_own, "template"):
        _own.template = _Template()
    template: _Template = _own.template
    return template.start(words, folder)


class _Template:
    """The process that is forked, one per thread."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.faults.warm"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._outputs = tempfile.TemporaryDirectory(prefix="semeai-faults-")  # the disk of a run may be full
        self._n_started = 0
        self._rest = b""
        self._pid = 0
        self.codes: dict[int, int] = {}

    def start(self, words: list[str], folder: Path) -> Started:
        self._n_started += 1
        files = [Path(self._outputs.name) / f"{kind}-{self._n_started}" for kind in ("out", "err")]
        assert self._process.stdin is not None
        line = json.dumps({"words": words, "folder": str(folder), "files": [str(file) for file in files]})
        self._pid = 0
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        while not self._pid:
            self.look(60)
            if self._process.poll() is not None:
                raise RuntimeError("the process that is forked has died")
        return Started(self, self._pid, files)

    def look(self, seconds: float = 0.0) -> None:
        """Read what the process says; wait for it at most so long."""
        assert self._process.stdout is not None
        place = self._process.stdout.fileno()
        if select.select([place], [], [], seconds)[0]:
            *lines, self._rest = (self._rest + os.read(place, 65536)).split(b"\n")
            for pid, code in (line.split() for line in lines):
                if code == b"started":
                    self._pid = int(pid)
                    self.codes.pop(self._pid, None)  # numbers of processes are used again
                else:
                    self.codes[int(pid)] = int(code)


def _serve() -> dict[str, Any] | None:
    """Fork for each line. Returns the line in the fork, and None in this process when there are no more lines."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    os.set_blocking(read, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(write)
    rest = b""
    while True:
        ready = select.select([0, read], [], [])[0]
        if read in ready:
            os.read(read, 4096)
            _tell_ends()
        if 0 not in ready:
            continue
        data = os.read(0, 65536)
        if not data:
            return None
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.close(read)
                os.close(write)
                found: dict[str, Any] = json.loads(line)
                return found
            os.write(1, f"{pid} started\n".encode())


def _tell_ends() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        os.write(1, f"{pid} {os.waitstatus_to_exitcode(status)}\n".encode())


def _become(given: dict[str, Any]) -> None:
    """Become the process of a command that a shell would have started."""
    os.setsid()
    os.chdir(given["folder"])
    places = [os.open(os.devnull, os.O_RDONLY)]
    places += [os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for file in given["files"]]
    for number, place in enumerate(places):
        os.dup2(place, number)
        os.close(place)
    sys.argv = ["semeai", *given["words"]]


if __name__ == "__main__":
    import importlib

    for name in _MODULES:
        importlib.import_module(name)
    if (given := _serve()) is not None:
        _become(given)
        from semeai.cli.main import main

        main()

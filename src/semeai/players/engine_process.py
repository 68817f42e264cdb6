"""A GTP engine as a subprocess: send a command, read its answer, and end it with all processes that it started."""

import collections
import contextlib
import os
import select
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NoReturn

from semeai.errors import PlayerFailed
from semeai.processes import (
    KEPT_STDERR,
    Process,
    describe_exit,
    end_program,
    signal_group,
    start_program,
    wait_for_program,
)

LONGEST_ANSWER = 1 << 20  # bytes
SHOWN = 80  # characters of an answer in an error message
PATIENCE = 1.0  # seconds for an engine to quit, and then to end after SIGTERM
GAME_FOLDERS = ("/usr/games", "/usr/local/games")  # where Debian installs games; PATH may lack them
_NO_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), 127])  # GTP 2, section 3.1: all but tab and line feed


def find_program(program: str, folder: str | None = None) -> str | None:
    """Return the path of an engine's program: in PATH, or in the folders of games; None if there is none.

    A program with a slash is a path of its own, from ``folder`` if it is relative.
    """
    if "/" in program:
        return shutil.which(program if folder is None else str(Path(folder) / program))
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *GAME_FOLDERS]))


def _located(command: Sequence[str]) -> list[str]:
    """Return the command with the path of its program if it has only a name."""
    program, *arguments = command
    found = None if "/" in program else find_program(program)
    return [os.path.abspath(found) if found else program, *arguments]


class EngineProcess:
    """A running engine: ``ask`` it until ``close``. After a PlayerFailed other than a refusal it is closed."""

    def __init__(self, command: Sequence[str], name: str, folder: str | None, startup_timeout: float) -> None:
        self.name = name
        self._first_answer_by: float | None = time.monotonic() + startup_timeout
        self._startup_timeout = startup_timeout
        self._text = ""  # output of the engine that is not read as an answer yet
        try:
            self._process = start_program(
                _located(command),
                folder=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                outlives_thread=True,
            )
        except (OSError, ValueError) as error:
            raise PlayerFailed(f"engine {name!r} cannot be started: {error}") from None
        assert self._process.stderr is not None
        self._errors = _Tail(self._process.stderr)
        self._end = weakref.finalize(self, _end, self._process)

    @property
    def is_open(self) -> bool:
        return self._end.alive

    @property
    def stderr(self) -> str:
        """End of the engine's standard error."""
        return self._errors.text()

    def ask(self, command: str, timeout: float) -> str:
        """Return the answer without ``=`` and its id. Raises PlayerFailed if the engine refuses."""
        accepted, answer = self._exchange(command, timeout)
        if not accepted:
            raise PlayerFailed(f"engine {self.name!r} refused {command!r}: {_shown(answer)}", self.stderr, "bad answer")
        return answer

    def try_ask(self, command: str, timeout: float) -> str | None:
        """Return the answer; None if the engine refuses."""
        accepted, answer = self._exchange(command, timeout)
        return answer if accepted else None

    def cpu_seconds(self) -> float:
        """Return the CPU time of the engine and all its processes; 0 if the system does not provide it."""
        return cpu_seconds(self._process.pid) if self.is_open else 0.0

    def close(self) -> None:
        """Ask the engine to quit, then end it by SIGTERM, then kill it with all processes that it started."""
        if not self.is_open:
            return
        with contextlib.suppress(OSError):
            self._send("quit")
        if not _ended(self._process):
            signal_group(self._process, signal.SIGTERM)
            _ended(self._process)
        self._end()

    def _exchange(self, command: str, timeout: float) -> tuple[bool, str]:
        if not self.is_open:
            self._fail("is not running", "crash")
        try:
            if self._text.strip():
                self._fail(f"wrote {_shown(self._text)} without being asked", "bad answer")
            deadline = time.monotonic() + timeout
            if self._first_answer_by is not None:
                deadline, timeout = self._first_answer_by, self._startup_timeout
            with contextlib.suppress(BrokenPipeError):  # it has ended: reading finds out how
                self._send(command)
            answer = self._receive(command, deadline, timeout)
            self._first_answer_by = None
            return answer
        except BaseException:
            self._end()  # later output would not answer the next command
            raise

    def _send(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command.encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self, command: str, deadline: float, timeout: float) -> tuple[bool, str]:
        while (answer := self._take(command)) is None:
            if not self._read_more(deadline):
                said = f" (it wrote {_shown(self._text)})" if self._text.strip() else ""
                self._fail(f"gave no answer to {command!r} within {timeout:g} s{said}", "timeout")
        return answer

    def _take(self, command: str) -> tuple[bool, str] | None:
        """Take the first complete answer from the output: ``=`` or ``?``, an optional id, the text, an empty line."""
        self._text = self._text.lstrip()
        while self._text.startswith("#") and "\n" in self._text:
            self._text = self._text.partition("\n")[2].lstrip()
        if self._text[:1] not in ("=", "?", "#", "") and ("\n" in self._text or len(self._text) > SHOWN):
            self._fail(f"answered {_shown(self._text)} to {command!r}, which is no GTP answer", "bad answer")
        if len(self._text) > LONGEST_ANSWER:
            self._fail(f"gave an answer to {command!r} that is too long: {_shown(self._text)}", "bad answer")
        whole, end, rest = self._text.partition("\n\n")
        if not end or whole[:1] not in ("=", "?"):
            return None
        self._text = rest
        return whole[0] == "=", whole[1:].lstrip("0123456789").strip()

    def _read_more(self, deadline: float) -> bool:
        """Wait for output. Returns False if none came before the deadline."""
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        with _handle_of(self._process) as process:
            poll = select.poll()
            for handle in (output, *process):
                poll.register(handle, select.POLLIN | select.POLLHUP)
            ready = {handle for handle, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
        if not ready:
            return False
        received = os.read(output, 1 << 16) if output in ready else b""
        if not received:
            self._fail_at_end()
        self._text += received.decode(errors="replace").translate(_NO_CONTROLS)
        return True

    def _fail_at_end(self) -> NoReturn:
        """Raise PlayerFailed because the standard output has ended: the engine has ended too, or soon will."""
        code = self._process.returncode if _ended(self._process) else None
        how = "closed its output" if code is None else f"ended (exit status {describe_exit(code)})"
        said = f" after {_shown(self._text)}" if self._text.strip() else ""
        self._errors.wait()
        self._fail(f"{how}{said} in place of an answer", "crash")

    def _fail(self, what: str, reason: str) -> NoReturn:
        raise PlayerFailed(f"engine {self.name!r} {what}", self.stderr, reason)


class _Tail:
    """Read a stream in a thread, so that its writer is never blocked, and keep its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._parts: collections.deque[bytes] = collections.deque()
        self._stream = stream
        self._thread = threading.Thread(target=self._drain, daemon=True, name="engine-stderr")
        self._thread.start()

    def _drain(self) -> None:
        size = 0
        with self._stream, contextlib.suppress(OSError):
            while part := os.read(self._stream.fileno(), 1 << 16):
                self._parts.append(part)
                size += len(part)
                while size - len(self._parts[0]) > 4 * KEPT_STDERR:
                    size -= len(self._parts.popleft())

    def wait(self) -> None:
        self._thread.join(PATIENCE)

    def text(self) -> str:
        text = b"".join(list(self._parts)).decode(errors="replace")
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[-KEPT_STDERR:]


def _end(process: Process) -> None:
    """End the program. Also called when the engine is garbage-collected, and when Python ends."""
    end_program(process)
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            assert stream is not None
            stream.close()


@contextlib.contextmanager
def _handle_of(process: Process) -> Iterator[list[int]]:
    """Yield a handle that becomes readable when the process ends; empty if the system has none.

    Without it a child of the engine that keeps the output open would hide the end.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield []
        return
    try:
        yield [handle]
    finally:
        os.close(handle)


def _ended(process: Process) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        wait_for_program(process, PATIENCE)
    return process.returncode is not None


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= SHOWN else line[:SHOWN] + "…")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and all its descendants from /proc; 0 if there is no /proc."""
    ticks, fringe = 0, [pid]
    while fringe:
        place = Path("/proc") / str(fringe.pop())
        with contextlib.suppress(OSError, IndexError):
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(map(int, fields[11:15]))  # its own, and that of its children that have ended
            for task in (place / "task").iterdir():
                fringe += [int(child) for child in (task / "children").read_text().split()]
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0

"""An engine as a subprocess: send a command, read its answer, and end it with all processes that it started."""

import contextlib
import fcntl
import os
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, NoReturn, Protocol, TypeVar

from semeai.errors import PlayerFailed
from semeai.kills import was_killed
from semeai.players.engine_answers import EngineAnswers
from semeai.processes import Process, describe_exit, end_program, signal_group, start_program
from semeai.streams import ErrorTail, Pipes, shown

T = TypeVar("T")

PATIENCE = 1.0  # seconds for an engine to quit, and then to end after SIGTERM
UNREAD_STDERR = 1 << 18  # bytes of standard error that an engine may write between two commands before it has to wait


class Reader(Protocol):
    """Finds the answers in the output of an engine."""

    def add(self, data: bytes) -> None:
        """Read the next part of the output."""

    def begun(self) -> str:
        """Return the output that is not complete."""

    def unasked(self) -> str:
        """Return output that must not be there before the next command."""


class RunningEngine:
    """A program that reads commands and writes answers, whatever their protocol. After a failure it is closed."""

    quit_command: ClassVar[bytes] = b"quit\n"

    def __init__(
        self, command: Sequence[str], name: str, folder: str | None, startup_timeout: float, reader: Reader
    ) -> None:
        self.name = name
        self._first_answer_by: float | None = time.monotonic() + startup_timeout
        self._startup_timeout = startup_timeout
        try:
            self._process = start_program(
                command,
                folder=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                outlives_thread=True,
            )
        except (OSError, ValueError) as error:
            raise PlayerFailed(f"engine {name!r} cannot be started: {error}") from None
        self._reader = reader
        self._errors = ErrorTail()
        self._pipes = Pipes(self._process, reader.add, self._errors.add)
        self._end = weakref.finalize(self, _end, self._process, self._pipes)
        _enlarge(self._process)

    @property
    def is_open(self) -> bool:
        return self._end.alive

    @property
    def stderr(self) -> str:
        """End of the engine's standard error."""
        if self.is_open:
            self._pipes.read_waiting()
        return self._errors.tail()

    def cpu_seconds(self) -> float:
        """Return the CPU time of the engine and all its processes; 0 if the system does not provide it."""
        return cpu_seconds(self._process.pid) if self.is_open else 0.0

    def close(self) -> None:
        """Ask the engine to quit, then end it by SIGTERM, then kill it with all processes that it started."""
        if not self.is_open:
            return
        self._pipes.send(self.quit_command)
        if not self._pipes.wait(PATIENCE):
            signal_group(self._process, signal.SIGTERM)
            self._pipes.wait(PATIENCE)
        self._end()

    def _converse(self, command: str, take: Callable[[], T | None], timeout: float) -> T:
        """Send a command and wait until ``take`` finds the answer to it in what the engine wrote.

        ``take`` raises ValueError if no answer can follow.
        """
        if not self.is_open:
            self._fail("is not running", "crash")
        try:
            if unasked := self._reader.unasked():
                self._fail(f"wrote {shown(unasked)} without being asked", "bad answer")
            deadline = time.monotonic() + timeout
            if self._first_answer_by is not None:
                deadline, timeout = self._first_answer_by, self._startup_timeout
            self._pipes.send(command.encode() + b"\n")
            answer = self._receive(command, take, deadline, timeout)
            self._first_answer_by = None
            return answer
        except BaseException:
            self._end()  # later output would not answer the next command
            raise

    def _receive(self, command: str, take: Callable[[], T | None], deadline: float, timeout: float) -> T:
        in_time = True
        while (answer := self._taken(take)) is None:
            if self._pipes.ended or self._pipes.output_closed:
                self._fail_at_end()
            if not in_time:
                said = f" (it wrote {shown(begun)})" if (begun := self._reader.begun()) else ""
                asked = command.rpartition("\n")[2]
                self._fail(f"gave no answer to {asked!r} within {timeout:g} s{said}", "timeout")
            in_time = self._pipes.pump(deadline)
        return answer

    def _taken(self, take: Callable[[], T | None]) -> T | None:
        try:
            return take()
        except ValueError as error:
            self._fail(str(error), "bad answer")

    def _fail_at_end(self) -> NoReturn:
        """Raise PlayerFailed because the standard output has ended: the engine has ended too, or soon will."""
        code = self._process.wait() if self._pipes.wait(PATIENCE) else None
        how = "closed its output" if code is None else f"ended (exit status {describe_exit(code)})"
        said = f" after {shown(begun)}" if (begun := self._reader.begun()) else ""
        self._fail(f"{how}{said} in place of an answer", "crash", code is not None and was_killed(code))

    def _fail(self, what: str, reason: str, killed: bool = False) -> NoReturn:
        raise PlayerFailed(f"engine {self.name!r} {what}", self.stderr, reason, killed)


class EngineProcess(RunningEngine):
    """A running GTP engine: ``ask`` it until ``close``. After a PlayerFailed other than a refusal it is closed."""

    def __init__(self, command: Sequence[str], name: str, folder: str | None, startup_timeout: float) -> None:
        self._answers = EngineAnswers()
        super().__init__(command, name, folder, startup_timeout, self._answers)

    def ask(self, command: str, timeout: float) -> str:
        """Return the answer without ``=`` and its id. Raises PlayerFailed if the engine refuses."""
        accepted, answer = self._exchange(command, timeout)
        if not accepted:
            raise PlayerFailed(f"engine {self.name!r} refused {command!r}: {shown(answer)}", self.stderr, "bad answer")
        return answer

    def try_ask(self, command: str, timeout: float) -> str | None:
        """Return the answer; None if the engine refuses."""
        accepted, answer = self._exchange(command, timeout)
        return answer if accepted else None

    def _exchange(self, command: str, timeout: float) -> tuple[bool, str]:
        return self._converse(command, lambda: self._answers.take(command), timeout)


def _end(process: Process, pipes: Pipes) -> None:
    """End the program. Also called when the engine is garbage-collected, and when Python ends."""
    end_program(process)
    pipes.close()


def _enlarge(process: Process) -> None:
    """Let the pipe of standard error hold more: an engine may think and talk while nobody reads."""
    with contextlib.suppress(AttributeError, OSError):  # only Linux can, and only so many for each user
        assert process.stderr is not None
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, UNREAD_STDERR)


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

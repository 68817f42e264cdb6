"""The pipes of a running program: read and write them with a deadline that holds whatever the program does."""

import contextlib
import fcntl
import os
import select
import struct
import termios
import time
from collections.abc import Callable

from semeai.processes import Process

KEPT_STDERR = 4000  # characters kept from the end of standard error
SHOWN = 80  # characters of a program's output in an error message
PART = 1 << 16  # bytes moved at once: a deadline is checked after each part
LONGEST_WAIT = 3600.0  # seconds; poll refuses more than 24 days
LOOK_AGAIN = 0.01  # seconds, where the operating system does not report the end of a program

Sink = Callable[[bytes], object]


class Ends:
    """The beginning and the end of a stream of any length. Feed it with ``add``."""

    def __init__(self, kept: int) -> None:
        self.size = 0  # bytes of the whole stream
        self._kept = kept
        self._head = b""
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        self.size += len(data)
        self._head += data[: 4 * SHOWN - len(self._head)]
        self._tail += data
        if len(self._tail) > 2 * self._kept:  # not at every part: that would copy the tail again and again
            del self._tail[: -self._kept]

    def head(self) -> str:
        """Return the beginning as it is shown in an error message."""
        return shown(as_text(self._head))

    def tail(self) -> str:
        """Return the last ``kept`` bytes as text."""
        return as_text(bytes(self._tail[-self._kept :]))


class ErrorTail(Ends):
    """The end of standard error, as failures record it."""

    def __init__(self) -> None:
        super().__init__(4 * KEPT_STDERR)  # a character has up to four bytes

    def tail(self) -> str:
        return super().tail()[-KEPT_STDERR:]


class Pipes:
    """The pipes of a program, read and written only inside ``send``, ``pump``, ``wait`` and ``read_waiting``.

    ``ended`` tells that the program has ended, and then all that it wrote has been read. A child process that it left
    behind may keep the pipes open: that changes nothing. ``output_closed`` tells that the standard output is closed.
    """

    def __init__(self, process: Process, output: Sink, errors: Sink) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.ended = False
        self._process = process
        self._unsent = bytearray()
        self._input = process.stdin.fileno() if process.stdin is not None else -1
        self._output = process.stdout.fileno()
        self._sinks = {self._output: output, process.stderr.fileno(): errors}  # of the streams that are still open
        self._poll = select.poll()
        for handle in self._sinks:
            os.set_blocking(handle, False)
            self._poll.register(handle, select.POLLIN)
        if self._input >= 0:
            os.set_blocking(self._input, False)
        self._end: int | None = None  # a handle that becomes readable when the program ends
        with contextlib.suppress(AttributeError, OSError):
            self._end = os.pidfd_open(process.pid)
            self._poll.register(self._end, select.POLLIN)

    @property
    def output_closed(self) -> bool:
        return self._output not in self._sinks

    def send(self, data: bytes) -> None:
        """Write to the standard input now what the pipe can take, and the rest while ``pump`` waits."""
        self._unsent += data
        self._write()

    def pump(self, deadline: float) -> bool:
        """Wait until the program can be written to, writes or ends; then move at most one part per stream.

        Returns False if the deadline had passed before. What the program wrote in time is read nevertheless.
        """
        left = deadline - time.monotonic()
        wait = min(max(left, 0.0), LONGEST_WAIT if self._end is not None else LOOK_AGAIN)
        for handle, _ in self._poll.poll(wait * 1000):
            if handle == self._input:
                self._write()
            elif handle == self._end:
                self.ended = True
            else:
                self._read(handle, PART)
        if self._end is None:
            self.ended = self._process.poll() is not None
        if self.ended:
            self.read_waiting()
        return left > 0

    def wait(self, seconds: float) -> bool:
        """Pump until the program has ended, at most for so many seconds. Returns whether it has ended."""
        deadline = time.monotonic() + seconds
        while not self.ended and self.pump(deadline):
            pass
        return self.ended

    def read_waiting(self) -> None:
        """Read what is in the pipes now, and do not wait for more: somebody may write for ever."""
        for handle in list(self._sinks):
            (waiting,) = struct.unpack("i", fcntl.ioctl(handle, termios.FIONREAD, bytes(4)))
            while waiting > 0 and handle in self._sinks:
                waiting -= self._read(handle, min(waiting, PART))

    def close(self) -> None:
        if self._end is not None:
            os.close(self._end)
            self._end = None
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._sinks.clear()

    def _read(self, handle: int, most: int) -> int:
        data = os.read(handle, most)
        if data:
            self._sinks[handle](data)
        else:
            self._poll.unregister(handle)
            del self._sinks[handle]
        return len(data)

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._input, self._unsent[:PART])]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # nobody reads it any more
            self._unsent.clear()
        if self._unsent:
            self._poll.register(self._input, select.POLLOUT)
        else:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._input)


def as_text(data: bytes) -> str:
    """Return a program's output as text that every database can store: without invalid characters and NUL."""
    return data.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def shown(text: str) -> str:
    """Return a text in quotes and on one line, cut if it is long, for an error message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= SHOWN else line[:SHOWN] + "…")

"""An engine on a pair of streams. A thread reads the lines, so that input can stop an analysis."""

import queue
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO, TextIO

from semeai.gtp.engine import GtpEngine
from semeai.gtp.protocol import Response, Stream, clean
from semeai.printable import printable

MAX_LINE_BYTES = 1 << 20
MAX_LINES_AHEAD = 10_000
_READ_BYTES = 1 << 16


def serve(engine: GtpEngine, stdin: BinaryIO, stdout: BinaryIO, log: TextIO | None = None) -> None:
    """Answer until ``quit`` or the end of the input. The caller handles Ctrl-C and a closed output."""
    Server(engine, stdin, stdout, log).run()


class Server:
    """Reads commands from one stream and writes the answers to another."""

    def __init__(self, engine: GtpEngine, stdin: BinaryIO, stdout: BinaryIO, log: TextIO | None = None) -> None:
        self._engine, self._stdout, self._log = engine, stdout, log
        self._began = time.monotonic()
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_LINES_AHEAD)
        self._held: list[str | None] = []
        # The thread reads the raw stream: a thread inside a buffered reader can crash the program when it ends.
        raw = getattr(stdin, "raw", stdin)
        threading.Thread(target=self._read, args=(raw,), name="gtp-reader", daemon=True).start()

    def _read(self, stream: BinaryIO) -> None:
        try:
            for line in split_lines(stream):
                self._lines.put(line)
        except (OSError, ValueError):  # the stream was closed, which means its end
            pass
        finally:
            self._lines.put(None)

    def run(self) -> None:
        try:
            while not self._engine.finished and (line := self._next_line()) is not None:
                self._note("<", line)
                response = self._engine.answer(line)
                if response is not None:
                    self._send(response)
        finally:
            self._engine.close()

    def _next_line(self) -> str | None:
        return self._held.pop() if self._held else self._lines.get()

    def _send(self, response: Response) -> None:
        if response.stream is None:
            self._write(response.format())
            return
        self._write(response.head + "\n")
        self._follow(response.stream)
        self._write("\n")

    def _follow(self, stream: Stream) -> None:
        """Write the lines of a stream; at least one, so that a script sees a result even if it stops at once."""
        shown = False
        while not stream.finished:
            if stream.can_be_stopped and (stream.resting or (shown and not self._lines.empty())):
                self._held.append(self._lines.get())  # any input ends the analysis and is answered next
                return
            line = self._engine.step(stream)
            if line is not None:
                self._write(clean(line) + "\n")
                shown = True

    def _write(self, text: str) -> None:
        self._note(">", text)
        self._stdout.write(text.encode("utf-8", "replace"))
        self._stdout.flush()

    def _note(self, mark: str, text: str) -> None:
        if self._log is not None:
            for line in text.rstrip("\n").split("\n"):
                self._log.write(f"{time.monotonic() - self._began:9.3f} {mark} {printable(line)}\n")
            self._log.flush()


def split_lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream as they arrive, each cut to about ``MAX_LINE_BYTES``."""
    rest = b""
    skipping = False
    while chunk := stream.read(_READ_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if not skipping:
                yield _decode(line)
            skipping = False
        if len(rest) > MAX_LINE_BYTES:
            if not skipping:
                yield _decode(rest[:MAX_LINE_BYTES])
            rest, skipping = b"", True
    if rest and not skipping:
        yield _decode(rest)


def _decode(line: bytes) -> str:
    return line.decode("utf-8", "replace")

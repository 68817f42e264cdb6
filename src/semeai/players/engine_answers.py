"""The answers of a GTP engine, found in its output part by part: in linear time, with limits for what it may write."""

from semeai.streams import SHOWN, as_text, shown

LONGEST_LINE = 1 << 18  # bytes
LONGEST_ANSWER = 1 << 20  # bytes
MOST_SKIPPED = 1 << 22  # bytes of comments and blanks before an answer
_CONTROLS = bytes([*range(9), *range(11, 32), 127])  # GTP 2, section 3.1: all but tab and line feed


class EngineAnswers:
    """Reads answers: ``=`` or ``?``, an optional id, the text, an empty line. Lines before it may be ``#`` comments.

    One answer is kept until ``take``. Further output is read only until it breaks the protocol or passes a limit.
    """

    def __init__(self) -> None:
        self._answer: tuple[bool, str] | None = None
        self._lines: list[bytes] = []  # of the answer that has begun
        self._line = bytearray()  # the line that has begun, without blanks before an answer
        self._size = 0  # bytes of the answer that has begun
        self._skipped = 0  # bytes since the last answer that belong to none
        self._stray = b""  # a line that is neither part of an answer nor a comment
        self._excess = ""  # the limit that was passed

    def add(self, data: bytes) -> None:
        """Read the next part of the output."""
        *ends, rest = data.translate(None, _CONTROLS).split(b"\n")
        for end in ends:
            self._extend(end)
            self._end_line()
        self._extend(rest)
        if len(self._line) > SHOWN and not self._lines and self._line[0] not in b"=?#":
            self._stray = self._stray or bytes(self._line)  # it need not end: it cannot become an answer

    def take(self, command: str) -> tuple[bool, str] | None:
        """Return whether the engine accepted the command, and its text; None if the answer is not complete.

        Raises ValueError if no answer can follow.
        """
        if self._answer is not None:
            answer, self._answer = self._answer, None
            return answer
        if self._stray:
            raise ValueError(f"answered {shown(as_text(self._stray))} to {command!r}, which is no GTP answer")
        if self._excess:
            raise ValueError(f"wrote {self._excess} in answer to {command!r}")
        return None

    def begun(self) -> str:
        """Return the output that is not complete: a part of an answer, or of a line before it."""
        return as_text(b"\n".join([*self._lines, self._line])).strip()

    def unasked(self) -> str:
        """Return the output after the last answer, without comments."""
        is_comment = not self._lines and self._line.startswith(b"#")
        return as_text(self._stray) or ("" if is_comment else self.begun())

    def _extend(self, piece: bytes) -> None:
        if self._stray or self._excess:
            return
        if not self._lines and not self._line:
            text = piece.lstrip()
            self._skip(len(piece) - len(text))
            piece = text
        self._line += piece
        if len(self._line) > LONGEST_LINE:
            self._excess = f"a line of more than {LONGEST_LINE >> 10} KB"

    def _end_line(self) -> None:
        if self._stray or self._excess:
            return
        line = bytes(self._line)
        self._line.clear()
        if not self._lines and (not line or line.startswith(b"#")):
            self._skip(len(line) + 1)
        elif not self._lines and (self._answer is not None or line[0] not in b"=?"):
            self._stray = line
        elif line:
            self._lines.append(line)
            self._size += len(line) + 1
            if self._size > LONGEST_ANSWER:
                self._excess = f"more than {LONGEST_ANSWER >> 20} MB"
        else:
            whole = as_text(b"\n".join(self._lines))
            self._answer = whole[0] == "=", whole[1:].lstrip("0123456789").strip()
            self._lines.clear()
            self._size = self._skipped = 0

    def _skip(self, size: int) -> None:
        self._skipped += size
        if self._skipped > MOST_SKIPPED:
            self._excess = f"more than {MOST_SKIPPED >> 20} MB of comments"

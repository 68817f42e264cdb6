"""The syntax of GTP 2 (Farnebäck, draft 2): reading requests and writing responses."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from semeai.printable import printable

MAX_INT = 2**31 - 1
SYNTAX_ERROR = "syntax error"
UNKNOWN_COMMAND = "unknown command"

_CONTROL = dict.fromkeys((*range(9), *range(10, 32), 127))  # all but the tab
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LARGEST_FLOAT = 3.4028234e38
_COLOURS = {"b": "black", "black": "black", "w": "white", "white": "white"}


class CommandFailed(Exception):
    """A command failed. The message follows the question mark of the response."""


@dataclass(frozen=True)
class Request:
    """One line of input: ``[id] command [arguments]``."""

    id: str
    """The digits as received; empty if there is no id."""
    command: str
    words: tuple[str, ...]


class Stream(Protocol):
    """An answer of several lines that takes time. Each ``step`` works for a moment."""

    finished: bool
    """Whether the answer is complete."""
    resting: bool
    """Whether nothing will change any more. The answer stays open until there is input."""
    can_be_stopped: bool
    """Whether input ends the answer. It does not end the choice of a move."""

    def step(self) -> str | None:
        """Return a line to write now; None if there is none."""


@dataclass(frozen=True)
class Response:
    """A response: ``=id text`` or ``?id text``. The lines of a stream follow the first line."""

    id: str
    ok: bool
    text: str = ""
    stream: Stream | None = None

    @property
    def head(self) -> str:
        return f"{'=' if self.ok else '?'}{self.id}"

    def format(self) -> str:
        """Return the text of the response, with the empty line that ends it. Empty lines inside are left out."""
        first, *others = clean(self.text).split("\n")
        lines = [f"{self.head} {first}".rstrip(), *(line for line in others if line.strip())]
        return "\n".join(lines) + "\n\n"


def clean(text: str) -> str:
    """Remove control characters except line ends, turn tabs into spaces, and strip spaces at line ends.

    Unsafe characters beyond ASCII, which the protocol does not speak of, are shown in a visible form.
    """
    lines = (line.replace("\t", " ").translate(_CONTROL).rstrip() for line in text.split("\n"))
    return printable("\n".join(lines))


def parse_request(line: str) -> Request | None:
    """Parse a line, by the four steps of section 3.1 first. Returns None for an empty line."""
    text = line.translate(_CONTROL).split("#", 1)[0].replace("\t", " ")
    words = [word for word in text.split(" ") if word]
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    command = words.pop(0) if words else ""
    return Request(number, command, tuple(words))


def take(words: Sequence[str], least: int, most: int | None = None) -> list[str]:
    """Return the words. Raises CommandFailed unless there are ``least`` to ``most`` (default: exactly ``least``)."""
    if not least <= len(words) <= (least if most is None else most):
        raise CommandFailed(SYNTAX_ERROR)
    return list(words)


def parse_int(text: str) -> int:
    """Parse an unsigned integer of 31 bits. Raises CommandFailed otherwise."""
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and int(text) <= MAX_INT):
        raise CommandFailed(SYNTAX_ERROR)
    return int(text)


def parse_float(text: str) -> float:
    """Parse a number in the range of a 32-bit float. Raises CommandFailed otherwise."""
    value = float(text) if len(text) <= 100 and _FLOAT.fullmatch(text) else math.nan
    if not abs(value) <= _LARGEST_FLOAT:
        raise CommandFailed(SYNTAX_ERROR)
    return value


def parse_colour(text: str) -> str:
    """Return ``black`` or ``white``. Raises CommandFailed for anything else."""
    if text.lower() not in _COLOURS:
        raise CommandFailed(SYNTAX_ERROR)
    return _COLOURS[text.lower()]

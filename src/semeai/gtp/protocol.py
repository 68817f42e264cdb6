"""The syntax of GTP 2 (Farnebäck, draft 2): how a line becomes a request, and how an answer is written."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_INT = 2**31 - 1
SYNTAX_ERROR = "syntax error"
UNKNOWN_COMMAND = "unknown command"

_CONTROL = dict.fromkeys((*range(9), *range(10, 32), 127))  # all but the tab
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LARGEST_FLOAT = 3.4028234e38
_COLOURS = {"b": "black", "black": "black", "w": "white", "white": "white"}


class CommandFailed(Exception):
    """A command's answer is an error: the message is what follows the question mark."""


@dataclass(frozen=True)
class Request:
    """``[id] command [arguments]``."""

    id: str
    """Digits as they came, or nothing."""
    command: str
    words: tuple[str, ...]


class Stream(Protocol):
    """An answer that comes in pieces; each ``step`` thinks for a moment."""

    finished: bool
    """The last piece has come."""
    resting: bool
    """Nothing will change any more, but the answer stays open until there is input."""
    can_be_stopped: bool
    """Whether input ends it; a move that is asked for is always given."""

    def step(self) -> str | None:
        """A line to show now, if there is one."""


@dataclass(frozen=True)
class Response:
    """``=id text`` or ``?id text``; with a stream, its pieces follow the first line."""

    id: str
    ok: bool
    text: str = ""
    stream: Stream | None = None

    @property
    def head(self) -> str:
        return f"{'=' if self.ok else '?'}{self.id}"

    def format(self) -> str:
        """The whole answer with the empty line that ends it; an answer never has one inside."""
        first, *others = clean(self.text).split("\n")
        lines = [f"{self.head} {first}".rstrip(), *(line for line in others if line.strip())]
        return "\n".join(lines) + "\n\n"


def clean(text: str) -> str:
    """Without control characters but for line ends, tabs as spaces, no spaces at the ends of lines."""
    lines = (line.replace("\t", " ").translate(_CONTROL).rstrip() for line in text.split("\n"))
    return "\n".join(lines)


def parse_request(line: str) -> Request | None:
    """The four steps of section 3.1, then the words; None for a line with nothing on it."""
    text = line.translate(_CONTROL).split("#", 1)[0].replace("\t", " ")
    words = [word for word in text.split(" ") if word]
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    command = words.pop(0) if words else ""
    return Request(number, command, tuple(words))


def take(words: Sequence[str], least: int, most: int | None = None) -> list[str]:
    """The words, as many as a command needs; ``most`` is ``least`` when it is not said."""
    if not least <= len(words) <= (least if most is None else most):
        raise CommandFailed(SYNTAX_ERROR)
    return list(words)


def parse_int(text: str) -> int:
    """An unsigned integer of 31 bits."""
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and int(text) <= MAX_INT):
        raise CommandFailed(SYNTAX_ERROR)
    return int(text)


def parse_float(text: str) -> float:
    """A number that a 32-bit float can hold."""
    value = float(text) if len(text) <= 100 and _FLOAT.fullmatch(text) else math.nan
    if not abs(value) <= _LARGEST_FLOAT:
        raise CommandFailed(SYNTAX_ERROR)
    return value


def parse_colour(text: str) -> str:
    """``black`` or ``white``."""
    if text.lower() not in _COLOURS:
        raise CommandFailed(SYNTAX_ERROR)
    return _COLOURS[text.lower()]

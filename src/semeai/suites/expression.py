"""The moves that are wanted in a position, as a regular expression: ``D4|E5``, ``[AB]9``, ``!PASS``.

Suites come from anywhere, and some expressions keep Python's ``re`` busy for ever. So these few forms are matched here,
by sets of places in the text: the time grows with the length of the expression times the square of the text's.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from semeai.errors import ConfigError

LONGEST = 1000
"""Largest number of characters of an expression."""
DEEPEST = 50
"""Largest number of groups inside each other."""
SYNTAX = "letters, digits, . [A-C] ( ) | ? * + and a ! at the start"
_SPECIAL = frozenset(".[]()|?*+!{}^$\\")

Places = frozenset[int]


class Part(ABC):
    """A part of an expression. Two equal parts at different places of the expression are different."""

    @abstractmethod
    def ends(self, at: int, inside: "Matching") -> Places:
        """Return where the part can end if it begins at ``at``."""


@dataclass
class Matching:
    """A text that is matched, and what is known already: without that, repetitions inside each other take for ever."""

    text: str
    known: dict[tuple[int, int], Places] = field(default_factory=dict)

    def ends(self, part: Part, at: int) -> Places:
        key = id(part), at
        if key not in self.known:
            self.known[key] = part.ends(at, self)
        return self.known[key]

    def ends_of_all(self, part: Part, starts: Places) -> Places:
        return frozenset().union(*(self.ends(part, at) for at in starts))


@dataclass(frozen=True, eq=False)
class Letters(Part):
    """One letter of a set; None: any letter."""

    known: frozenset[str] | None

    def ends(self, at: int, inside: Matching) -> Places:
        letter = inside.text[at : at + 1]
        return frozenset({at + 1}) if letter and (self.known is None or letter in self.known) else frozenset()


@dataclass(frozen=True, eq=False)
class Sequence(Part):
    parts: tuple[Part, ...]

    def ends(self, at: int, inside: Matching) -> Places:
        found = frozenset({at})
        for part in self.parts:
            found = inside.ends_of_all(part, found)
        return found


@dataclass(frozen=True, eq=False)
class Choice(Part):
    parts: tuple[Part, ...]

    def ends(self, at: int, inside: Matching) -> Places:
        return frozenset().union(*(inside.ends(part, at) for part in self.parts))


@dataclass(frozen=True, eq=False)
class Repeated(Part):
    """``?``, ``*`` or ``+``."""

    part: Part
    may_be_absent: bool
    may_go_on: bool

    def ends(self, at: int, inside: Matching) -> Places:
        found = new = inside.ends(self.part, at)
        while self.may_go_on and new:
            new = inside.ends_of_all(self.part, new) - found
            found |= new
        return found | {at} if self.may_be_absent else found


@dataclass(frozen=True)
class Wanted:
    """A parsed expression. It must fit the whole text; capitals do not matter."""

    text: str
    part: Part
    negated: bool

    def fits(self, move: str) -> bool:
        """Return whether the move is wanted."""
        move = move.upper()
        return (len(move) in Matching(move).ends(self.part, 0)) != self.negated


def parse_wanted(text: str) -> Wanted:
    """Parse an expression. Raises ConfigError in one sentence if it is not one."""
    if len(text) > LONGEST:
        raise ConfigError(f"must have at most {LONGEST:,} characters, not {len(text):,}")
    negated = text.startswith("!")
    parser = _Parser(text.upper(), 1 if negated else 0)
    part = parser.choice(0)
    if parser.next:
        raise parser.wrong("there is no ( for it")
    return Wanted(text, part, negated)


class _Parser:
    def __init__(self, text: str, at: int) -> None:
        self._text, self._at = text, at

    @property
    def next(self) -> str:
        """The next character; empty at the end."""
        return self._text[self._at : self._at + 1]

    def wrong(self, why: str) -> ConfigError:
        found = f"{self.next!r} at character {self._at + 1}" if self.next else "its end"
        return ConfigError(f"is no regular expression, because of {found}: {why}")

    def _take(self) -> str:
        letter = self.next
        self._at += 1
        return letter

    def choice(self, depth: int) -> Part:
        if depth > DEEPEST:
            raise self.wrong(f"there are more than {DEEPEST} groups inside each other")
        found = [self._sequence(depth)]
        while self.next == "|":
            self._take()
            found.append(self._sequence(depth))
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def _sequence(self, depth: int) -> Part:
        found: list[Part] = []
        while self.next and self.next not in "|)":
            part = self._one(depth)
            if self.next and self.next in "?*+":
                sign = self._take()
                part = Repeated(part, sign != "+", sign != "?")
            found.append(part)
        if not found:
            raise self.wrong("a move is missing before it")
        return found[0] if len(found) == 1 else Sequence(tuple(found))

    def _one(self, depth: int) -> Part:
        if self.next == "(":
            self._take()
            part = self.choice(depth + 1)
            self._close(")")
            return part
        if self.next == "[":
            self._take()
            part = Letters(frozenset(self._set()))
            self._close("]")
            return part
        if self.next == ".":
            self._take()
            return Letters(None)
        return Letters(frozenset({self._letter()}))

    def _set(self) -> Iterable[str]:
        while self.next and self.next != "]":
            first = last = self._letter()
            if self.next == "-":
                self._take()
                last = self._letter()
            if ord(last) < ord(first) or ord(last) > 126:
                raise self.wrong(f"{first}-{last} is no range")
            yield from map(chr, range(ord(first), ord(last) + 1))

    def _letter(self) -> str:
        if not self.next or self.next in _SPECIAL:
            raise self.wrong(f"write {SYNTAX}")
        return self._take()

    def _close(self, letter: str) -> None:
        if self.next != letter:
            raise self.wrong(f"a {letter} is missing")
        self._take()

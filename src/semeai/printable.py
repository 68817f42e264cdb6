"""Text from outside, made safe to print.

A name, an error message or a program's output may hold characters that a terminal obeys (escape sequences), that
change the order of letters (bidi overrides) or that nobody sees. They are shown as Python writes them: ``\\x1b``.
"""

import unicodedata

_UNSAFE = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Unicode categories: control characters, invisible format characters, halves of characters, separators of lines."""


def printable(text: str, kept: str = "\n\t") -> str:
    """Return the text with each unsafe character in a visible form, except those in ``kept``."""
    if text.isprintable():  # by far the most frequent case
        return text
    return "".join(letter if letter in kept or _is_safe(letter) else _shown(letter) for letter in text)


def one_line(text: str) -> str:
    """Return the text as ``printable`` does, on one line: a line end is shown as ``\\n``."""
    return printable(text, kept="\t")


def _is_safe(letter: str) -> bool:
    return letter.isprintable() or unicodedata.category(letter) not in _UNSAFE


def _shown(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")

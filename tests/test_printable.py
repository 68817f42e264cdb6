"""No text from outside can steer a terminal, hide or turn letters, or look like another line."""

import pickle
import sys
import unicodedata

import pytest

from semeai.errors import ConfigError, ProgramFailed
from semeai.printable import one_line, printable

FORGED = {
    "\x1b[31mred": r"\x1b[31mred",
    "\x1b]0;title\x07": r"\x1b]0;title\x07",
    "a\rb\x08c\x7f": r"a\rb\x08c\x7f",
    "\x9b2J": r"\x9b2J",
    "\x00": r"\x00",
    "ab\u202ecd\u2069": r"ab\u202ecd\u2069",
    "a\u200bb\ufeff": r"a\u200bb\ufeff",
    "a\u2028b\u2029c\x85": r"a\u2028b\u2029c\x85",
    "\udcff\ud800": r"\udcff\ud800",
    "\U000e0041": r"\U000e0041",
}


@pytest.mark.parametrize(("text", "shown"), FORGED.items(), ids=ascii)
def test_what_a_terminal_would_obey_is_shown(text, shown):
    assert printable(text) == one_line(text) == shown
    assert printable(shown) == shown  # once is enough


def test_letters_stay():
    text = "Zürich, 碁, 한국, עברית, e\u0301, 🙂, ·├─●─┤, a\u00a0b, \\x1b"
    assert printable(text) == text
    assert printable("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb") == "a\\n\tb"


def test_every_character():
    for code in range(sys.maxunicode + 1):
        shown = printable(chr(code))
        assert shown == chr(code) or shown.startswith("\\")
        assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown if c not in "\n\t")


def test_errors_are_one_safe_line():
    error = ConfigError("race\n.toml: \x1b[31m: 'x'")
    assert str(error) == r"race\n.toml: \x1b[31m: 'x'"
    assert str(ConfigError(f"outer: {error}")) == f"outer: {error}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert ProgramFailed("a\nb", "c\nd").stderr == "c\nd"

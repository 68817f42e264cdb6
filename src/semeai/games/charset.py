"""The text of an SGF file, in whatever charset it is."""

import codecs
import re

_CHARSETS = re.compile(
    r"utf-8|ascii|iso8859-\d+|iso2022_\w+|cp125\d|cp9\d\d|gb\w+|big5\w*|shift_jis\w*|euc_\w+|hz|johab|koi8-\w"
)
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:-]{1,40})\s*\]")


def decoded(data: bytes) -> str:
    """By the file's CA where that is known; else as UTF-8 if it can be, and as Latin-1, SGF's default.

    The whole file is decoded before it is parsed: a letter of two bytes may hide a bracket.
    """
    named = _CHARSET.search(data)
    if named and (charset := _known_charset(named[1].decode("ascii", "replace"))):
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("iso-8859-1")


def _known_charset(name: str) -> str | None:
    """Only charsets of languages: Python also has codecs that unpack or unescape."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    return found if _CHARSETS.fullmatch(found) else None

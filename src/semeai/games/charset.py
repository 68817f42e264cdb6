"""Decode the text of SGF files, whatever their charset."""

import codecs
import re

_CHARSETS = re.compile(
    r"utf-8|ascii|iso8859-\d+|iso2022_\w+|cp125\d|cp9\d\d|gb\w+|big5\w*|shift_jis\w*|euc_\w+|hz|johab|koi8-\w"
)
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:-]{1,40})\s*\]")


def decoded(data: bytes) -> str:
    """Decode by the file's CA property if that charset is known, else as UTF-8 if possible, else as Latin-1.

    The whole file is decoded before it is parsed, because one byte of a two-byte letter may look like a bracket.
    """
    named = _CHARSET.search(data)
    if named and (charset := _known_charset(named[1].decode("ascii", "replace"))):
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("iso-8859-1")


def _known_charset(name: str) -> str | None:
    """Return Python's name of a charset of languages; None for other codecs, such as those that unpack."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    return found if _CHARSETS.fullmatch(found) else None

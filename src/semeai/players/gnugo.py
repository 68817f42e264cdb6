"""GNU Go as an opponent: an engine that can be installed on most machines."""

import shlex

from semeai.errors import ConfigError
from semeai.processes import find_program


def gnugo_options(level: int = 10) -> str:
    """Return the command-line options for games by the rules of semeai."""
    return f"--mode gtp --chinese-rules --positional-superko --level {level} --seed {{seed}}"


def gnugo(level: int = 10) -> str:
    """Return the words for GNU Go, as ``parse_spec`` reads them. Raises ConfigError if it is not installed."""
    found = find_program("gnugo")
    if found is None:
        raise ConfigError("gnugo is not installed here (Debian: apt-get install gnugo)")
    return f"gtp:{shlex.quote(found)} {gnugo_options(level)}"

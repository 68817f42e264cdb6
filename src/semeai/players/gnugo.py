"""GNU Go as a player: a foreign engine that most machines can install."""

import os
import shutil

from semeai.errors import ConfigError


def gnugo_options(level: int = 10) -> str:
    return f"--mode gtp --chinese-rules --positional-superko --level {level} --seed {{seed}}"


def gnugo(level: int = 10) -> str:
    """The words for it; Debian keeps games in a folder that is not always searched."""
    found = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games", "/usr/local/games"]))
    if found is None:
        raise ConfigError("gnugo is not installed here (Debian: apt-get install gnugo)")
    return f"gtp:{found} {gnugo_options(level)}"

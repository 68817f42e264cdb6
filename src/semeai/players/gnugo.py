"""GNU Go as a player: a foreign engine that most machines can install."""

import os
import shutil

from semeai.errors import ConfigError

GNU_GO_OPTIONS = "--mode gtp --chinese-rules --positional-superko --level 10 --seed {seed}"


def gnugo() -> str:
    """The words for it; Debian keeps games in a folder that is not always searched."""
    found = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games", "/usr/local/games"]))
    if found is None:
        raise ConfigError("gnugo is not installed here (Debian: apt-get install gnugo)")
    return f"gtp:{found} {GNU_GO_OPTIONS}"

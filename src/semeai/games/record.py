"""Records of games that were played, independent of the file format."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semeai.errors import ConfigError

MAX_RECORD_BYTES = 10_000_000
"""Limit of a file with a game record."""


@dataclass(frozen=True)
class GameRecord:
    """A game that was played. Its moves have the form of ``position.moves``."""

    game: str
    size: int
    komi: float
    moves: tuple[tuple[int, int], ...] = ()
    """(player, move) pairs."""
    comments: tuple[str, ...] = ()
    """One text per move; empty if no move has a comment."""
    setup: tuple[tuple[int, int], ...] = ()
    """(player, point) pairs: the stones on the board before the first move."""
    start: str = ""
    """The starting position in the notation of the game; empty: the usual one."""
    first_player: int = 0
    swap: bool = False
    """Whether the second player could take over the first move."""
    result: str = ""
    """``B+3.5``, ``W+R``, ``0``; empty if it is unknown."""
    black: str = ""
    white: str = ""
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Other information on the game, by SGF's names: ``DT``, ``EV``, ``RU``, ``GC``, ..."""
    place: str = field(default="", compare=False)
    """The file it was read from, for error messages."""

    def __post_init__(self) -> None:
        for name in ("moves", "comments", "setup"):  # a record of lists would change with them
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.comments) not in (0, len(self.moves)):
            raise ConfigError(f"a game record has {len(self.comments)} comments for {len(self.moves)} moves")
        if not any(self.comments):
            object.__setattr__(self, "comments", ())

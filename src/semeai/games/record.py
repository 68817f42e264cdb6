"""A game that was played, as data: what a file of games holds, whatever the format."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semeai.errors import ConfigError


@dataclass(frozen=True)
class GameRecord:
    """Moves are those of the game's position, so that ``position.moves`` can be recorded as it is."""

    game: str
    size: int
    komi: float
    moves: tuple[tuple[int, int], ...] = ()
    """(player, move)."""
    comments: tuple[str, ...] = ()
    """One a move; nothing where no move has one."""
    setup: tuple[tuple[int, int], ...] = ()
    """(player, point) of the stones on the board before the first move."""
    first_player: int = 0
    swap: bool = False
    """Whether the second player could take over the first move."""
    result: str = ""
    """``B+3.5``, ``W+R``, ``0``; nothing where it is not known."""
    black: str = ""
    white: str = ""
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What else is known of the game, by SGF's names: ``DT``, ``EV``, ``RU``, ``GC``, ..."""
    place: str = field(default="", compare=False)
    """Where it was read, for errors."""

    def __post_init__(self) -> None:
        for name in ("moves", "comments", "setup"):  # a record of lists would change with them
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.comments) not in (0, len(self.moves)):
            raise ConfigError(f"a game record has {len(self.comments)} comments for {len(self.moves)} moves")
        if not any(self.comments):
            object.__setattr__(self, "comments", ())

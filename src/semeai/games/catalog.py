"""The games by name."""

from collections.abc import Callable
from dataclasses import dataclass

from semeai.errors import ConfigError, did_you_mean
from semeai.games.go.board import MAX_SIZE, MIN_SIZE
from semeai.games.go.position import GoPosition
from semeai.games.position import Position


@dataclass(frozen=True)
class Game:
    """How a game begins: ``make(size, komi)`` gives its first position."""

    name: str
    make: Callable[[int, float], Position]
    sizes: range
    default_size: int
    default_komi: float = 0.0


GAMES: dict[str, Game] = {
    game.name: game
    for game in [
        Game("go", GoPosition, range(MIN_SIZE, MAX_SIZE + 1), default_size=9, default_komi=7.5),
    ]
}


def game_named(name: str) -> Game:
    try:
        return GAMES[name]
    except KeyError:
        raise ConfigError(f"no game {name!r}: {did_you_mean(name, GAMES)}") from None


def new_position(game: str = "go", size: int | None = None, komi: float | None = None) -> Position:
    """The first position of a game; its own size and komi where none are given."""
    found = game_named(game)
    size = found.default_size if size is None else size
    if size not in found.sizes:
        raise ConfigError(f"{game} is played on sizes {found.sizes.start} to {found.sizes.stop - 1}, not {size}")
    return found.make(size, found.default_komi if komi is None else komi)

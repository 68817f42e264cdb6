"""The games by name. A game's module is loaded when it is first asked for: it brings numba along."""

from importlib import import_module

from semeai.errors import ConfigError, did_you_mean
from semeai.games.game import Game
from semeai.games.position import Position

GAMES = {"go": "semeai.games.go.game", "havannah": "semeai.games.havannah.game"}
"""Name -> the module whose ``GAME`` it is."""


def game_named(name: str) -> Game:
    if name not in GAMES:
        raise ConfigError(f"no game {name!r}: {did_you_mean(name, GAMES)}")
    game: Game = import_module(GAMES[name]).GAME
    return game


def new_position(game: str = "go", size: int | None = None, komi: float | None = None, swap: bool = False) -> Position:
    """The first position of a game; its own size and komi where none are given."""
    return game_named(game).new_position(size, komi, swap)

"""The games by name. A game's module is imported when the name is first used, because it imports the compiler."""

from typing import TYPE_CHECKING

from semeai.errors import ConfigError, did_you_mean
from semeai.registry import Registry

if TYPE_CHECKING:
    from semeai.games.game import Game
    from semeai.games.position import Position

GAMES: Registry["Game"] = Registry("game", "semeai.games")
GAMES.add_lazily("go", "semeai.games.go.game:GAME")
GAMES.add_lazily("havannah", "semeai.games.havannah.game:GAME")
OTHER_GAMES: Registry["Game"] = Registry("game", "semeai.other_games")
"""Games without kernels: matches and races of outside engines have them, the search does not."""
OTHER_GAMES.add_lazily("chess", "semeai.games.chess.game:GAME")

_NEEDED = ("name", "sizes", "default_size", "endings", "policy", "presets")


def game_named(name: str) -> "Game":
    """Return the game. Raises ConfigError with the nearest known name if there is none."""
    if name in OTHER_GAMES:
        return OTHER_GAMES[name]
    if name not in GAMES:
        raise ConfigError(f"no game {name!r}: {did_you_mean(name, [*GAMES, *OTHER_GAMES])}")
    return GAMES[name]


def register_game(game: "Game") -> "Game":
    """Add a game by its name and return it. Raises ConfigError if it is incomplete or its name is taken."""
    missing = [name for name in _NEEDED if not hasattr(game, name)]
    if missing:
        raise ConfigError(f"game {type(game).__name__}: missing {', '.join(missing)}")
    if game.default_size not in game.sizes:
        raise ConfigError(f"game {game.name}: default_size {game.default_size} is not in sizes {game.sizes}")
    if sorted(game.colours) != ["black", "white"]:
        raise ConfigError(f"game {game.name}: colours must be black and white in some order, not {game.colours}")
    if "default" not in game.presets:
        raise ConfigError(f"game {game.name}: presets have no 'default', only {', '.join(game.presets) or 'none'}")
    return GAMES.add(game.name, game)


def new_position(
    game: str = "go", size: int | None = None, komi: float | None = None, swap: bool = False
) -> "Position":
    """Return the first position of a game, by default with its usual size and komi."""
    return game_named(game).new_position(size, komi, swap)

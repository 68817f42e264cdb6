"""``patterns = FILE`` of a player: what the file says is part of the player, its name is not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.games.catalog import game_named
from semeai.games.pattern_policy import PatternPolicy
from semeai.patterns.file import read_patterns
from semeai.patterns.geometry import Geometry
from semeai.patterns.texts import texts_of

KEY, SETTING = "patterns", "policy.patterns"


def with_file_contents(changes: Mapping[str, Any], game: str, folder: str | Path | None = None) -> dict[str, Any]:
    """The same changes of a player, with the patterns that are in the file now instead of the file's name."""
    if KEY not in changes:
        return dict(changes)
    rest = {key: value for key, value in changes.items() if key not in (KEY, SETTING)}
    return {**rest, SETTING: list(texts_in(changes[KEY], game, folder))}


def texts_in(name: Any, game: str, folder: str | Path | None = None) -> tuple[str, ...]:
    """The patterns of a file as the settings of a player of ``game`` have them."""
    if not isinstance(name, str) or not name:
        raise ConfigError(f"player setting {KEY}: the name of a file is needed, not {name!r}")
    path = Path(folder or ".") / name
    return texts_of(read_patterns(path), geometry_of(game), f"patterns {path}")


def geometry_of(game: str) -> Geometry:
    """The grid of a game's board, and so of its patterns."""
    policy = game_named(game).policy
    if not issubclass(policy, PatternPolicy):
        raise ConfigError(f"players of {game} have no patterns")
    return policy.geometry


def with_contents(table: Mapping[str, Any], game: str, folder: str | Path | None = None) -> dict[str, Any]:
    """A player's table, where ``player = "mcts:…,patterns=FILE"`` may name the file too."""
    words = table.get("player")
    if isinstance(words, str) and words.startswith("mcts") and f"{KEY}=" in words:
        kind, colon, rest = words.partition(":")
        parts = [part.strip() for part in rest.split(",")]
        named = [part.removeprefix(f"{KEY}=") for part in parts if part.startswith(f"{KEY}=")]
        kept = ",".join(part for part in parts if not part.startswith(f"{KEY}="))
        table = {KEY: named[-1], **table, "player": f"{kind}{colon}{kept}"} if named else table
    return with_file_contents(table, game, folder)

"""Settings ``patterns = FILE`` and ``database = FILE``. The file's content is part of the player, not its name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.games.catalog import game_named
from semeai.games.patterns.policy import OWN, PatternPolicy
from semeai.patterns.file import read_patterns
from semeai.patterns.geometry import Geometry
from semeai.patterns.texts import texts_of

DATABASE, DATABASE_SETTING = "database", "policy.database"


def with_file_contents(changes: Mapping[str, Any], game: str, folder: str | Path | None = None) -> dict[str, Any]:
    """Return the changes of a player with the contents of files instead of their names.

    A database is too large for that: its setting is the digest of its contents and the path of its file.
    """
    found = dict(changes)
    for key, (setting, read) in _FILES.items():
        if key in found:
            found.pop(setting, None)
            found[setting] = read(found.pop(key), game, folder)
    return found


def texts_in(name: Any, game: str, folder: str | Path | None = None) -> tuple[str, ...]:
    """Return the patterns of a file in the form of the setting ``policy.patterns``."""
    path = Path(folder or ".") / _named("patterns", name)
    return texts_of(read_patterns(path), geometry_of(game), f"patterns {path}")


def _texts(name: Any, game: str, folder: str | Path | None) -> list[str]:
    return list(texts_in(name, game, folder))


def _database(name: Any, game: str, folder: str | Path | None) -> str:
    """Return the setting of a database. Its path stays as written, relative to ``folder``."""
    read: Callable[[str, Path], str] | None = getattr(game_named(game).policy, "database_setting", None)
    if read is None:
        raise ConfigError(f"players of {game} have no database")
    return read(_named(DATABASE, name), Path(folder or "."))


def _named(key: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ConfigError(f"player setting {key}: must be the name of a file, not {name!r}")
    return name


_FILES: Mapping[str, tuple[str, Callable[[Any, str, str | Path | None], Any]]] = {
    "patterns": ("policy.patterns", _texts),
    DATABASE: (DATABASE_SETTING, _database),
}
"""For each key that names a file: the setting that it fills, and the function that reads the file."""


def with_absolute_place(changes: Mapping[str, Any], folder: str | Path | None = None) -> dict[str, Any]:
    """Return the changes with an absolute path of the database, which no longer depends on ``folder``."""
    setting = changes.get(DATABASE_SETTING)
    if not isinstance(setting, str) or "@" not in setting:
        return dict(changes)
    digest, _, place = setting.partition("@")
    if place == OWN:
        return dict(changes)
    return {**changes, DATABASE_SETTING: f"{digest}@{(Path(folder or '.') / place).resolve()}"}


def without_places(settings: Any) -> Any:
    """Return settings as identities have them: a database by its digest alone, and without the keys of an empty one.

    Players from before there were databases keep their identity by this.
    """
    if isinstance(settings, list | tuple):
        return [without_places(value) for value in settings]
    if not isinstance(settings, Mapping):
        return settings
    none = settings.get(DATABASE) == ""
    kept = {key: value for key, value in settings.items() if not (none and str(key).startswith(DATABASE))}
    return {key: _digest(value) if _is_database(key) else without_places(value) for key, value in kept.items()}


def _is_database(key: Any) -> bool:
    return str(key) in (DATABASE, DATABASE_SETTING)


def _digest(setting: Any) -> Any:
    return setting.partition("@")[0] if isinstance(setting, str) else setting


def with_no_database(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an identity with an empty database if it names none, as ``without_places`` left it out."""
    policy = settings.get("policy", {})
    has_databases = DATABASE in game_named(settings.get("game", "go")).policy.model_fields
    return {**settings, "policy": {DATABASE: "", **policy}} if has_databases else dict(settings)


def database_label(policy: Any) -> str:
    """Return the papers' name for a player with a database and which one it is; empty for none and for semeai's own."""
    setting = getattr(policy, "database", "")
    digest, _, place = setting.partition("@")
    return f" +AE ({Path(place).name or digest})" if setting and place != OWN else ""


def geometry_of(game: str) -> Geometry:
    """Return the geometry of a game's board and of its patterns."""
    policy = game_named(game).policy
    if not issubclass(policy, PatternPolicy):
        raise ConfigError(f"players of {game} have no patterns")
    return policy.geometry


def with_contents(table: Mapping[str, Any], game: str, folder: str | Path | None = None) -> dict[str, Any]:
    """Return a player's table with the contents of its files, also of those that ``player = "mcts:…"`` names."""
    words = table.get("player")
    if isinstance(words, str) and words.startswith("mcts"):
        kind, colon, rest = words.partition(":")
        parts = [part.strip().partition("=") for part in rest.split(",")]
        named = {key: name for key, equals, name in parts if equals and key in _FILES}
        kept = ",".join("".join(part) for part in parts if part[0] not in named)
        table = {**named, **table, "player": f"{kind}{colon}{kept}"} if named else table
    return with_file_contents(table, game, folder)

"""Settings ``patterns``, ``database`` and ``model``, which name files. What is in them is part of the player."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError
from semeai.games.catalog import game_named
from semeai.games.learnt import NONE, OWN
from semeai.games.patterns.policy import PatternPolicy
from semeai.patterns.file import read_patterns
from semeai.patterns.geometry import Geometry
from semeai.patterns.texts import texts_of

DATABASE, MODEL = "database", "model"
_LEARNT = {DATABASE: "database", MODEL: "move model"}
"""Settings of a policy that hold a digest and the path of a file, and what such a file is called."""


def with_file_contents(changes: Mapping[str, Any], game: str, folder: str | Path | None = None) -> dict[str, Any]:
    """Return the changes of a player with the contents of files instead of their names.

    What was learnt is too large for that: its setting is the digest of its contents and the path of its file.
    """
    found = dict(changes)
    if DATABASE in found and not {MODEL, f"policy.{MODEL}"} & found.keys():
        found[MODEL] = NONE  # a database replaces the move model
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


def _learnt(key: str) -> "_Reader":
    """Return the function that gives the setting of a learnt file. The path stays as written, relative to a folder."""

    def setting(name: Any, game: str, folder: str | Path | None) -> str:
        read: Callable[[str, Path], str] | None = getattr(game_named(game).policy, f"{key}_setting", None)
        if read is None:
            raise ConfigError(f"players of {game} have no {_LEARNT[key]}")
        return read(_named(key, name), Path(folder or "."))

    return setting


def _named(key: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ConfigError(f"player setting {key}: must be the name of a file, not {name!r}")
    return name


_Reader = Callable[[Any, str, str | Path | None], Any]
_FILES: Mapping[str, tuple[str, _Reader]] = {
    "patterns": ("policy.patterns", _texts),
    **{key: (f"policy.{key}", _learnt(key)) for key in _LEARNT},
}
"""For each key that names a file: the setting that it fills, and the function that reads the file."""


def with_absolute_place(changes: Mapping[str, Any], folder: str | Path | None = None) -> dict[str, Any]:
    """Return the changes with absolute paths of learnt files, which no longer depend on ``folder``."""
    found = dict(changes)
    for key in (f"policy.{key}" for key in _LEARNT):
        digest, at, place = str(found.get(key, "")).partition("@")
        if at and place != OWN:
            found[key] = f"{digest}@{(Path(folder or '.') / place).resolve()}"
    return found


def without_places(settings: Any) -> Any:
    """Return settings as identities have them: learnt files by their digests alone, and without the keys of empty ones.

    Players from before there were databases or move models keep their identity by this.
    """
    if isinstance(settings, list | tuple):
        return [without_places(value) for value in settings]
    if not isinstance(settings, Mapping):
        return settings
    empty = tuple(key for key in _LEARNT if settings.get(key) == "")
    kept = {key: value for key, value in settings.items() if not any(str(key).startswith(name) for name in empty)}
    return {key: _digest(value) if _is_learnt(key) else without_places(value) for key, value in kept.items()}


def _is_learnt(key: Any) -> bool:
    return str(key).removeprefix("policy.") in _LEARNT


def _digest(setting: Any) -> Any:
    return setting.partition("@")[0] if isinstance(setting, str) else setting


def with_nothing_learnt(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an identity with empty files where it names none, as ``without_places`` left them out."""
    policy = settings.get("policy", {})
    fields = game_named(settings.get("game", "go")).policy.model_fields
    return {**settings, "policy": {**{key: "" for key in _LEARNT if key in fields}, **policy}}


def learnt_label(policy: Any) -> str:
    """Return which files of others a player uses: its move model, or its database by the papers' name."""
    found = ""
    for key, name in ((MODEL, "model"), (DATABASE, "AE")):
        digest, _, place = getattr(policy, key, "").partition("@")
        if digest and place != OWN:
            found += f" +{name} ({Path(place).name or digest})"
    return found


def with_words_of_files(changes: Mapping[str, Any], policy: Any) -> dict[str, Any]:
    """Return the changes with ``own`` and ``none`` instead of digests. Files of others have a label of their own."""
    found = dict(changes)
    words = {}
    for key, setting in settings_of_files():
        if setting in found:
            value = found.pop(setting)
            if not value or getattr(policy, key).endswith(f"@{OWN}"):
                words[key] = OWN if value else NONE
    if getattr(policy, DATABASE, ""):
        words.pop(MODEL, None)  # a database replaces the move model
    return {**found, **words}


def is_file_setting(name: str) -> bool:
    """Return whether a player's setting names a learnt file."""
    return _is_learnt(name)


def settings_of_files() -> list[tuple[str, str]]:
    """Return the settings of learnt files: the key that names a file, and the setting with its digest."""
    return [(key, f"policy.{key}") for key in _LEARNT]


def learnt_files(policy: Any) -> frozenset[str]:
    """Return the absolute paths of a policy's learnt files, without those that come with semeai."""
    places = (getattr(policy, key, "").partition("@")[2] for key in _LEARNT)
    return frozenset(str(Path(place).absolute()) for place in places if place and place != OWN)


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

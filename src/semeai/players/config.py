"""The settings of an MCTS player: frozen, validated at construction, and identified by their hash."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from semeai.errors import ConfigError, did_you_mean
from semeai.games.catalog import game_named
from semeai.games.move_model import ModelPolicy
from semeai.models import Model, describe, flat_settings, merged
from semeai.parallel.config import ParallelConfig
from semeai.players.pattern_files import (
    settings_of_files,
    with_absolute_place,
    with_file_contents,
    with_words_of_files,
    without_places,
)
from semeai.search.config import SearchConfig
from semeai.search.kernels.tree import NODE

NODE_BYTES = 2 * NODE.itemsize
"""Memory for a node, and for its copy when the tree is reused."""
LONGEST_WORDS = 200
ADDED = (
    "heuristic_exploration", "heuristic_visits", "rave_per_move",
    "race_playouts", "semeai_conditioning", "semeai_expertise", "race_nodes",
)  # fmt: skip
"""Settings that semeai 0.1.0 did not have. Identities leave them out at their defaults, so that old ones stay valid."""


class PlayerConfig(Model):
    """An MCTS player. Its budget is either in simulations (for comparisons) or in seconds (for play)."""

    game: str = "go"
    """The game that it plays, which also says what ``policy`` is."""
    simulations: Annotated[int, Field(ge=1, le=10**12)] | None = 1000
    """New simulations per move; those of a reused tree are not counted."""
    seconds: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """CPU seconds per move, of the first thread: equal to elapsed time on an idle machine."""
    threads: Annotated[int, Field(ge=1, le=1024)] = 1
    """Threads that search one tree; with more than one, the same seed does not give the same game."""
    parallel: ParallelConfig = ParallelConfig()
    search: SearchConfig = SearchConfig()
    policy: Annotated[Any, Field(validate_default=True)] = None
    """Settings of the game, of the class that its entry in the catalog names."""
    reuse_tree: bool = True
    """Keep the part of the last search tree that belongs to the new position."""
    book: bool = False
    """Play the moves of the game's opening book, if it has one. Not for matches and races that measure a search."""
    stop_early: bool = False
    """End a search once no other move can overtake the most visited one."""
    memory_mb: Annotated[int, Field(ge=1, le=100_000)] = 400
    """Megabytes for the tree of each rank; when it is full, the search goes on and the tree stops growing."""
    resign_below: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Resign when the win rate of the best move is below this; 0: never resign."""

    @field_validator("policy", mode="before")
    @classmethod
    def _policy_of_game(cls, value: Any, info: ValidationInfo) -> Any:
        if "game" not in info.data:  # it is wrong itself, which is reported
            return value
        return game_named(info.data["game"]).policy.model_validate({} if value is None else value)

    @model_validator(mode="after")
    def _has_budget(self) -> Self:
        if (self.simulations is None) == (self.seconds is None):
            raise ValueError("give simulations or seconds, not both")
        if self.threads > 1 and self.parallel.scheme == "fast_tree":
            raise ValueError(f"fast_tree has one tree on one thread, not {self.threads} threads")
        return self

    @property
    def max_nodes(self) -> int:
        return max(1000, self.memory_mb * 1_000_000 // NODE_BYTES)

    def identity(self) -> str:
        """Return twelve hexadecimal digits that differ between different players."""
        text = json.dumps(without_places(self.recorded()), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def recorded(self) -> dict[str, Any]:
        """Return the settings that identify the player: all, but of ``ADDED`` only those that are not the default."""
        found = self.model_dump(mode="json")
        for part in ("search", "policy"):
            kind = type(getattr(self, part))
            fields = kind.model_fields
            for name in (*ADDED, *(kind.added_settings() if issubclass(kind, ModelPolicy) else ())):
                if name in fields and found[part][name] == fields[name].default:
                    del found[part][name]
        return found

    def words(self) -> str:
        """Return the nearest preset and the settings that differ from it, or the identity if they are too long."""
        own = _recorded(self)
        found: list[list[str]] = []
        for name in game_named(self.game).presets:
            preset = _recorded(type(self).from_preset(name, self.game))
            changes = {key: value for key, value in own.items() if value != preset[key] and value is not None}
            changes = with_words_of_files(changes, self.policy)
            found.append([name, *(f"{key}={_shown(value)}" for key, value in changes.items())])
        nearest = min(found, key=len)
        words = ",".join(nearest)
        return words if len(words) <= LONGEST_WORDS else self.identity()

    def with_changes(self, changes: Mapping[str, Any], folder: str | Path | None = None) -> Self:
        """Return the player with other values for some settings, named ``search.exploration`` or ``simulations``.

        ``patterns``, ``database`` and ``model`` name files in ``folder``, see ``pattern_files``.
        """
        if not changes:
            return self
        changes = with_absolute_place(with_file_contents(changes, self.game, folder), folder)
        own = self.model_dump()
        current = dict(flat_settings(own))
        for name, value in changes.items():
            self._check_change(name, value, current)
        return self.from_settings(merged(own, _with_one_budget(changes)))

    def _check_change(self, name: Any, value: Any, current: Mapping[str, Any]) -> None:
        if name not in current:
            hint = did_you_mean(str(name), current)
            raise ConfigError(f"a player of {self.game} has no setting {name!r}: {hint}")
        if name == "game" and value != self.game:
            raise ConfigError(f"player setting game: this player plays {self.game}, not {value!r}")
        is_number = isinstance(current[name], int | float | None) and not isinstance(current[name], bool)
        if is_number and isinstance(value, bool):  # pydantic would take true for 1
            raise ConfigError(f"player setting {name}: must be a number, not {_shown(value)}")

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Return the player of nested tables of settings. Raises ConfigError with what is wrong as one sentence."""
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            has_place = bool(error.errors()[0]["loc"])
            raise ConfigError(f"player{' setting' if has_place else ':'} {describe(error)}") from None

    @classmethod
    def from_text(cls, text: str, game: str = "go", folder: str | Path | None = None) -> Self:
        """Return the player of ``preset,name=value,…``, for example ``default,simulations=3000,search.rave=off``."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        preset = words.pop(0) if words and "=" not in words[0] else "default"
        changes = {}
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                raise ConfigError(f"player setting {word!r}: write name=value")
            changes[name.strip()] = parse_value(value.strip())
        return cls.from_preset(preset, game).with_changes(changes, folder)

    @classmethod
    def from_preset(cls, name: str, game: str = "go") -> Self:
        """Return the default player with the changes of a preset."""
        presets = game_named(game).presets
        if name not in presets:
            raise ConfigError(f"no preset {name!r} of {game}: {did_you_mean(name, presets)}")
        return cls(game=game).with_changes(presets[name])


def _with_one_budget(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the changes, where a budget of one kind removes that of the other."""
    for name, other in (("seconds", "simulations"), ("simulations", "seconds")):
        if changes.get(name) is not None and other not in changes:
            return {**changes, other: None}
    return changes


def _recorded(config: PlayerConfig) -> dict[str, Any]:
    """Return all settings by the names of ``with_changes``, with the digests of learnt files without their paths."""
    found = dict(flat_settings(config.model_dump(mode="json")))
    for _, setting in settings_of_files():
        if setting in found:
            found[setting] = found[setting].partition("@")[0]
    return found


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_value(text: str) -> Any:
    """Return the value that JSON reads, such as a number or ``true``; the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def setting_names(game: str = "go") -> list[str]:
    """Return the names of all settings of a player of ``game``, as ``with_changes`` takes them."""
    return [name for name, _ in flat_settings(PlayerConfig(game=game).model_dump())]

"""A player as data: frozen, validated at construction, and its hash is its identity."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from semeai.errors import ConfigError, did_you_mean
from semeai.games.catalog import game_named
from semeai.games.patterns.policy import NONE
from semeai.models import flat_settings
from semeai.parallel.config import ParallelConfig
from semeai.players.pattern_files import (
    DATABASE,
    DATABASE_SETTING,
    with_absolute_place,
    with_file_contents,
    without_places,
)
from semeai.search.config import SearchConfig
from semeai.search.kernels.tree import NODE

NODE_BYTES = 2 * NODE.itemsize
"""A node, and its room in the copy that tree reuse makes."""
LONGEST_WORDS = 200


class PlayerConfig(BaseModel):
    """An MCTS player. The budget is in simulations (comparable) or in seconds (play), never both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = "go"
    """What it plays, and so what ``policy`` is."""
    simulations: Annotated[int, Field(ge=1, le=10**12)] | None = 1000
    """New simulations a move; what a reused tree brings along comes on top."""
    seconds: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """CPU seconds a move, of the first thread: on a free machine the same as time."""
    threads: Annotated[int, Field(ge=1, le=1024)] = 1
    """How many search one tree together; with more than one, the same seed does not give the same game."""
    parallel: ParallelConfig = ParallelConfig()
    search: SearchConfig = SearchConfig()
    policy: Annotated[Any, Field(validate_default=True)] = None
    """The game's own part, of the class that its entry in the catalog names."""
    reuse_tree: bool = True
    """Keep what the last search found about the position that came up."""
    book: bool = False
    """Play the moves of the game's opening book where it has one; matches and races that measure a search do not."""
    stop_early: bool = False
    """End a search whose most visited move cannot be overtaken any more."""
    memory_mb: Annotated[int, Field(ge=1, le=100_000)] = 400
    """Room for the tree of each rank; a full tree goes on searching, it only does not grow."""
    resign_below: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Resign when the best move's win rate is below this; 0 never resigns."""

    @field_validator("policy", mode="before")
    @classmethod
    def _policy_of_game(cls, value: Any, info: ValidationInfo) -> Any:
        model = game_named(str(info.data.get("game"))).policy
        try:
            return model.model_validate({} if value is None else value)
        except ValidationError as error:
            raise _refusal(error, "policy.") from None

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
        """Twelve letters that differ where any field does."""
        text = json.dumps(without_places(self.model_dump(mode="json")), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def words(self) -> str:
        """The preset that is nearest and what differs from it, for people; its identity where that is much."""
        own = _flat(self)
        found: list[list[str]] = []
        for name in game_named(self.game).presets:
            preset = _flat(type(self).from_preset(name, self.game))
            changes = {key: value for key, value in own.items() if value != preset[key] and value is not None}
            if changes.pop(DATABASE_SETTING, None) == "":  # another one has a label of its own
                changes[DATABASE] = NONE
            found.append([name, *(f"{key}={str(value).lower()}" for key, value in changes.items())])
        nearest = min(found, key=len)
        words = ",".join(nearest)
        return words if len(words) <= LONGEST_WORDS else self.identity()

    def with_changes(self, changes: Mapping[str, Any], folder: str | Path | None = None) -> Self:
        """The same with other values for some fields, written as ``search.exploration`` or ``simulations``.

        ``patterns`` and ``database`` are names of files in ``folder``, see ``pattern_files``.
        """
        changes = with_absolute_place(with_file_contents(changes, self.game, folder), folder)
        data = self.model_dump()
        for key, value in changes.items():
            place = data
            *folders, name = str(key).split(".")
            for folder in folders:
                place = place.get(folder, {}) if isinstance(place, dict) else {}
            if not isinstance(place, dict) or name not in place or isinstance(place[name], dict):
                known = setting_names(self.game)
                raise ConfigError(f"a player of {self.game} has no setting {key!r}: {did_you_mean(str(key), known)}")
            if key == "game" and value != self.game:
                raise ConfigError(f"player setting game: this player plays {self.game}, not {value!r}")
            if isinstance(value, bool) and not isinstance(place[name], bool):
                raise ConfigError(f"player setting {key}: a number is needed, not {str(value).lower()}")
            place[name] = value
        if changes.get("seconds") is not None and "simulations" not in changes:
            data["simulations"] = None
        elif changes.get("simulations") is not None and "seconds" not in changes:
            data["seconds"] = None
        return type(self)._checked(data)

    @classmethod
    def _checked(cls, data: Mapping[str, Any]) -> Self:
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise _refusal(error) from None

    @classmethod
    def from_text(cls, text: str, game: str = "go", folder: str | Path | None = None) -> Self:
        """From ``preset,name=value,…``, for example ``default,simulations=3000,search.exploration=0.1``."""
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
        presets = game_named(game).presets
        if name not in presets:
            raise ConfigError(f"no preset {name!r} of {game}: {did_you_mean(name, presets)}")
        return cls(game=game).with_changes(presets[name])


def _flat(config: PlayerConfig) -> dict[str, Any]:
    """All settings by the names of ``with_changes``; of a database, which it is and not where."""
    found = dict(flat_settings(config.model_dump(mode="json")))
    if DATABASE_SETTING in found:
        found[DATABASE_SETTING] = found[DATABASE_SETTING].partition("@")[0]
    return found


def _refusal(error: ValidationError, prefix: str = "") -> ConfigError:
    """The first thing that is wrong, as a sentence."""
    first = error.errors()[0]
    place = prefix + ".".join(str(part) for part in first["loc"])
    value = "" if isinstance(first["input"], dict) else f", not {first['input']!r:.100}"
    return ConfigError(f"player setting {place or 'budget'}: {first['msg']}{value}")


def parse_value(text: str) -> Any:
    """A number, a truth value, or a word."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def setting_names(game: str = "go") -> list[str]:
    """All settings of a player of ``game``, as ``with_changes`` takes them."""
    return [name for name, _ in flat_settings(PlayerConfig(game=game).model_dump())]

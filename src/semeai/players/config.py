"""A player as data: frozen, validated at construction, and its hash is its identity."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from semeai.errors import ConfigError, did_you_mean
from semeai.games.go.config import GoPolicy
from semeai.search.config import SearchConfig

NODE_BYTES = 2 * 28
"""A node, and its room in the copy that tree reuse makes."""


class PlayerConfig(BaseModel):
    """An MCTS player. The budget is in simulations (comparable) or in seconds (play), never both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: Literal["go"] = "go"
    simulations: Annotated[int, Field(ge=1, le=10**12)] | None = 1000
    """New simulations a move; what a reused tree brings along comes on top."""
    seconds: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """CPU seconds a move, on one thread the same as time."""
    search: SearchConfig = SearchConfig()
    policy: GoPolicy = GoPolicy()
    reuse_tree: bool = True
    """Keep what the last search found about the position that came up."""
    stop_early: bool = False
    """End a search whose most visited move cannot be overtaken any more."""
    memory_mb: Annotated[int, Field(ge=1, le=100_000)] = 400
    """Room for the tree; a full tree goes on searching, it only does not grow."""
    resign_below: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Resign when the best move's win rate is below this; 0 never resigns."""

    @model_validator(mode="after")
    def _has_budget(self) -> Self:
        if (self.simulations is None) == (self.seconds is None):
            raise ValueError("give simulations or seconds, not both")
        return self

    @property
    def max_nodes(self) -> int:
        return max(1000, self.memory_mb * 1_000_000 // NODE_BYTES)

    def identity(self) -> str:
        """Twelve letters that differ where any field does."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """The same with other values for some fields, written as ``search.exploration`` or ``simulations``."""
        data = self.model_dump()
        for key, value in changes.items():
            place = data
            *folders, name = str(key).split(".")
            for folder in folders:
                place = place.get(folder, {}) if isinstance(place, dict) else {}
            if not isinstance(place, dict) or name not in place or isinstance(place[name], dict):
                raise ConfigError(f"a player has no setting {key!r}: {did_you_mean(str(key), setting_names())}")
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
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            value = "" if isinstance(first["input"], dict) else f", not {first['input']!r:.100}"
            raise ConfigError(f"player setting {place or 'budget'}: {first['msg']}{value}") from None

    @classmethod
    def from_text(cls, text: str) -> Self:
        """From ``preset,name=value,…``, for example ``default,simulations=3000,search.exploration=0.1``."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        preset = words.pop(0) if words and "=" not in words[0] else "default"
        changes = {}
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                raise ConfigError(f"player setting {word!r}: write name=value")
            changes[name.strip()] = parse_value(value.strip())
        return cls.from_preset(preset).with_changes(changes)

    @classmethod
    def from_preset(cls, name: str) -> Self:
        if name not in PRESETS:
            raise ConfigError(f"no preset {name!r}: {did_you_mean(name, PRESETS)}")
        return cls().with_changes(PRESETS[name])


def parse_value(text: str) -> Any:
    """A number, a truth value, or a word."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def setting_names() -> list[str]:
    """All settings, as ``with_changes`` takes them."""
    names = []
    for name, value in PlayerConfig().model_dump().items():
        names += [f"{name}.{inner}" for inner in value] if isinstance(value, dict) else [name]
    return names


_NO_PRIORS = {"policy.prior_even": 0.0}
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "uct": {  # Algorithm 1 of "Scalability and parallelization of MCTS", all moves admitted
        "search.rave": "off",
        "search.exploration": math.sqrt(2.0),
        "search.first_play_urgency": 1e9,
        "search.expansion_threshold": 1,
        "policy.playout": "light",
        "policy.pass_in_tree": False,
        "policy.skip_empty_edges": False,
        **_NO_PRIORS,
    },
    "mogo": {  # the playout rules of Gelly et al. 2006 and no others
        "policy.nakade": 0.0,
        "policy.two_liberties": 0.0,
        "policy.refuse_self_atari": 0.0,
    },
    "rave": {  # what limit programs measure: light playouts, RAVE, nothing else
        "search.exploration": 0.2,
        "search.rave_bias": 0.002,
        "search.first_play_urgency": 0.7,
        "search.expansion_threshold": 1,
        "policy.playout": "light",
        "policy.pass_in_tree": False,
        "policy.skip_empty_edges": False,
        **_NO_PRIORS,
    },
}
"""Named starting points."""

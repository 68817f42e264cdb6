"""Players as typed data, which a match can pickle, compare and record, and from which it makes the players."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from semeai.games.catalog import game_named
from semeai.mirror import located, translated
from semeai.players.base import Player
from semeai.players.gtp import GtpPlayer, describe_command
from semeai.players.pattern_files import learnt_label, with_nothing_learnt, without_places
from semeai.players.random import RandomPlayer
from semeai.players.uci import UciPlayer, UciSettings, verify_options
from semeai.players.uci_process import option_text
from semeai.processes import fill_in

if TYPE_CHECKING:
    from semeai.players.config import PlayerConfig  # loads numba, so at run time only if needed

Value = str | int | float
"""A value that stands for ``{name}`` in the command of an engine."""
LIMITS = ("timeout", "startup_timeout")


@dataclass(frozen=True)
class PlayerSpec(ABC):
    """Base of all players as data. They can be pickled, hashed and compared."""

    kind: ClassVar[Literal["random", "mcts", "gtp", "uci"]]
    label: str
    """Name to show; not part of the identity."""

    def identity(self) -> dict[str, Any]:
        """Return what ledgers record and hash: plain values, with sorted names."""
        return {"kind": self.kind, **without_places(json.loads(json.dumps(self._settings(), sort_keys=True)))}

    @staticmethod
    def from_identity(data: Mapping[str, Any]) -> "PlayerSpec":
        """Return the player that a ledger records. Its label is made from its settings."""
        settings = {key: value for key, value in data.items() if key != "kind"}
        return _KINDS[data["kind"]]._from_settings(settings)

    @abstractmethod
    def make(self) -> Player:
        """Return a new player, ready for its first game."""

    def verify(self) -> None:
        """Raise an error if the player cannot be used as it is; an engine may be started to find out."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return everything that distinguishes this player from others of its kind."""

    @classmethod
    @abstractmethod
    def _from_settings(cls, settings: dict[str, Any]) -> Self: ...


@dataclass(frozen=True)
class RandomSpec(PlayerSpec):
    """The player that plays random moves."""

    kind = "random"
    label: str = "random"

    def make(self) -> Player:
        return RandomPlayer(self.label)

    def _settings(self) -> dict[str, Any]:
        return {}

    @classmethod
    def _from_settings(cls, settings: dict[str, Any]) -> Self:
        return cls()


@dataclass(frozen=True)
class MctsSpec(PlayerSpec):
    """A player that searches."""

    kind = "mcts"
    config: "PlayerConfig"

    def make(self) -> Player:
        from semeai.players.mcts import MctsPlayer

        return MctsPlayer(self.config, self.label)

    def _settings(self) -> dict[str, Any]:
        """Return all settings. A player that uses the opening book changes with the book, so its digest is there."""
        settings = self.config.recorded()
        if self.config.book:
            settings["book"] = game_named(self.config.game).book_digest or True
        return settings

    @classmethod
    def _from_settings(cls, settings: dict[str, Any]) -> Self:
        from semeai.players.config import PlayerConfig

        known = with_nothing_learnt(settings)
        config = PlayerConfig.from_settings({**known, "book": bool(settings.get("book"))})
        return cls(f"mcts:{config.words()}{learnt_label(config.policy)}", config)


@dataclass(frozen=True)
class GtpSpec(PlayerSpec):
    """A GTP engine."""

    kind = "gtp"
    command: tuple[str, ...]
    """Program and arguments, where ``{name}`` stands for one of ``values`` and ``{seed}`` for the seed of a game."""
    values: tuple[tuple[str, Value], ...] = ()
    timeout: float | None = None
    """Seconds for an answer; None: the default of GtpPlayer."""
    startup_timeout: float | None = None
    """Seconds for the first answer; None: the default of GtpPlayer."""
    folder: str | None = None
    """Working directory of the engine; not part of the identity."""
    arguments: tuple[str, ...] = field(init=False, repr=False)
    """The command with its values. It tells apart the values 1, 1.0 and true, which Python calls equal."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", _arguments(self.command, self.values))

    @classmethod
    def of(
        cls, command: Sequence[str], values: Mapping[str, Value], folder: str | None = None, **limits: float
    ) -> Self:
        """Return the engine with its command line as its label."""
        pairs = tuple(sorted(values.items()))
        return cls(describe_command(_arguments(command, pairs)), tuple(command), pairs, folder=folder, **limits)

    def make(self) -> Player:
        folder = self.folder and located(self.folder)
        return GtpPlayer(self.command, self.label, folder=folder, values=dict(self.values), **self._limits())

    def _limits(self) -> dict[str, float]:
        """Return the time limits that differ from the defaults."""
        return {name: getattr(self, name) for name in LIMITS if getattr(self, name) is not None}

    def _settings(self) -> dict[str, Any]:
        return {"command": self.command, "values": dict(self.values), **self._limits()}

    @classmethod
    def _from_settings(cls, settings: dict[str, Any]) -> Self:
        return cls.of(**settings)


@dataclass(frozen=True)
class UciSpec(PlayerSpec):
    """A UCI engine."""

    kind = "uci"
    command: tuple[str, ...]
    """Program and arguments, where ``{name}`` stands for one of ``values`` and ``{seed}`` for the seed of a game."""
    values: tuple[tuple[str, Value], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    """The engine's own options, by name."""
    settings: UciSettings = field(default_factory=UciSettings)
    folder: str | None = None
    """Working directory of the engine; not part of the identity."""
    arguments: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", _arguments(self.command, self.values))

    @classmethod
    def of(
        cls,
        command: Sequence[str],
        values: Mapping[str, Value],
        options: Mapping[str, Any],
        settings: UciSettings,
        folder: str | None = None,
    ) -> Self:
        """Return the engine; its label has its command line, its settings and its options."""
        pairs = tuple(sorted(values.items()))
        texts = tuple(sorted((name, option_text(value)) for name, value in options.items()))
        words = [*settings.words, *(f"{name}={value}" for name, value in texts)]
        label = " ".join([describe_command(_arguments(command, pairs)), *words])
        return cls(label, tuple(command), pairs, texts, settings, folder)

    def make(self) -> Player:
        folder = self.folder and located(self.folder)
        options = {name: translated(value) for name, value in self.options}
        return UciPlayer(self.command, self.label, self.settings, options, folder, dict(self.values))

    def verify(self) -> None:
        arguments = tuple(fill_in(self.command, {**dict(self.values), "seed": 0}))
        verify_options(arguments, self.folder and located(self.folder), self.settings, dict(self.options))

    def _settings(self) -> dict[str, Any]:
        own = self.settings.model_dump(mode="json", exclude_defaults=True)
        return {"command": self.command, "values": dict(self.values), "options": dict(self.options), **own}

    @classmethod
    def _from_settings(cls, settings: dict[str, Any]) -> Self:
        rest = dict(settings)
        command, values, options = (rest.pop(key) for key in ("command", "values", "options"))
        return cls.of(command, values, options, UciSettings.model_validate(rest))


def _arguments(command: Sequence[str], values: Sequence[tuple[str, Value]]) -> tuple[str, ...]:
    return tuple(fill_in(command, {**dict(values), "seed": "{seed}"}))


_KINDS: Mapping[str, type[PlayerSpec]] = {spec.kind: spec for spec in (RandomSpec, MctsSpec, GtpSpec, UciSpec)}

"""Players by a few words, or by a table: what a command line, a race file and a match know of a player.

::

    random                                         any reasonable move
    mcts                                           the MCTS player as it comes
    mcts:uct,simulations=500,search.exploration=1  a preset and changes of it
    gtp:gnugo --mode gtp --level 8                 any GTP engine, started without a shell
    strong.toml                                    a file with one of the tables below

    {player = "mcts:default", simulations = 500, "search.exploration" = 0.2, game = "go"}
    {command = ["gnugo", "--mode", "gtp", "--level", "{level}"], level = 8}

``patterns=FILE``, or ``patterns = "FILE"`` in a table, reads ``policy.patterns`` from a file when the player is parsed;
``database=FILE`` gives it a database of patterns, which is read again, and must be the same, where the player is made.
Presets and settings are those of the game that is played; a table may say which game that is, and must then agree.
"""

import json
import shlex
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from semeai.errors import ConfigError, did_you_mean
from semeai.games.catalog import game_named
from semeai.games.patterns.policy import NONE, OWN
from semeai.models import flat_settings
from semeai.players.base import Player
from semeai.players.gtp import GtpPlayer, describe_command
from semeai.players.pattern_files import DATABASE, DATABASE_SETTING, without_places
from semeai.players.random import RandomPlayer
from semeai.processes import fill_in, placeholders

if TYPE_CHECKING:
    from semeai.players.config import PlayerConfig

FORMS = "random, mcts, mcts:PRESET,NAME=VALUE, gtp:COMMAND LINE, or a file that ends in .toml"
_GTP_KEYS = ("command", "timeout", "startup_timeout")


@dataclass(frozen=True)
class PlayerSpec:
    """A player as data that can be pickled, hashed and recorded; ``make`` gives the player where it is to play."""

    kind: Literal["random", "mcts", "gtp"]
    label: str
    """What people call it."""
    settings: str = "{}"
    """All that it is, as JSON."""
    folder: str | None = None
    """Where an engine runs: no part of what it is."""

    def identity(self) -> dict[str, Any]:
        """With what the opening book holds, where it plays by it: another book makes another player."""
        settings: dict[str, Any] = without_places(json.loads(self.settings))
        if settings.get("book"):
            settings["book"] = game_named(settings["game"]).book_digest or True
        return {"kind": self.kind, **settings}

    @classmethod
    def from_identity(cls, data: Mapping[str, Any]) -> "PlayerSpec":
        """The player again, where its own words for itself are lost."""
        settings = {key: value for key, value in data.items() if key != "kind"}
        if data["kind"] == "gtp":
            label = _engine_label(settings["command"], settings["values"])
        elif data["kind"] == "mcts":
            from semeai.players.config import PlayerConfig

            settings["book"] = bool(settings.get("book"))
            config = PlayerConfig.model_validate(settings)
            label = f"mcts:{config.words()}{_database_label(config)}"
        else:
            label = data["kind"]
        return cls(data["kind"], label, json.dumps(settings, sort_keys=True))

    def make(self) -> Player:
        settings = json.loads(self.settings)
        if self.kind == "random":
            return RandomPlayer(self.label)
        if self.kind == "gtp":
            return GtpPlayer(settings.pop("command"), self.label, folder=self.folder, **settings)
        from semeai.players.config import PlayerConfig
        from semeai.players.mcts import MctsPlayer

        return MctsPlayer(PlayerConfig.model_validate(settings), self.label)


def make_player(
    spec: str | Mapping[str, Any] | PlayerSpec, folder: str | Path | None = None, game: str | None = None
) -> Player:
    """The player that ``spec`` says; engines and files are looked for in ``folder``."""
    return parse_spec(spec, folder, game).make()


def parse_spec(
    spec: str | Mapping[str, Any] | PlayerSpec, folder: str | Path | None = None, game: str | None = None
) -> PlayerSpec:
    """Check a player's words or table, for a match of ``game``; ConfigError where they are wrong."""
    if isinstance(spec, PlayerSpec):
        return spec
    reader = _Reader(None if folder is None else str(folder), game)
    return reader.from_table(spec) if isinstance(spec, Mapping) else reader.from_text(spec.strip())


def with_simulations(words: str, simulations: int) -> str:
    """An MCTS player's words with so many simulations a move, if they have no budget; another's as they are."""
    kind, _, rest = words.strip().partition(":")
    named = {word.partition("=")[0].strip() for word in rest.split(",")}
    if kind != "mcts" or named & {"simulations", "seconds"}:
        return words
    return f"mcts:{rest}{',' if rest else ''}simulations={simulations}"


@dataclass(frozen=True)
class _Reader:
    folder: str | None
    game: str | None
    """None: whatever the table says, or Go."""

    def from_text(self, text: str, changes: Mapping[str, Any] | None = None) -> PlayerSpec:
        kind, colon, rest = text.partition(":")
        if kind == "gtp" and colon:
            return self.from_table({**(changes or {}), "command": _split(rest)})
        if kind == "mcts":
            return self._mcts(rest, changes or {})
        if changes:
            raise ConfigError(f"player {text!r} has no settings, such as {next(iter(changes))!r}")
        if text == "random":
            return PlayerSpec("random", text)
        if text.endswith(".toml"):
            return self._from_file(Path(self.folder or ".") / text)
        raise ConfigError(f"no player {text!r}: {did_you_mean(kind, ('random', 'mcts', 'gtp'))}; write {FORMS}")

    def _from_file(self, path: Path) -> PlayerSpec:
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"player {path}: cannot be read: {error}") from None
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            raise ConfigError(f"player {path}: not valid TOML: {error}") from None
        try:
            return _Reader(str(path.parent.resolve()), self.game).from_table(table)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    def from_table(self, table: Mapping[str, Any]) -> PlayerSpec:
        if "player" in table:
            words = table["player"]
            if not isinstance(words, str) or words.endswith(".toml"):
                raise ConfigError(f"player = {words!r}: write random, mcts:PRESET or gtp:COMMAND LINE")
            return self.from_text(words.strip(), {k: v for k, v in table.items() if k != "player"})
        if "command" in table:
            return _gtp(table, self.folder)
        raise ConfigError(
            f"a player's table needs player or command; it has only {', '.join(map(str, table)) or 'nothing'}"
        )

    def _mcts(self, words: str, changes: Mapping[str, Any]) -> PlayerSpec:
        from semeai.players.config import PlayerConfig

        flat = dict(flat_settings(changes))
        game = flat.pop("game", self.game or "go")
        if self.game is not None and game != self.game:
            raise ConfigError(f"player 'mcts:{words}' plays {game!r}, and this is a game of {self.game}")
        config = PlayerConfig.from_text(words, game, self.folder).with_changes(flat, self.folder)
        said = [*(word for word in words.split(",") if word), *(f"{key}={value}" for key, value in flat.items())]
        shown = [word for word in said if not _names_a_file(word)]
        label = (f"mcts:{','.join(shown)}" if words and shown else ",".join(["mcts", *shown])) + _database_label(config)
        return PlayerSpec("mcts", label, json.dumps(config.model_dump(mode="json"), sort_keys=True))


def _names_a_file(word: str) -> bool:
    """Whether it says where a database lies, which the label tells in its own way."""
    name, _, value = word.partition("=")
    return name.strip() in (DATABASE, DATABASE_SETTING) and value.strip() not in (OWN, NONE)


def _database_label(config: "PlayerConfig") -> str:
    """The papers' name for a player with a database, and which one it is, unless it comes with semeai."""
    setting = getattr(config.policy, "database", "")
    digest, _, place = setting.partition("@")
    return f" +AE ({Path(place).name or digest})" if setting and place != OWN else ""


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise ConfigError(f"player 'gtp:{line}': {error}") from None


def _gtp(table: Mapping[str, Any], folder: str | None) -> PlayerSpec:
    command = table["command"]
    if not isinstance(command, list | tuple) or not command or not all(isinstance(word, str) for word in command):
        raise ConfigError(f"an engine's command is a list of texts, the program first, not {command!r}")
    values = {str(key): value for key, value in table.items() if key not in _GTP_KEYS}
    _check_values(command, values)
    limits = {key: _seconds(key, table[key]) for key in _GTP_KEYS[1:] if key in table}
    program = fill_in(command[:1], {**values, "seed": 0})[0]
    if shutil.which(program if folder is None or "/" not in program else str(Path(folder) / program)) is None:
        raise ConfigError(f"engine {describe_command(command)!r}: no program {program!r} can be run here")
    filled = _engine_label(command, values)
    settings = {"command": list(command), "values": values, **limits}
    try:
        text = json.dumps(settings, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"engine {filled!r}: values must be finite numbers or texts: {error}") from None
    return PlayerSpec("gtp", filled, text, folder)


def _engine_label(command: Sequence[str], values: Mapping[str, Any]) -> str:
    return describe_command(fill_in(command, {**values, "seed": "{seed}"}))


def _check_values(command: Sequence[str], values: Mapping[str, Any]) -> None:
    used, name = placeholders(command), describe_command(command)
    if "seed" in values:
        raise ConfigError(f"engine {name!r}: {{seed}} is the game's, not a parameter")
    for missing in sorted(used - values.keys() - {"seed"}):
        raise ConfigError(f"engine {name!r}: there is no value for {{{missing}}}")
    for unknown in sorted(values.keys() - used):
        known = [*used - {"seed"}, *_GTP_KEYS[1:]]
        raise ConfigError(f"engine {name!r}: its command has no {{{unknown}}}; {did_you_mean(unknown, known)}")


def _seconds(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e6:
        raise ConfigError(f"{key} is a number of seconds above 0, not {value!r}")
    return float(value)

"""Players by a few words or by a table, as command lines, race files and matches name them.

::

    random                                         random moves
    mcts                                           the MCTS player with its defaults
    mcts:uct,simulations=500,search.exploration=1  a preset and changes of it
    gtp:gnugo --mode gtp --level 8                 any GTP engine, started without a shell
    uci:stockfish nodes=800 option.Hash=32         any UCI engine (chess), its budget and its own options
    strong.toml                                    a file with one of the tables below

    {player = "mcts:default", simulations = 500, "search.exploration" = 0.2, game = "go"}
    {command = ["gnugo", "--mode", "gtp", "--level", "{level}"], level = 8}
    {player = "uci:stockfish", tc = "10+0.1", "option.Skill Level" = 5}

``patterns=FILE``, or ``patterns = "FILE"`` in a table, reads ``policy.patterns`` from a file when the player is parsed.
``database=FILE`` names a database of patterns. It is read again, and must be unchanged, where the player is made.
Presets and settings belong to the game that is played. A table may name that game, and must then agree.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semeai.errors import ConfigError, did_you_mean
from semeai.games.learnt import NONE, OWN
from semeai.models import checked, flat_settings, read_toml
from semeai.players.base import Player
from semeai.players.gtp import describe_command
from semeai.players.pattern_files import is_file_setting, learnt_label
from semeai.players.specs import LIMITS, GtpSpec, MctsSpec, PlayerSpec, RandomSpec, UciSpec, Value
from semeai.players.uci import UciSettings
from semeai.processes import fill_in, find_program, placeholders

FORMS = "random, mcts, mcts:PRESET,NAME=VALUE, gtp:COMMAND LINE, uci:COMMAND LINE, or a file that ends in .toml"
MAX_SECONDS = 1e6
UCI, OPTION = "uci", "option."


def make_player(
    spec: str | Mapping[str, Any] | PlayerSpec, folder: str | Path | None = None, game: str | None = None
) -> Player:
    """Parse a player and make it. Relative paths start at ``folder``."""
    return parse_spec(spec, folder, game).make()


def parse_spec(
    spec: str | Mapping[str, Any] | PlayerSpec, folder: str | Path | None = None, game: str | None = None
) -> PlayerSpec:
    """Return the player of words or a table, for a match of ``game``. Raises ConfigError if something is wrong."""
    if isinstance(spec, PlayerSpec):
        return spec
    reader = _Reader(None if folder is None else str(folder), game)
    return reader.from_table(spec) if isinstance(spec, Mapping) else reader.from_text(spec.strip())


def words_with_simulations(words: str, simulations: int) -> str:
    """Give an MCTS player without a budget this number of simulations per move. Returns other players unchanged."""
    kind, _, rest = words.strip().partition(":")
    named = {word.partition("=")[0].strip() for word in rest.split(",")}
    if kind != "mcts" or named & {"simulations", "seconds"}:
        return words
    return f"mcts:{rest}{',' if rest else ''}simulations={simulations}"


@dataclass(frozen=True)
class _Reader:
    folder: str | None
    game: str | None
    """None: the game that the table names, or Go."""

    def from_text(self, text: str, changes: Mapping[str, Any] | None = None) -> PlayerSpec:
        kind, colon, rest = text.partition(":")
        if kind == "gtp" and colon:
            self._refuse_chess(text)
            return self.from_table({**(changes or {}), "command": _split(rest)})
        if kind == UCI and colon:
            return self._uci(rest, changes or {})
        if kind == "mcts":
            return self._mcts(rest, changes or {})
        if changes:
            raise ConfigError(f"player {text!r} has no settings, such as {next(iter(changes))!r}")
        if text == "random":
            return RandomSpec()
        if text.endswith(".toml"):
            return self._from_file(Path(self.folder or ".") / text)
        raise ConfigError(f"no player {text!r}: {did_you_mean(kind, ('random', 'mcts', 'gtp', UCI))}; write {FORMS}")

    def _from_file(self, path: Path) -> PlayerSpec:
        table = read_toml(path)
        try:
            return _Reader(str(path.parent.resolve()), self.game).from_table(table)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    def from_table(self, table: Mapping[str, Any]) -> PlayerSpec:
        if "player" in table:
            words = table["player"]
            if not isinstance(words, str) or words.endswith(".toml"):
                raise ConfigError(
                    f"player = {words!r}: write random, mcts:PRESET, gtp:COMMAND LINE or uci:COMMAND LINE"
                )
            return self.from_text(words.strip(), {k: v for k, v in table.items() if k != "player"})
        if "command" in table:
            self._refuse_chess(f"command = {table['command']!r}"[:100])
            return _gtp(table, self.folder)
        raise ConfigError(
            f"a player's table needs player or command; it has only {', '.join(map(str, table)) or 'nothing'}"
        )

    def _uci(self, line: str, changes: Mapping[str, Any]) -> UciSpec:
        if self.game not in (None, "chess"):
            raise ConfigError(f"player 'uci:{line}' plays chess, and this is a game of {self.game}")
        words, said = _without_settings(_split(line, UCI))
        return _uci(words, {**said, **dict(flat_settings(changes))}, self.folder)

    def _refuse_chess(self, text: str) -> None:
        if self.game == "chess":
            raise ConfigError(f"player {text!r} is a GTP engine, and chess is played by UCI engines: write uci:ENGINE")

    def _mcts(self, words: str, changes: Mapping[str, Any]) -> MctsSpec:
        from semeai.players.config import PlayerConfig

        flat = dict(flat_settings(changes))
        game = flat.pop("game", self.game or "go")
        if self.game is not None and game != self.game:
            raise ConfigError(f"player 'mcts:{words}' plays {game!r}, and this is a game of {self.game}")
        config = PlayerConfig.from_text(words, game, self.folder).with_changes(flat, self.folder)
        said = [*(word for word in words.split(",") if word), *(f"{key}={value}" for key, value in flat.items())]
        shown = [word for word in said if not _names_a_file(word)]
        label = f"mcts:{','.join(shown)}" if words and shown else ",".join(["mcts", *shown])
        return MctsSpec(label + learnt_label(config.policy), config)


def _names_a_file(word: str) -> bool:
    """Return whether the word names a learnt file, which ``learnt_label`` shows instead."""
    name, _, value = word.partition("=")
    return is_file_setting(name.strip()) and value.strip() not in (OWN, NONE)


def _split(line: str, kind: str = "gtp") -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise ConfigError(f"player '{kind}:{line}': {error}") from None


def _without_settings(words: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Return the command in the words of a UCI engine, and the settings among them: ``nodes=800``, ``option.Hash=1``.

    Words after ``--`` belong to the command.
    """
    cut = words.index("--") if "--" in words else len(words)
    command, settings = [], {}
    for word in words[:cut]:
        name, equals, value = word.partition("=")
        if equals and (name in UciSettings.model_fields or name.startswith(OPTION)):
            settings[name] = value
        else:
            command.append(word)
    return [*command, *words[cut + 1 :]], settings


def _uci(command: Sequence[str], table: Mapping[str, Any], folder: str | None) -> UciSpec:
    if not command:
        raise ConfigError("player 'uci:' names no program: write uci:stockfish")
    name = describe_command(command)
    options = {key.removeprefix(OPTION): value for key, value in table.items() if key.startswith(OPTION)}
    for option, value in options.items():
        if not option or not isinstance(value, Value | bool) or any(letter in str(value) for letter in "\r\n"):
            raise ConfigError(f"engine {name!r}: option {option!r} must be a number, a text, true or false")
    known = {key: value for key, value in table.items() if key in UciSettings.model_fields}
    values = {key: value for key, value in table.items() if key not in known and not key.startswith(OPTION)}
    _check_values(command, values, [*UciSettings.model_fields, f"{OPTION}NAME"])
    settings = checked(UciSettings, known, f"engine {name!r}")
    _check_program(command, values, folder)
    return UciSpec.of(command, values, options, settings, folder)


def _check_program(command: Sequence[str], values: Mapping[str, Any], folder: str | None) -> None:
    program = fill_in(command[:1], {**values, "seed": 0})[0]
    if find_program(program, folder) is None:
        raise ConfigError(f"engine {describe_command(command)!r}: no program {program!r} can be run here")


def _gtp(table: Mapping[str, Any], folder: str | None) -> GtpSpec:
    command = table["command"]
    if not isinstance(command, list | tuple) or not command or not all(isinstance(word, str) for word in command):
        raise ConfigError(f"an engine's command is a list of texts, the program first, not {command!r}")
    values = {str(key): value for key, value in table.items() if key not in ("command", *LIMITS)}
    _check_values(command, values)
    limits = {key: _seconds(key, table[key]) for key in LIMITS if key in table}
    _check_program(command, values, folder)
    return GtpSpec.of(command, values, folder, **limits)


def _check_values(command: Sequence[str], values: Mapping[str, Any], settings: Sequence[str] = LIMITS) -> None:
    used, name = placeholders(command), describe_command(command)
    if "seed" in values:
        raise ConfigError(f"engine {name!r}: {{seed}} is the game's seed, not a setting")
    for missing in sorted(used - values.keys() - {"seed"}):
        raise ConfigError(f"engine {name!r}: there is no value for {{{missing}}}")
    for unknown in sorted(values.keys() - used):
        known = [*used - {"seed"}, *settings]
        raise ConfigError(f"engine {name!r}: its command has no {{{unknown}}}; {did_you_mean(unknown, known)}")
    for key, value in values.items():
        if not isinstance(value, Value) or (isinstance(value, float) and not math.isfinite(value)):
            raise ConfigError(f"engine {name!r}: {key} must be a finite number or a text, not {value!r}")


def _seconds(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_SECONDS:
        raise ConfigError(f"{key} is a number of seconds above 0, not {value!r}")
    return float(value)

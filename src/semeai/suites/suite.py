"""Files of suites: one position per line, as a JSON object.

::

    {"suite": "ladders", "id": 10, "size": 9, "komi": 7.5, "setup": [["b", "E5"], ["w", "E6"]], "to_move": "b",
     "want": "D6|F6", "known_failure": false}

(on one line). ``setup`` is a list of moves in order, in turn or out of turn. ``komi``, ``setup`` and ``known_failure``
may be left out.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, StringConstraints, field_validator

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.files import read_text
from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.gtp.dialects import DIALECTS
from semeai.gtp.protocol import CommandFailed
from semeai.models import Model, checked
from semeai.suites.expression import Wanted, parse_wanted

MAX_POSITIONS = 100_000
MAX_MOVES = 10_000

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Colour = Literal["b", "w"]


class PositionLine(Model):
    """One line of the file, as it is written."""

    suite: Name
    id: int | Name
    """Identifies the position in its suite."""
    size: int
    komi: Annotated[float, Field(ge=-1000, le=1000)] | None = None
    """Komi (default: the game's)."""
    setup: Annotated[tuple[tuple[Colour, Name], ...], Field(max_length=MAX_MOVES)] = ()
    to_move: Colour
    want: str
    """Regular expression that a solution matches, see ``expression``."""
    known_failure: bool = False
    """Whether the author of the suite does not expect a solution."""

    @field_validator("want")
    @classmethod
    def _is_expression(cls, text: str) -> str:
        try:
            parse_wanted(text)
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return text


@dataclass(frozen=True)
class SuitePosition:
    """A position and the moves that are wanted, as data that any worker can set up."""

    game: str
    line: PositionLine

    @cached_property
    def wanted(self) -> Wanted:
        return parse_wanted(self.line.want)

    @property
    def player(self) -> int:
        """The player to move, 0 or 1."""
        return self._player(self.line.to_move)

    def _player(self, letter: str) -> int:
        return [colour[0] for colour in game_named(self.game).colours].index(letter)

    def set_up(self) -> Position:
        """Return the position. Raises IllegalMove or ConfigError if there is no such position.

        Earlier positions may be repeated. Two passes do not end a game of Go, because a move is asked for.
        """
        line = self.line
        position = game_named(self.game).new_position(line.size, line.komi)
        for number, (colour, name) in enumerate(line.setup, start=1):
            try:
                position.play_recorded(position.text_to_move(name), self._player(colour))
            except IllegalMove as error:
                raise IllegalMove(f"setup, move {number}: {error}") from None
        try:
            return DIALECTS[self.game]().to_think_about(position, self.player)
        except CommandFailed as error:
            raise IllegalMove(f"to_move: no move can be asked of {line.to_move!r}: {error}") from None


class Suites(NamedTuple):
    """The contents of a file."""

    positions: list[SuitePosition]
    unplayable: list[str]
    """One sentence about each position that cannot be set up, such as one with two stones on a point."""


def read_suites(path: str | Path, game: str = "go", suite: str | None = None) -> Suites:
    """Return the positions of a file, or those of one suite. Every mistake is a ConfigError with file and line.

    Some published suites contain positions that no player can be asked about; these are named and left out.
    """
    found: dict[tuple[str, int | str], tuple[SuitePosition, str]] = {}
    for number, text in enumerate(read_text(path).splitlines(), start=1):
        place = f"{path}, line {number}"
        if not text.strip():
            continue
        if len(found) >= MAX_POSITIONS:
            raise ConfigError(f"{place}: there are more than {MAX_POSITIONS:,} positions")
        position = SuitePosition(game, checked(PositionLine, _as_table(text, place), place))
        key = position.line.suite, position.line.id
        if key in found:
            raise ConfigError(f"{place}: position {key[1]!r} of suite {key[0]!r} is there twice")
        try:
            position.set_up()
            found[key] = position, ""
        except (IllegalMove, ConfigError) as error:
            found[key] = position, f"{place}: {error}"
    if suite is not None and not any(name == suite for name, _ in found):
        raise ConfigError(f"--suite {suite}: {did_you_mean(suite, list(dict.fromkeys(name for name, _ in found)))}")
    chosen = [entry for (name, _), entry in found.items() if suite is None or name == suite]
    playable = [position for position, wrong in chosen if not wrong]
    unplayable = [wrong for _, wrong in chosen if wrong]
    if not playable:
        raise ConfigError(unplayable[0] if unplayable else f"{path} has no positions")
    return Suites(playable, unplayable)


def _as_table(text: str, place: str) -> Any:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too long"
        raise ConfigError(f"{place}: no JSON: {why}") from None
    if not isinstance(table, dict):
        raise ConfigError(f"{place}: must be a JSON object, not {type(table).__name__}")
    return table

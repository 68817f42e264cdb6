"""A running UCI engine: its options, and its moves with what it says about them."""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semeai.errors import ConfigError, PlayerFailed, did_you_mean
from semeai.players.engine_process import RunningEngine
from semeai.streams import as_text

LONGEST_LINE = 1 << 18  # bytes
MOST_OUTPUT = 1 << 26  # bytes between a command and its answer
MATE = 100_000
"""The score of a checkmate; one in n moves is worth n less."""
_OPTION = re.compile(r"\b(name|type|default|min|max|var)\b")


class UciLines:
    """The complete lines of an engine's output that nobody has read yet, with limits for what it may write."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._line = bytearray()
        self._size = 0
        self._excess = ""

    def add(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._lines.append(bytes(self._line + end).strip())
            self._line.clear()
        self._line += rest
        self._size += len(data)
        if len(self._line) > LONGEST_LINE:
            self._excess = f"wrote a line of more than {LONGEST_LINE >> 10} KB"
        elif self._size > MOST_OUTPUT:
            self._excess = f"wrote more than {MOST_OUTPUT >> 20} MB without an answer"

    def take(self) -> str | None:
        """Return the next line; None if there is none. Raises ValueError if the engine has written too much."""
        if self._excess:
            raise ValueError(self._excess)
        return as_text(self._lines.popleft()) if self._lines else None

    def answered(self) -> None:
        """Begin a new count of what the engine writes."""
        self._size = 0

    def begun(self) -> str:
        return as_text(bytes(self._line)).strip()

    def unasked(self) -> str:
        """Return a move that nobody asked for. All else that an engine says in the meantime is its own affair."""
        found = next((line for line in self._lines if line.startswith(b"bestmove")), b"")
        self._lines.clear()
        return as_text(found)


@dataclass(frozen=True)
class UciOption:
    """An option as the engine declares it."""

    name: str
    kind: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def from_line(cls, line: str) -> "UciOption":
        """Read ``option name Hash type spin default 16 min 1 max 1024``; names may have several words."""
        parts = _OPTION.split(line.partition(" ")[2])
        found: dict[str, list[str]] = {}
        for key, value in zip(parts[1::2], parts[2::2], strict=True):
            found.setdefault(key, []).append(value.strip())
        ends = [found.get(key, [""])[0] for key in ("min", "max")]
        low, high = (int(end) if re.fullmatch(r"-?\d{1,18}", end) else None for end in ends)
        return cls(found.get("name", [""])[0], found.get("type", ["string"])[0], low, high, tuple(found.get("var", ())))

    def check(self, value: Any) -> None:
        """Raise ConfigError if the option cannot have this value."""
        text = option_text(value)
        if self.kind == "spin":
            if not re.fullmatch(r"[+-]?\d{1,18}", text):
                raise ConfigError(f"option {self.name!r} is a whole number, not {text!r}")
            if (self.low is not None and int(text) < self.low) or (self.high is not None and int(text) > self.high):
                raise ConfigError(f"option {self.name!r} is a number from {self.low} to {self.high}, not {text}")
        elif self.kind == "check" and text not in ("true", "false"):
            raise ConfigError(f"option {self.name!r} is true or false, not {text!r}")
        elif self.kind == "combo" and text.lower() not in [choice.lower() for choice in self.choices]:
            raise ConfigError(f"option {self.name!r} cannot be {text!r}: {did_you_mean(text, self.choices)}")


def option_text(value: Any) -> str:
    """Return the value of an option as engines read it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class UciMove:
    """An engine's answer to ``go``."""

    move: str
    score: int | None = None
    """Hundredths of a pawn, from the view of the player to move."""
    depth: int = 0
    nodes: int = 0


class UciProcess(RunningEngine):
    """A running UCI engine. After a PlayerFailed it is closed."""

    def __init__(self, command: Sequence[str], name: str, folder: str | None, startup_timeout: float) -> None:
        self._lines = UciLines()
        super().__init__(command, name, folder, startup_timeout, self._lines)
        self.options: dict[str, UciOption] = {}
        """The declared options by their names in small letters."""
        try:
            self._ask("uci", "uciok", startup_timeout, self._declare)
        except PlayerFailed as error:
            raise PlayerFailed(f"{error}; does it speak UCI?", error.stderr, error.reason) from None

    def _declare(self, line: str) -> None:
        if line.startswith("option "):
            option = UciOption.from_line(line)
            self.options[option.name.lower()] = option

    def set_options(self, options: Mapping[str, Any], timeout: float) -> None:
        """Set the options and wait until the engine is ready. Raises ConfigError if it does not declare one of them."""
        check_options(self.name, self.options, options)
        sent = [_set(self.options[name.lower()], value) for name, value in options.items()]
        self._ask("\n".join([*sent, "isready"]), "readyok", timeout)

    def new_game(self, timeout: float) -> None:
        self._ask("ucinewgame\nisready", "readyok", timeout)

    def go(self, position: str, limit: str, timeout: float) -> UciMove:
        """Return the engine's move in a position; both are given in the words of UCI."""
        facts: dict[str, int] = {}
        last = self._ask(
            f"position {position}\ngo {limit}", "bestmove", timeout, lambda line: facts.update(facts_of(line))
        )
        move = (last.split()[1:] or [""])[0]
        return UciMove(move, facts.get("score"), facts.get("depth", 0), facts.get("nodes", 0))

    def _ask(self, command: str, answer: str, timeout: float, hear: Callable[[str], object] | None = None) -> str:
        """Return the line whose first word is ``answer``, and call ``hear`` with each line before it."""

        def find() -> str | None:
            while (line := self._lines.take()) is not None:
                if line.partition(" ")[0] == answer:
                    return line
                if hear is not None:
                    hear(line)
            return None

        found = self._converse(command, find, timeout)
        self._lines.answered()
        return found


def check_options(name: str, declared: Mapping[str, UciOption], wanted: Mapping[str, Any]) -> None:
    """Raise ConfigError if an engine does not have one of the wanted options, or not with this value."""
    for option, value in wanted.items():
        if option.lower() not in declared:
            known = did_you_mean(option, [o.name for o in declared.values()])
            raise ConfigError(f"engine {name!r} has no option {option!r}: {known}")
        try:
            declared[option.lower()].check(value)
        except ConfigError as error:
            raise ConfigError(f"engine {name!r}: {error}") from None


def _set(option: UciOption, value: Any) -> str:
    return f"setoption name {option.name}" + ("" if option.kind == "button" else f" value {option_text(value)}")


def facts_of(line: str) -> dict[str, int]:
    """Return the numbers of an ``info`` line; no score if it is only a bound or of a second-best line."""
    words = line.split()
    if words[:1] != ["info"] or words[1:2] == ["string"]:
        return {}
    found: dict[str, int] = {}
    for i, word in enumerate(words[:-1]):
        if word == "pv":
            break
        if word in ("depth", "nodes", "multipv", "cp", "mate") and re.fullmatch(r"-?\d{1,15}", words[i + 1]):
            found[word] = int(words[i + 1])
    if found.pop("multipv", 1) != 1 or "lowerbound" in words or "upperbound" in words:
        found.pop("cp", None)
        found.pop("mate", None)
    if "mate" in found:
        mate = max(-MATE, min(MATE, found.pop("mate")))
        found["score"] = MATE - mate if mate > 0 else -MATE - mate
    elif "cp" in found:
        found["score"] = max(-MATE, min(MATE, found["cp"]))
    found.pop("cp", None)
    return found

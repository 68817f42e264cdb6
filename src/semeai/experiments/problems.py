"""Drawn positions with all their good moves: the capturing races and the RAVE problems that come with semeai.

A file is a list of positions, with empty lines between them; lines that begin with # are comments::

    [must-9-1] black 2, white 2, shared 0
    family: must
    komi: 1.5
    good: D3 D2
    race: D3 G3 D2
    XXX.OOOOO
    ...

Black is X and moves first unless ``to move: O`` says otherwise. Lines with other keys are for readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby

from semeai.errors import ConfigError, IllegalMove, did_you_mean
from semeai.games.go.position import LETTERS
from semeai.models import checked
from semeai.suites.suite import PositionLine, SuitePosition

FAMILIES = {
    "must": "Black must play in the race",
    "won": "Black is ahead in the race: good moves are elsewhere",
    "first": "the good move is good only if it is played first",
}
_KEYS = ("family", "komi", "to move", "good", "race", "gnugo")
_NEEDED = ("family", "komi", "good")


@dataclass(frozen=True)
class Problem:
    """A position, the moves that win, and the points of its race."""

    name: str
    about: str
    family: str
    komi: float
    to_move: str
    good: tuple[str, ...]
    race: tuple[str, ...]
    rows: tuple[str, ...]
    known: dict[str, str] = field(default_factory=dict, compare=False)
    """The lines with keys, as they are written."""

    @property
    def size(self) -> int:
        return len(self.rows)

    def position(self, run: int = 0) -> SuitePosition:
        """Return the position for a player; ``run`` is part of its name, on which the seed depends."""
        setup = [
            [colour, LETTERS[column] + str(self.size - row)]
            for stone, colour in (("X", "b"), ("O", "w"))
            for row, cells in enumerate(self.rows)
            for column, cell in enumerate(cells)
            if cell == stone
        ]
        line = {
            "suite": self.family,
            "id": f"{self.name}, run {run}",
            "size": self.size,
            "komi": self.komi,
            "setup": setup,
            "to_move": {"X": "b", "O": "w"}[self.to_move],
            "want": "|".join(self.good),
        }
        return SuitePosition("go", checked(PositionLine, line, self.name))

    def is_in_race(self, move: str) -> bool:
        return move.upper() in self.race


def parse_problems(text: str, place: str) -> tuple[Problem, ...]:
    """Return the positions of a file. Every mistake is a ConfigError that names place, line and value."""
    lines = [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), 1)]
    kept = [(number, line) for number, line in lines if not line.startswith("#")]
    blocks = [list(block) for is_text, block in groupby(kept, key=lambda pair: bool(pair[1])) if is_text]
    found: dict[str, Problem] = {}
    for block in blocks:
        problem = _problem(block, place)
        if problem.name in found:
            raise ConfigError(f"{place}, line {block[0][0]}: position {problem.name!r} is there twice")
        found[problem.name] = problem
    if not found:
        raise ConfigError(f"{place} has no positions")
    return tuple(found.values())


def _problem(block: Sequence[tuple[int, str]], place: str) -> Problem:
    start, title = block[0]
    name, _, about = title[1:].partition("]")
    if not title.startswith("[") or "]" not in title or not name:
        raise ConfigError(f"{place}, line {start}: a position begins with its name, such as [must-9-1], not {title!r}")
    known: dict[str, str] = {}
    rows: list[str] = []
    for number, line in block[1:]:
        key, colon, value = line.partition(":")
        if not colon:
            if set(line) - set("XO."):
                raise ConfigError(f"{place}, line {number}: {line!r} is no row of a board: write X, O and .")
            rows.append(line)
        elif rows or key in known or key not in _KEYS:
            why = "stands below the board" if rows else "is there twice" if key in known else did_you_mean(key, _KEYS)
            raise ConfigError(f"{place}, line {number}: {key!r}: {why}")
        else:
            known[key] = value.strip()
    where = f"{place}, position {name!r}"
    if missing := [key for key in _NEEDED if not known.get(key)]:
        raise ConfigError(f"{where}: {missing[0]!r} is missing")
    if not rows or any(len(row) != len(rows) for row in rows):
        raise ConfigError(f"{where}: the board has {len(rows)} rows, so each must have as many points")
    return _checked(name, about.strip(), known, rows, where)


def _checked(name: str, about: str, known: dict[str, str], rows: Sequence[str], where: str) -> Problem:
    family, to_move = known["family"], known.get("to move", "X")
    if family not in FAMILIES:
        raise ConfigError(f"{where}: family {family!r}: {did_you_mean(family, FAMILIES)}")
    if to_move not in ("X", "O"):
        raise ConfigError(f"{where}: to move: write X or O, not {to_move!r}")
    try:
        komi = float(known["komi"])
    except ValueError:
        raise ConfigError(f"{where}: komi {known['komi']!r} is no number") from None
    good, race = (tuple(known.get(key, "").upper().split()) for key in ("good", "race"))
    problem = Problem(name, about, family, komi, to_move, good, race, tuple(rows), known)
    try:
        board = problem.position().set_up()
        legal = {board.move_to_text(move) for move in board.legal_moves()}
        points = {board.text_to_move(point) for point in race}
    except IllegalMove as error:
        raise ConfigError(f"{where}: {error}") from None
    if wrong := sorted(set(good) - legal):
        raise ConfigError(f"{where}: good: {wrong[0]} is no legal move")
    if len(points) != len(race):
        raise ConfigError(f"{where}: race: a point is there twice")
    return problem


@cache
def own_problems(name: str) -> tuple[Problem, ...]:
    """Return the positions of a file of this package."""
    return parse_problems((files("semeai.experiments") / name).read_text(), name)


def spread_over(problems: Sequence[Problem], runs: int) -> list[tuple[Problem, int]]:
    """Return ``runs`` positions with the number of their run: each problem about equally often."""
    step = max(1.0, len(problems) / runs)
    chosen = [problems[int(i * step)] for i in range(min(runs, len(problems)))]
    return [(chosen[i % len(chosen)], i // len(chosen)) for i in range(runs)]

"""The features of a move in the move model, directly from their description.

A slot has one value per move. It is returned as a set: the kernels do not say which of several equal points a ladder or
an answer takes, and then more than one value is possible.
"""

from dataclasses import dataclass
from functools import cached_property

from reference.go import EMPTY, OFF_BOARD, OTHER, Board, Point, beside
from reference.neighbourhoods import gridcular, seen
from reference.patterns import square_turns
from reference.priors import lines, steps_to_stones
from reference.tactics import (
    answers,
    catches,
    chains_around,
    chains_beside,
    gains_liberties,
    in_atari,
    is_self_atari,
    kills_inside,
    runs_out,
)

FAR = 7
DISTANCES = (3, 4, 5, 6, 7, 8, 9, 10)
RESPONSES = (0, 2, 4)
_REACH = range(-5, 6)
_CELLS = [(dx, dy) for dx in _REACH for dy in _REACH if 0 < gridcular(dx, dy) <= DISTANCES[-1]]
_TURNED = [[square_turns(dx, dy)[turn] for dx, dy in _CELLS] for turn in range(8)]


@dataclass(frozen=True)
class Situation:
    """A board, whose turn it is, and the last two moves; None for a pass or no move."""

    board: Board
    mover: str
    last: Point | None = None
    before: Point | None = None

    @cached_property
    def answers(self) -> set[frozenset[Point]]:
        return answers(self.board, self.mover, self.last)

    @cached_property
    def from_last(self) -> dict[Point, int]:
        return distances(self.board, self.last)

    @cached_property
    def from_before(self) -> dict[Point, int]:
        return distances(self.board, self.before)

    @cached_property
    def phase(self) -> int:
        """The number of stones, as if the board had 19 lines."""
        area = self.board.size**2
        stones = (area - len(self.board.all_of(EMPTY))) * 361 // area
        return sum(stones >= first for first in (20, 50, 100, 160))


def distances(board: Board, start: Point | None) -> dict[Point, int]:
    """Return the distances in the common fate graph up to FAR; points that are not in it are farther."""
    if start is None:
        return {}
    found: dict[Point, int] = {}
    new, steps = {start}, 0
    while new and steps <= FAR:
        for point in new - found.keys():
            whole = {point} if board.cells[point] == EMPTY else board.region(point)
            found |= dict.fromkeys(whole, steps)
        reached = [point for point, d in found.items() if d == steps]
        new = {q for p in reached for q in beside(p) if board.cells[q] != OFF_BOARD and q not in found}
        steps += 1
    return found


def values(situation: Situation, point: Point) -> dict[str, set[int]]:
    """Return the possible values of every slot but ``shape``, for a legal move."""
    return _contacts(situation, point) | _places(situation, point) | _surroundings(situation, point)


def _size_class(chain: set[Point]) -> int:
    return sum(len(chain) >= first for first in (2, 3, 5))


def _contacts(situation: Situation, point: Point) -> dict[str, set[int]]:
    """Return the slots that depend on the chains beside the move: of each kind the greatest value counts."""
    board, mover, last = situation.board, situation.mover, situation.last
    own, others = chains_beside(board, point, mover), chains_beside(board, point, OTHER[mover])
    bad = is_self_atari(board, point, mover)
    most = sum(board.cells[q] == EMPTY for q in beside(point)) + sum(len(board.liberties(c)) - 1 for c in own)
    found: dict[str, list[set[int]]] = {}

    def add(slot: str, chain: set[Point], flags: set[bool], mark: bool, first: int = 1) -> None:
        found.setdefault(slot, []).append({first + 8 * flag + 2 * _size_class(chain) + mark for flag in flags})

    for chain in own:
        touched = last is not None and any(q in chain for q in beside(last))
        n, some = len(board.liberties(chain)), next(iter(chain))
        if n == 1:
            add("extend", chain, {False} if bad else runs_out(board, point, some, mover), touched)
        elif n == 2:
            add("two_liberties", chain, {gains_liberties(board, point, chain)}, touched)
        elif n == 3:
            add("defend_three", chain, {most > 3}, touched)
    n_ataris = 0
    for chain in others:
        just_played = last in chain
        n, some = len(board.liberties(chain)), next(iter(chain))
        if n == 1:
            saves = any(in_atari(board, other) for other in chains_around(board, chain, mover))
            add("capture", chain, {saves}, just_played)
        elif n == 2 and bad:
            found.setdefault("atari", []).append({1})
        elif n == 2:
            n_ataris += 1
            add("atari", chain, catches(board, point, some, mover), just_played, 2)
        elif n == 3:
            add("attack_three", chain, {most >= 3}, just_played)
    slots = ("capture", "extend", "atari", "two_liberties", "attack_three", "defend_three")
    result = {slot: _greatest(found.get(slot, [])) for slot in slots}
    result["self_atari"] = {_self_atari(board, point, mover) if bad else 0}
    result["double_atari"] = {int(n_ataris > 1)}
    result["liberties"] = {min(len(own), 3) * 7 + min(most, 6) if own or others else 0}
    threat = bool(n_ataris) or any(in_atari(board, chain) for chain in others)
    result["ko"] = {0 if board.ko is None else 1 if threat else 2}
    return result


def _greatest(possible: list[set[int]]) -> set[int]:
    found = {0}
    for choices in possible:
        found = {max(a, b) for a in found for b in choices}
    return found


def _self_atari(board: Board, point: Point, mover: str) -> int:
    value = sum(is_self_atari(board, point, mover, stones) for stones in (1, 2, 3, 6))
    return value + 4 * kills_inside(board, point, mover)


def _places(situation: Situation, point: Point) -> dict[str, set[int]]:
    """Return the slots that depend on where the move lies."""
    distance = situation.from_last.get(point, FAR + 1)
    kinds = {0 if not found else 1 if point in found else 2 for found in situation.answers}
    line, other = lines(situation.board.size, point)
    remote = min(steps_to_stones(situation.board, point), 4)
    row = situation.phase * 10 + min(line, 10) - 1
    return {
        "distance": {distance},
        "answer": {kind * 5 + min(distance, 4) for kind in kinds},
        "grid": {grid(point, situation.last)},
        "distance_before": {situation.from_before.get(point, FAR + 1)},
        "grid_before": {grid(point, situation.before)},
        "line": {row * 5 + int(remote)},
        "place": {row * 12 + min(other, 12) - 1},
    }


def _surroundings(situation: Situation, point: Point) -> dict[str, set[int]]:
    """Return the slots of the empty region, and of the stones up to distance 7."""
    board, mover = situation.board, situation.mover
    region = board.region(point)
    touching = {board.cells[q] for p in region for q in beside(p)} - {EMPTY, OFF_BOARD}
    whose = 0 if touching == {mover} else 1 if touching == {OTHER[mover]} else 2
    length = sum(len(region) >= first for first in (2, 3, 5, 8, 16))
    near = [board.cells.get((point[0] + dy, point[1] + dx)) for dx, dy in _CELLS if gridcular(dx, dy) <= 7]
    own, other = (min(near.count(color), 7) for color in (mover, OTHER[mover]))
    return {"region": {whose * 6 + length}, "stones": {64 * (situation.phase >= 3) + own * 8 + other}}


def grid(point: Point, earlier: Point | None) -> int:
    """Return the gridcular distance from an earlier move, at most 18; 19 if there is none."""
    if earlier is None:
        return 19
    return min(gridcular(point[1] - earlier[1], point[0] - earlier[0]), 18)


class Shapes:
    """The texts of the shapes around a move. Two shapes are equal if their texts are."""

    def __init__(self, situation: Situation, point: Point) -> None:
        self._situation = situation
        self._row, self._column = point
        self._letters = {
            (dx, dy): seen(situation.board, (self._row + dy, self._column + dx), situation.mover, beside=False)
            for dx, dy in _CELLS
        }

    def shape(self, size: int) -> str:
        """Return the text of the shape of a size, 0 for 3x3."""
        return self._text(size, None)

    def response(self, size: int) -> str | None:
        """Return the text of a shape with the place of the last move; None if that is too far away."""
        return self._with(size, self._situation.last)

    def before(self) -> str | None:
        """Return the text of the 3x3 shape with the place of the last move but one; None if that is too far away."""
        return self._with(0, self._situation.before)

    def all(self) -> list[str | None]:
        """Return all texts, in the order of the kernels' keys."""
        texts = [self.shape(size) for size in range(1, len(DISTANCES))]
        return [*texts, *(self.response(size) for size in RESPONSES), self.before()]

    def _with(self, size: int, earlier: Point | None) -> str | None:
        if earlier is None:
            return None
        place = (earlier[1] - self._column, earlier[0] - self._row)
        return self._text(size, place) if gridcular(*place) <= DISTANCES[-1] else None

    def _text(self, size: int, place: tuple[int, int] | None) -> str:
        """Write the cells of a size in each of the eight turns, with a mark at the place; the first text counts."""
        inside = {cell: self._letters[cell] if gridcular(*cell) <= DISTANCES[size] else "" for cell in _CELLS}
        if place in inside:
            inside[place] += "!"
        return min(",".join(inside[cell] for cell in cells) for cells in _TURNED)

"""Exact play on a settled board: a few fights in which both may still play, and the best score of their sum.

All stones outside the fights are alive for ever, so a fight is a small board of its own. A position of a fight is a
text with one cell per point: ``X``, ``O`` or ``.``. What is unclear is given to one side; with the other side's turn
that bounds the exact result. Fights that can repeat a position are refused.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from reference.go import BLACK, EMPTY, OFF_BOARD, OTHER, WHITE, Board, Point, beside

SIGN = {BLACK: 1, WHITE: -1}


class Unclear(Exception):
    """The exact result cannot be told: a ko, or a capture after which a side may still live or die."""


class Settled(NamedTuple):
    """The rest of a fight after one of its main chains was captured: points that are worth one to who takes them."""

    score: int
    n_dame: int
    winner: str


class Fight:
    """A fight on a board. ``points``: where stones may still change; ``main``: a stone of each racing chain, if any.

    ``doubt``: who gets all points if it is not clear that the winner of the race lives.
    """

    def __init__(self, board: Board, points: Iterable[Point], main: Sequence[Point] = (), doubt: str = BLACK) -> None:
        self.doubt = doubt
        self.had_doubts = False
        self.points = sorted(points)
        self.index = {p: i for i, p in enumerate(self.points)}
        self.beside = [tuple(self.index[q] for q in beside(p) if q in self.index) for p in self.points]
        outside = [[board.cells[q] for q in beside(p) if q not in self.index] for p in self.points]
        if any(EMPTY in cells for cells in outside):
            raise ValueError("a fight must be enclosed by stones")
        self.outside = [frozenset(cells) - {OFF_BOARD} for cells in outside]
        self.start = "".join(board.cells[p] for p in self.points)
        self.main = [self.index[p] for p in main]
        self._options: dict[tuple[str, str], list[str | Settled]] = {}

    @cached_property
    def classes(self) -> list[list[int]]:
        """Empty points that play the same part: a stone on one of them takes a liberty of the same chains.

        Only points that both sides can fill without an approach move, and that are liberties of one main chain.
        """
        found: dict[int, list[int]] = {}
        for i, cell in enumerate(self.start):
            stones = [j for j in self.beside[i] if self.start[j] != EMPTY and not self._lives(j)]
            chains = {min(self.chain(self.start, j)) for j in stones}
            colors = self.outside[i] | {self.start[j] for j in self.beside[i] if self._lives(j)}
            if cell == EMPTY and len(chains) == 1:
                owner = self.start[stones[0]]
                if colors == {OTHER[owner]} and OTHER[owner] in self.outside[i] and self._is_main(stones[0]):
                    found.setdefault(chains.pop(), []).append(i)
        return [group for group in found.values() if len(group) > 1]

    def _lives(self, i: int) -> bool:
        return self.start[i] != EMPTY and self.is_safe(self.start, self.chain(self.start, i))

    def _is_main(self, i: int) -> bool:
        return bool(set(self.main) & self.chain(self.start, i))

    def sorted(self, state: str) -> str:
        """Return the state that stands for all that differ only by points of the same class."""
        cells = list(state)
        for group in self.classes:
            for i, cell in zip(group, sorted(state[i] for i in group), strict=True):
                cells[i] = cell
        return "".join(cells)

    def chain(self, state: str, i: int) -> set[int]:
        found, waiting = {i}, [i]
        while waiting:
            for j in self.beside[waiting.pop()]:
                if j not in found and state[j] == state[i]:
                    found.add(j)
                    waiting.append(j)
        return found

    def is_safe(self, state: str, chain: set[int]) -> bool:
        """Return whether a chain is connected with the living stones outside."""
        return any(state[i] in self.outside[i] for i in chain)

    def breathes(self, state: str, chain: set[int]) -> bool:
        return self.is_safe(state, chain) or any(state[j] == EMPTY for i in chain for j in self.beside[i])

    def options(self, state: str, color: str) -> list[str | Settled]:
        """Return the different positions that a move of ``color`` can lead to."""
        key = state, color
        if key not in self._options:
            skipped = {i for group in self.classes for i in [j for j in group if state[j] == EMPTY][1:]}
            moves = [i for i, cell in enumerate(state) if cell == EMPTY and i not in skipped]
            found = dict.fromkeys(self.play(state, i, color) for i in moves)
            self._options[key] = [new for new in found if new is not None]
        return self._options[key]

    def play(self, state: str, i: int, color: str) -> str | Settled | None:
        """Return the fight after a move; None if it is suicide. Ko is not looked at."""
        new = state[:i] + color + state[i + 1 :]
        captured: set[int] = set()
        for j in self.beside[i]:
            if new[j] == OTHER[color] and j not in captured and not self.breathes(new, chain := self.chain(new, j)):
                captured |= chain
        new = "".join(EMPTY if j in captured else cell for j, cell in enumerate(new))
        if not self.breathes(new, self.chain(new, i)):
            return None
        if captured & set(self.main):
            try:
                return self._after_race(new, color, captured)
            except Unclear:
                self.had_doubts = True
                return Settled(SIGN[self.doubt] * len(new), 0, self.doubt)
        return self.sorted(new)

    def _after_race(self, state: str, color: str, captured: set[int]) -> Settled:
        """Return what is left after ``color`` has captured a main chain. Raises Unclear if not all of it is settled.

        The winner's stones around the captured ones must be connected, or have two ways to connect; and the loser must
        have no room for two eyes there: all points that could be one lie together, at most two.
        """
        enemy = OTHER[color]
        winners = [i for i, cell in enumerate(state) if cell == color]
        alive = {i for i in winners if self.is_safe(state, self.chain(state, i))}
        for i in winners:
            chain = self.chain(state, i)
            links = {j for k in chain for j in self.beside[k] if j in captured}
            ways = [j for j in links if color in self.outside[j] or alive & set(self.beside[j])]
            if i in self.main_of(state, color) and (len(ways) >= 2 or self._has_lane(links, captured, alive, color)):
                alive |= chain
        if not self.main_of(state, color) <= alive:
            raise Unclear("the winner of the race may be cut off")
        space = self._around(state, captured)
        eyes = [i for i in space if color not in self.outside[i] and not alive & set(self.beside[i])]
        if len(eyes) > 2 or (len(eyes) == 2 and eyes[1] not in self.beside[eyes[0]]):
            raise Unclear("the loser of the race may live in the room of its captured stones")
        if any(enemy in self.outside[i] for i in space):
            raise Unclear("the room of the captured stones is not closed")
        score, dame = 0, 0
        for i, cell in enumerate(state):
            if i in space or i in alive or (cell == EMPTY and enemy not in self.outside[i]):
                score += SIGN[color]
            elif cell == EMPTY:
                dame += 1
            elif cell == enemy and self.is_safe(state, self.chain(state, i)):
                score += SIGN[enemy]
            elif cell == enemy and not self.may_escape(state, i):
                score += SIGN[color]
            else:
                raise Unclear("stones beside the race are neither connected nor dead")
        return Settled(score, dame, color)

    def _has_lane(self, links: set[int], captured: set[int], alive: set[int], color: str) -> bool:
        """Return whether a chain at ``links`` is only two points away from living stones, on four points in a row.

        Then it can be connected though the opponent moves first: ``tests/reference`` proves it by search.
        """
        safe = {k for k in captured if color in self.outside[k] or alive & set(self.beside[k])}
        pairs = {(self.points[j], self.points[k]) for j in links for k in safe & set(self.beside[j])}
        for (r, c), (row, column) in pairs:
            for dr, dc in ((0, 1), (1, 0)):
                lane = [((r + i * dr, c + i * dc), (row + i * dr, column + i * dc)) for i in range(4)]
                if all(pair in pairs for pair in lane):
                    return True
        return False

    def main_of(self, state: str, color: str) -> set[int]:
        return {i for i in self.main if self.start[i] == color and state[i] == color}

    def _around(self, state: str, captured: set[int]) -> set[int]:
        """Return the captured points, with stones of the winner that stand alone among them."""
        found = set(captured)
        for i, cell in enumerate(state):
            if cell != EMPTY and not self.outside[i] and set(self.beside[i]) <= captured | {i}:
                found.add(i)
        return found

    def may_escape(self, state: str, i: int) -> bool:
        """Return whether stones that are cut off touch an empty point beside their friends outside."""
        liberties = {j for k in self.chain(state, i) for j in self.beside[k] if state[j] == EMPTY}
        return any(state[i] in self.outside[j] for j in liberties)

    def is_closed(self, state: str) -> bool:
        """Return whether nothing can change any more: all stones live, and no empty point is of use to both sides.

        An empty point beside living stones of one colour can never be an eye of the other colour.
        """
        owners: dict[int, str] = {}
        for i, cell in enumerate(state):
            if cell == EMPTY:
                colors = self.outside[i] | {state[j] for j in self.beside[i]} - {EMPTY}
                if len(colors) != 1:
                    return False
                owners[i] = next(iter(colors))
            elif not self.is_safe(state, self.chain(state, i)):
                return False
        return all(owners.get(j, color) == color for i, color in owners.items() for j in self.beside[i])

    def score(self, state: str) -> int:
        """Return Black's area minus White's among the points of the fight."""
        total, seen = 0, set[int]()
        for i, cell in enumerate(state):
            if cell != EMPTY:
                total += SIGN[cell]
            elif i not in seen:
                region = self.chain(state, i)
                seen |= region
                reached = {state[k] for j in region for k in self.beside[j]} | {
                    c for j in region for c in self.outside[j]
                }
                reached -= {EMPTY}
                total += SIGN[reached.pop()] * len(region) if len(reached) == 1 else 0
        return total


Part = tuple[int, str]  # number of a fight, and its state


class Sum:
    """Several fights at once: the best score for both sides, by search of everything that they can do."""

    def __init__(self, fights: Sequence[Fight]) -> None:
        self.fights = fights
        self.start = tuple((number, fight.sorted(fight.start)) for number, fight in enumerate(fights))
        self._known: dict[tuple[tuple[Part, ...], int, str, bool], int] = {}
        self._under_way: set[tuple[tuple[Part, ...], int, str, bool]] = set()

    def value(self, parts: tuple[Part, ...], dame: int, color: str, passed: bool = False) -> int:
        """Return Black's best score in the rest of the game. ``passed``: whether the last move was a pass."""
        key = parts, dame, color, passed
        if key in self._known:
            return self._known[key]
        if key in self._under_way:
            raise Unclear("a position can be repeated")
        self._under_way.add(key)
        if not parts:  # only points of dame are left: they are taken in turn
            found = SIGN[color] * (dame % 2)
        else:
            values = [self._passing(parts, dame, color, passed)]
            for at, (number, state) in enumerate(parts):
                for new in self.fights[number].options(state, color):
                    values.append(self.after(parts, at, new, dame, color))
            if dame:
                values.append(SIGN[color] + self.value(parts, dame - 1, OTHER[color]))
            found = max(values) if color == BLACK else min(values)
        self._under_way.discard(key)
        self._known[key] = found
        return found

    def _passing(self, parts: tuple[Part, ...], dame: int, color: str, passed: bool) -> int:
        if passed:
            return sum(self.fights[number].score(state) for number, state in parts)
        return self.value(parts, dame, OTHER[color], True)

    def after(self, parts: tuple[Part, ...], at: int, new: str | Settled, dame: int, color: str) -> int:
        """Return the value of a move of ``color`` that turned the fight at ``parts[at]`` into ``new``."""
        others = parts[:at] + parts[at + 1 :]
        if isinstance(new, Settled):
            return new.score + self.value(others, dame + new.n_dame, OTHER[color])
        fight = self.fights[parts[at][0]]
        if EMPTY not in new or fight.is_closed(new):
            return fight.score(new) + self.value(others, dame, OTHER[color])
        return self.value((*parts[:at], (parts[at][0], new), *parts[at + 1 :]), dame, OTHER[color])


def race_result(fight: Fight, color: str) -> int:
    """Return how a race ends with ``color`` to move: 1 if Black captures White's main chain, -1 if White does, else 0.

    Both sides play only there, and may pass.
    """
    known: dict[tuple[str, str, bool], int] = {}

    def result(state: str, color: str, passed: bool) -> int:
        key = state, color, passed
        if key not in known:
            known[key] = -2  # under way
            values = [0 if passed else result(state, OTHER[color], True)]
            for new in fight.options(state, color):
                values.append(SIGN[new.winner] if isinstance(new, Settled) else result(new, OTHER[color], False))
            known[key] = max(values) if color == BLACK else min(values)
        if known[key] == -2:
            raise Unclear("a position can be repeated")
        return known[key]

    return result(fight.sorted(fight.start), color, False)

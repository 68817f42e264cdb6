"""Capturing races by exhaustive search of the whole board: every legal move of both players, and a pass.

A board is two sets of points as bits, the prover's stones and the opponent's. The opponent may always retake a ko, the
prover never at once.
"""

from functools import cache
from typing import NamedTuple

from semeai.games.go.kernels.board import PASS
from semeai.games.go.kernels.race_search import SLACK
from semeai.games.go.position import GoPosition
from semeai.games.go.races import Race

COLOURS = ("black", "white")
Stones = int
"""A set of points: bit ``row * size + column``."""

Known = dict[tuple[Stones, Stones, Stones, bool], tuple[int, int]]
"""By both sets, ko and whose turn it is: the largest number of moves that fails, and the smallest that wins."""


class RaceReader:
    """Answers whether a player captures a chain before a chain of his own is captured."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.full = (1 << size * size) - 1
        self._not_left = sum(1 << r * size + c for r in range(size) for c in range(size) if c)
        self._not_right = sum(1 << r * size + c for r in range(size) for c in range(size) if c < size - 1)
        self.beside = cache(self._beside)
        self._of_race: dict[tuple[Stones, Stones], Known] = {}
        self._known: Known = {}

    def _beside(self, stones: Stones) -> Stones:
        """Return the points beside a set, and some of the set itself."""
        sides = (stones & self._not_right) << 1 | (stones & self._not_left) >> 1
        return (sides | stones << self.size | stones >> self.size) & self.full

    def chain(self, point: Stones, stones: Stones) -> Stones:
        """Return the chain of ``point`` among the stones of its colour."""
        found, grown = 0, point
        while found != grown:
            found = grown
            grown = found | self.beside(found) & stones
        return found

    def liberties(self, chain: Stones, empty: Stones) -> Stones:
        return self.beside(chain) & empty

    def played(self, own: Stones, other: Stones, point: Stones) -> tuple[Stones, Stones, Stones] | None:
        """Return both sets after a move, and the point of a ko (0: none); None for suicide."""
        own |= point
        around, captured = self.beside(point) & other, 0
        while around:
            chain = self.chain(around & -around, other)
            around &= ~chain
            if not self.liberties(chain, self.full & ~own & ~other):
                captured |= chain
        other &= ~captured
        chain = self.chain(point, own)
        liberties = self.liberties(chain, self.full & ~own & ~other)
        if not liberties:
            return None
        alone = chain == point and captured.bit_count() == 1 and liberties.bit_count() == 1
        return own, other, captured if alone else 0

    def points(self, stones: Stones) -> list[Stones]:
        found = []
        while stones:
            found.append(stones & -stones)
            stones &= stones - 1
        return found

    def captures(self, own: Stones, other: Stones, target: Stones, mine: Stones, first: bool, moves: int) -> bool:
        """Return whether the prover captures ``target`` within ``moves`` of his moves, before ``mine`` is captured."""
        self._known = self._of_race.setdefault((target, mine), {})
        return self._captures(own, other, 0, target, mine, first, moves)

    def _captures(
        self, own: Stones, other: Stones, ko: Stones, target: Stones, mine: Stones, first: bool, moves: int
    ) -> bool:
        if not other & target:
            return True
        if not own & mine or moves == 0:
            return False
        empty = self.full & ~own & ~other
        goal = self.liberties(self.chain(target, other), empty)
        if goal.bit_count() > moves:  # each of his moves takes one at most
            return False
        key = own, other, ko, first
        fails, wins = self._known.get(key, (-1, 1 << 30))
        if moves <= fails:
            return False
        if moves >= wins:
            return True
        if first:
            points = self.points(empty & ~ko & goal) + self.points(empty & ~ko & ~goal) + [0]
            result = any(self._after_prover(own, other, p, target, mine, moves - 1) for p in points)
        else:
            result = all(self._after_opponent(own, other, p, target, mine, moves) for p in [0, *self.points(empty)])
        self._known[key] = (fails, moves) if result else (moves, wins)
        return result

    def _after_prover(self, own: Stones, other: Stones, p: Stones, target: Stones, mine: Stones, moves: int) -> bool:
        after = self.played(own, other, p) if p else (own, other, 0)
        return after is not None and self._captures(after[0], after[1], 0, target, mine, False, moves)

    def _after_opponent(self, own: Stones, other: Stones, p: Stones, target: Stones, mine: Stones, moves: int) -> bool:
        after = self.played(other, own, p) if p else (other, own, 0)
        return after is None or self._captures(after[1], after[0], after[2], target, mine, True, moves)


def stones_of(position: GoPosition, player: int) -> Stones:
    size, colors = position.size, position.colors
    return sum(1 << r * size + c for r in range(size) for c in range(size) if colors[r][c] == player + 1)


def bit_of(position: GoPosition, point: int) -> Stones:
    row, column = divmod(point, position.size + 1)
    return 1 << (row - 1) * position.size + column - 1


class Mistakes(NamedTuple):
    """What the exhaustive search refutes of an answer."""

    outcomes: list[str]
    false_moves: list[str]
    """Moves that are told to win and lose."""
    left_out: list[str]
    """Moves that win and are told to lose."""


def mistakes(position: GoPosition, race: Race) -> Mistakes:
    """Return what the solver says of a race and the exhaustive search refutes."""
    reader = RaceReader(position.size)
    stones = [stones_of(position, player) for player in (0, 1)]
    chains = [bit_of(position, race.black), bit_of(position, race.white)]
    within = [race.white_liberties + SLACK, race.black_liberties + SLACK]
    found = Mistakes([], [], [])
    for first, outcome in enumerate((race.black_first, race.white_first)):
        if outcome in COLOURS:
            winner = COLOURS.index(outcome)
            other = 1 - winner
            arguments = stones[winner], stones[other], chains[other], chains[winner], first == winner
            if not reader.captures(*arguments, within[winner]):
                found.outcomes.append(f"{COLOURS[first]} first: {outcome}")
    if not race.is_urgent:
        return found
    moves = (race.black_moves, race.white_moves), (race.black_unclear, race.white_unclear)
    for player, said, unclear in zip((0, 1), *moves, strict=True):
        other = 1 - player
        for move in map(int, position.legal_moves_of(player)):
            if move in unclear:
                continue
            own, rest = stones[player], stones[other]
            if move != PASS:
                after = reader.played(own, rest, bit_of(position, move))
                assert after is not None
                own, rest, _ = after
            wins = reader.captures(own, rest, chains[other], chains[player], False, within[player])
            if wins != (move in said):
                kind = found.left_out if wins else found.false_moves
                kind.append(f"{COLOURS[player]} {position.move_to_text(move)}")
    return found

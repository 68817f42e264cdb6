"""Build ``src/semeai/experiments/rave_problems.txt``: positions whose only good move is good only if played first.

A white chain is enclosed by Black's living stones and encloses a room of a few points. All fillings of the room are
solved at once, by retrograde analysis without a rule for repetitions: a win is counted if it can be forced in a finite
number of moves, and a position is taken if every first move is a forced win or a forced loss. So the labels do not
depend on ko rules. Black wins if he captures the chain. Of these positions, those are kept in which exactly one move
wins, and in which it seldom wins two moves later: in at most ``LATER`` of the continuations that can still be won.

    python tools/build_rave_problems.py src/semeai/experiments/rave_problems.txt --seed 1
"""

import argparse
import random
import sys
from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from reference.go import BLACK, EMPTY, OTHER, WHITE, Board, Point, empty_cells
from reference.local_games import Fight, Settled

from tools.build_semeai import Labelled, Layout, Plan, lives, n_eyes, name_of, open_up, settled_score, turned

LATER = 0.5
SIZE, EDGE = 9, 7
ROOMS = {
    "corner, two by three": ["...", "..."],
    "corner, two by four": ["....", "...."],
    "corner, bent": ["....", "..", ".."],
    "corner, three by two": ["...", "...", "."],
    "edge, two by three": ["#", "...", "..."],
    "edge, two by four": ["#", "....", "...."],
    "edge, bent": ["#", "....", "..", "."],
    "corner, stairs": ["....", "...", "."],
    "edge, stairs": ["#", "...", "...", ".."],
    "edge, hook": ["#", "....", "...", "."],
    "corner, three by three": ["...", "...", ".."],
}
"""Rooms from the top left corner, or from the second row on; # is a row of the wall."""
HEADER = """# Positions whose only good move is good only if played first, as in Figure 1 of the MCTS paper (left).
# White's chain lives or dies (a seki counts as life). Area scoring, dead stones must be captured.
# Two moves later the good move wins in "later" of the continuations that can still be won; labels by exhaustive search.
# Written by tools/build_rave_problems.py; do not edit.
"""


class Node(NamedTuple):
    """A filling of the region, who moves, and whether the last move was a pass."""

    state: str
    color: str
    passed: bool


class Room(Fight):
    """A fight for the life of a white chain, the wall of a room. Its capture ends it."""

    def _after_race(self, state: str, color: str, captured: set[int]) -> Settled:
        """Return Black's win; White's if a black stone inside has fewer than two ways out, which is unclear."""
        inside = [i for i, cell in enumerate(state) if cell == BLACK and not self.is_safe(state, self.chain(state, i))]
        for i in inside:
            ways = {
                j for k in self.chain(state, i) for j in self.beside[k] if j in captured and BLACK in self.outside[j]
            }
            if len(ways) < 2:
                return Settled(0, 0, WHITE)
        return Settled(len(state), 0, BLACK)


class Solved:
    """All fillings of a room. Black wins if he captures its wall."""

    def __init__(self, fight: Room, room: list[Point]) -> None:
        self.fight = fight
        places = [fight.index[p] for p in room]
        self.successors: dict[Node, list[Node]] = {}
        self.before: dict[Node, list[Node]] = {}
        ends: dict[Node, str] = {}
        captures: set[Node] = set()
        any_capture: set[Node] = set()
        for cells in product(BLACK + WHITE + EMPTY, repeat=len(room)):
            filling = dict(zip(places, cells, strict=True))
            state = "".join(filling.get(i, WHITE) for i in range(len(fight.points)))
            if not all(cell == EMPTY or fight.breathes(state, fight.chain(state, i)) for i, cell in enumerate(state)):
                continue
            for color, passed in product((BLACK, WHITE), (False, True)):
                node = Node(state, color, passed)
                options = fight.options(state, color)
                found = [Node(new, OTHER[color], False) for new in options if isinstance(new, str)]
                settled = [new.winner for new in options if isinstance(new, Settled)]
                if settled:
                    any_capture.add(node)
                if BLACK in settled:
                    captures.add(node)
                if passed:
                    ends[node] = WHITE
                else:
                    found.append(Node(state, OTHER[color], True))
                self.successors[node] = found
                for new in found:
                    self.before.setdefault(new, []).append(node)
        self.wins = {
            BLACK: self._wins(BLACK, dict.fromkeys(captures, BLACK)),
            WHITE: self._wins(WHITE, ends, any_capture),
        }

    def _wins(self, winner: str, ends: dict[Node, str], lost: Collection[Node] = ()) -> set[Node]:
        """Return the positions that ``winner`` wins by force: the smallest set with all positions that lead into it."""
        passes = {node: node.passed for node in self.successors}  # the second pass ends the game, White's chain alive
        left = {node: len(found) + passes[node] + (node in lost) for node, found in self.successors.items()}
        won: set[Node] = set()
        waiting: list[Node] = []

        def reached(node: Node) -> None:
            left[node] -= 1
            if node not in won and (node.color == winner or left[node] == 0):
                won.add(node)
                waiting.append(node)

        for node in ends:
            reached(node)
        while waiting:
            for node in self.before.get(waiting.pop(), ()):
                reached(node)
        return won

    def winning_moves(self, state: str, color: str) -> list[int] | None:
        """Return the points where ``color`` wins by force; None if a first move is neither a win nor a loss."""
        found = []
        passing = Node(state, OTHER[color], True)
        if passing not in self.wins[OTHER[color]]:
            return None
        for i, cell in enumerate(state):
            if cell == EMPTY and (new := self.fight.play(state, i, color)) is not None:
                after = Node(str(new), OTHER[color], False)
                if after in self.wins[color] or (isinstance(new, Settled) and new.winner == BLACK):
                    found.append(i)
                elif after not in self.wins[OTHER[color]]:
                    return None
        return found

    def share_later(self, state: str, color: str, move: int) -> float:
        """Return in what part of the continuations by two moves, still to be won, ``move`` wins."""
        open_ones = good = 0
        for first in self.successors[Node(state, color, False)]:
            for second in self.successors.get(first, ()):
                if second.color == color and (wins := self.winning_moves(second.state, color)):
                    open_ones += 1
                    good += move in wins
        return good / open_ones if open_ones else 1.0


def room_layout(rows: list[str], rng: random.Random) -> tuple[Layout, list[Point], list[Point]]:
    """Return a board with an empty room, the points of the room, and those of its wall."""
    top = 2 if rows[0] == "#" else 0
    room = [(top + r, c) for r, row in enumerate(rows[1:] if top else rows) for c in range(len(row))]
    around = {(r + dr, c + dc) for r, c in room for dr, dc in product((-1, 0, 1), repeat=2)} - set(room)
    wall = sorted((r, c) for r, c in around if r >= 0 and c >= 0)
    board = Layout(SIZE, EDGE)
    for r, c in product(range(SIZE), repeat=2):
        board.cells[r, c] = BLACK if c < EDGE else WHITE
    board.cells |= dict.fromkeys(room, EMPTY) | dict.fromkeys(wall, WHITE)
    board.fights.append(({*room, *wall}, []))
    while True:
        trial = Layout(SIZE, EDGE, dict(board.cells), board.fights)
        open_up(trial, 0.2, rng)
        if all(n_eyes(trial, color) >= 2 and lives(trial, color) for color in (BLACK, WHITE)):
            return trial, room, wall


def problems_of(name: str, wanted: int, rng: random.Random) -> Iterator[tuple[Labelled, str, float]]:
    """Yield positions with the colour to move and the share of ``Solved.share_later``, smallest shares first."""
    layout, room, wall = room_layout(ROOMS[name], rng)
    board = Board(SIZE, empty_cells(SIZE) | layout.cells)
    fight = Room(board, [*room, *wall], wall[:1])
    solved = Solved(fight, room)
    candidates = []
    for state in sorted({node.state for node in solved.successors if node.state.count(EMPTY) >= 3}):
        for color in (BLACK, WHITE):
            if (wins := solved.winning_moves(state, color)) and len(wins) == 1:
                later = solved.share_later(state, color, wins[0])
                if later <= LATER:
                    candidates.append((later, rng.random(), state, color, wins[0]))
    shapes: set[tuple[int, str, int]] = set()
    for later, _, state, color, move in sorted(candidates):
        shape = move, color, state.count(EMPTY)
        if shape not in shapes and len(shapes) < wanted:
            shapes.add(shape)
            cells = board.cells | dict(zip(fight.points, state, strict=True))
            komi = settled_score(layout) + len(state) - 0.5
            found = Labelled(Plan(name, SIZE, (0, 0)), Board(SIZE, cells), komi, [fight.points[move]], [], [])
            yield turned(found, rng.randrange(8)), color, later


def as_text(found: Labelled, name: str, color: str, later: float) -> str:
    lines = [
        f"[{name}] {found.plan.family}; later {later:.0%}",
        "family: first",
        f"komi: {found.komi}",
        f"to move: {color}",
        f"good: {name_of(found.good[0], SIZE)}",
    ]
    return "\n".join([*lines, found.board.draw(), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the positions whose good move is good only if played first.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    written: list[str] = []
    for name in ROOMS:
        for problem in problems_of(name, 6, random.Random(f"{options.seed} {name}")):
            written.append(as_text(problem[0], f"first-{len(written) + 1}", *problem[1:]))
        print(name, len(written), flush=True)
    options.output.write_text("\n".join([HEADER, *written]))


if __name__ == "__main__":
    main()

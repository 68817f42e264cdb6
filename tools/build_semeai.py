"""Build the test bed of capturing races, ``src/semeai/experiments/semeai.txt``: generate positions, label them exactly.

A border runs down the board between Black's living stones and White's. At its lower end it is a race: a chain of each
colour, cut off from its friends. On the rest of the border are stakes: small fights of known size. Every good move is
found by a search of everything that both sides can do in the race and the stakes (``reference.local_games``).

    python tools/build_semeai.py src/semeai/experiments/semeai.txt --seed 1
"""

import argparse
import random
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from reference.go import BLACK, EMPTY, OFF_BOARD, WHITE, Board, Point, beside, empty_cells
from reference.local_games import Fight, Sum, Unclear, race_result

LETTERS = "ABCDEFGHJKLMNOPQRST"
TRIES = 25
GNUGO = "gnugo --level 10"
HEADER = """# Capturing races on settled boards: Black (X) to play, area scoring, dead stones must be captured.
# Families: "must" (Black has to play in the race) and "won" (Black is ahead: playing there wastes a move).
# good: every move that wins, by search of everything that both sides can do. race: the points of the race.
# Written by tools/build_semeai.py; do not edit.
"""


@dataclass(frozen=True)
class Plan:
    """What a position shall be like."""

    family: str
    size: int
    liberties: tuple[int, int]
    """Exclusive liberties of Black's and of White's chain, without eyes."""
    shared: int = 0
    eyes: tuple[int, int] = (0, 0)
    """Points in an eye of Black's and of White's chain."""
    width: int = 1
    """Width of the chains."""
    open: float = 0.0
    """Part of the living stones' own points that are left empty."""
    stakes: tuple[str, ...] = ("capture 1",)


@dataclass
class Layout:
    """A board that is being drawn, with its border between columns ``edge - 1`` and ``edge``."""

    size: int
    edge: int
    cells: dict[Point, str] = field(default_factory=dict)
    fights: list[tuple[set[Point], list[Point]]] = field(default_factory=list)


@dataclass(frozen=True)
class Labelled:
    plan: Plan
    board: Board
    komi: float
    good: list[Point]
    race: list[Point]
    main: list[Point]
    """A stone of Black's racing chain, and one of White's."""
    gnugo: str = ""


def draw(plan: Plan, rng: random.Random) -> Layout | None:
    """Return a board as planned, or None if there is no room."""
    n, width = plan.size, plan.width
    most = max(*map(_rows_of, plan.liberties, plan.eyes), 2 * plan.shared + 1)
    most += 2 if plan.shared and width == 1 else 0
    room = n - 3 * len(plan.stakes)
    if most > room:
        return None
    rows = rng.randint(low := min(max(most, 6 if width > 1 else 0), room), max(low, min(most + 3, room)))
    edge = rng.randint(n // 2 - 1, n // 2 + 1)
    if edge - width < 2 or edge + width > n - 2:
        return None
    board = Layout(n, edge)
    for r in range(n):
        for c in range(n):
            board.cells[r, c] = BLACK if c < edge else WHITE
    if not _draw_race(board, plan, rows, rng):
        return None
    tops = list(range(0, n - rows - 2, 3))
    for stake, top in zip(plan.stakes, sorted(rng.sample(tops, len(plan.stakes))), strict=True):
        _draw_stake(board, stake, top)
    open_up(board, plan.open, rng)
    return board


def _rows_of(liberties: int, eye: int) -> int:
    return liberties + (eye + 1 if eye else 0)


def _draw_race(board: Layout, plan: Plan, rows: int, rng: random.Random) -> bool:
    n, edge, width = board.size, board.edge, plan.width
    low = range(n - rows, n)
    black, white = range(edge, edge + width), range(edge - width, edge)
    outer = {BLACK: edge + width, WHITE: edge - width - 1}  # columns of the exclusive liberties
    last = {BLACK: edge + width - 1, WHITE: edge - width}  # outer column of each chain
    for r in low:
        for c in black:
            board.cells[r, c] = BLACK
        for c in white:
            board.cells[r, c] = WHITE
        board.cells[r, outer[BLACK]] = WHITE
        board.cells[r, outer[WHITE]] = BLACK
    for r in (n - rows - 1,):
        for c in range(edge - width - 1, edge + width + 1):
            board.cells[r, c] = BLACK if c < edge else WHITE
    points = {(r, c) for r in low for c in range(edge - width - 1, edge + width + 1)}
    free = {BLACK: list(low), WHITE: list(low)}
    if plan.shared and width == 1:  # in the last row, where the border moves aside
        board.cells[n - 1, edge] = EMPTY
        for r in (n - 2, n - 1):
            board.cells[r, edge + 1] = BLACK
            free[BLACK].remove(r)
    for color, size in zip((BLACK, WHITE), plan.eyes, strict=True):
        if size:
            first = rng.choice([n - size, rng.randint(n - rows + 1, n - size)])
            for r in range(first, first + size):
                board.cells[r, last[color]] = EMPTY
            for r in range(first - 1, first + size):  # stones around the eye
                board.cells[r, outer[color]] = color
                free[color].remove(r)
    for color, count in zip((BLACK, WHITE), plan.liberties, strict=True):
        if count > len(free[color]):
            return False
        for r in rng.sample(free[color], count):
            board.cells[r, outer[color]] = EMPTY
    inner = [(r, c) for r in low for c in (edge - 1, edge)]
    if width > 1:
        taken: set[int] = set()
        for _ in range(plan.shared):
            holes = [p for p in inner if p[0] not in taken and _may_be_hole(board, p, n - rows)]
            if not holes:
                return False
            r, c = rng.choice(holes)
            taken |= {r - 1, r, r + 1}
            board.cells[r, c] = EMPTY
    anchors = [(n - rows, edge), (n - rows, edge - 1)]
    board.fights.append((points, anchors))
    return True


def _may_be_hole(board: Layout, point: Point, top: int) -> bool:
    r, c = point
    color = BLACK if c >= board.edge else WHITE
    ends = {(r + 1, c), (r - 1, c), (r, c + (1 if color == BLACK else -1))}
    return r > top and all(board.cells.get(p, color) == color for p in ends)


def _draw_stake(board: Layout, stake: str, top: int) -> None:
    """Draw a stake into two rows of the border; the third one stays as it is."""
    kind, length = stake.split()
    k, edge = int(length), board.edge
    points: set[Point] = set()
    for r in range(top, top + 3):
        for c in range(board.size):
            board.cells[r, c] = BLACK if c < edge else WHITE
    if kind in ("capture", "save"):  # stones in atari, beside the way out
        color, inside = (WHITE, -1) if kind == "capture" else (BLACK, 1)
        first = edge - 1 if kind == "capture" else edge
        board.cells[top, first] = color
        board.cells[top, first + inside] = EMPTY
        points = {(top, first + inside)}
        for i in range(1, k + 1):
            board.cells[top + 1, first + i * inside] = color
            points.add((top + 1, first + i * inside))
    elif kind == "corridor":  # Black's territory, open to White
        points = {(top + 1, edge - 1 - i) for i in range(k)}
        for p in points:
            board.cells[p] = EMPTY
    elif kind == "hall":  # White's territory, open to Black
        points = {(top + 1, edge + i) for i in range(k)}
        for p in points:
            board.cells[p] = EMPTY
    else:
        raise ValueError(f"no stake is called {kind!r}")
    board.fights.append((points, []))


def open_up(board: Layout, part: float, rng: random.Random) -> None:
    """Make at least two eyes for each side, and as many empty points as wanted that can never be an enemy's eye."""
    n = board.size
    busy = {p for points, _ in board.fights for p in points}
    near = {q for p in busy for q in beside(p)}
    for color, columns in ((BLACK, range(board.edge)), (WHITE, range(board.edge, n))):
        own = [(r, c) for r in range(n) for c in columns if board.cells[r, c] == color]
        free = [p for p in own if p not in busy and p not in near]
        rng.shuffle(free)
        made = 0
        for p in free:
            if made >= max(3, part * len(free)):
                break
            board.cells[p] = EMPTY
            if lives(board, color):
                made += 1
            else:
                board.cells[p] = color


def lives(board: Layout, color: str) -> bool:
    """Return whether all stones of ``color`` outside the fights are one chain, and all its empty points touch it."""
    busy = {p for points, _ in board.fights for p in points}
    cells = empty_cells(board.size) | board.cells
    mine = {p for p, cell in board.cells.items() if cell == color and p not in busy}
    found = {start := min(mine)}
    waiting = [start]
    while waiting:
        for q in beside(waiting.pop()):
            if q in mine and q not in found:
                found.add(q)
                waiting.append(q)
    return found == mine and all(
        any(q in mine for q in beside(p)) and all(cells[q] in (color, EMPTY, "#") for q in beside(p))
        for p in _own_empties(board, color, busy)
    )


def _own_empties(board: Layout, color: str, busy: set[Point]) -> list[Point]:
    columns = range(board.edge) if color == BLACK else range(board.edge, board.size)
    return [p for p, cell in board.cells.items() if cell == EMPTY and p not in busy and p[1] in columns]


def n_eyes(board: Layout, color: str) -> int:
    """Return the number of separate rooms of the living stones: two make them live whatever happens."""
    busy = {p for points, _ in board.fights for p in points}
    left, count = set(_own_empties(board, color, busy)), 0
    while left:
        waiting = [left.pop()]
        count += 1
        while waiting:
            for q in beside(waiting.pop()):
                if q in left:
                    left.remove(q)
                    waiting.append(q)
    return count


def label(plan: Plan, layout: Layout) -> Labelled | None:
    """Return the position with its label; None if it is not of its family, or the label would not be exact."""
    board = Board(layout.size, empty_cells(layout.size) | layout.cells)
    if any(n_eyes(layout, color) < 2 or not lives(layout, color) for color in (BLACK, WHITE)):
        return None
    if any(not board.liberties(chain) for chain in board.chains()):
        return None
    try:
        lower, is_exact = _values(board, layout, plan.family, WHITE)
        upper = lower if is_exact else _values(board, layout, plan.family, BLACK)[0]
    except Unclear:
        return None
    if not lower or not upper:
        return None
    best = max(lower.values())
    good = sorted(p for p, v in lower.items() if p is not None and v == best)
    second = max(v for p, v in upper.items() if p not in good)
    race = layout.fights[0][0]
    if second >= best or any((p in race) != (plan.family == "must") for p in good):
        return None
    komi = settled_score(layout) + (second + best - 1) // 2 + 0.5
    return Labelled(plan, board, komi, good, sorted(p for p in race if board.cells[p] == EMPTY), layout.fights[0][1])


def _values(board: Board, layout: Layout, family: str, doubt: str) -> tuple[dict[Point | None, int], bool]:
    """Return the value of each move in the fights and of the pass (None), and whether there was no doubt.

    There are no values if the race is not of the family.
    """
    fights = [Fight(board, points, main, doubt) for points, main in layout.fights]
    if family_of(fights[0]) != family:
        return {}, True
    whole = Sum(fights)
    values: dict[Point | None, int] = {None: whole.value(whole.start, 0, WHITE, True)}
    for number, (_, state) in enumerate(whole.start):
        for i, cell in enumerate(state):
            if cell == EMPTY and (new := fights[number].play(state, i, BLACK)) is not None:
                values[fights[number].points[i]] = whole.after(whole.start, number, new, 0, BLACK)
    return values, not any(fight.had_doubts for fight in fights)


def settled_score(layout: Layout) -> int:
    busy = {p for points, _ in layout.fights for p in points}
    score = 0
    for p, cell in layout.cells.items():
        if p not in busy:
            owner = cell if cell != EMPTY else next(c for q in beside(p) if (c := layout.cells.get(q, EMPTY)) != EMPTY)
            score += 1 if owner == BLACK else -1
    return score


def family_of(fight: Fight) -> str:
    """Return ``won`` if Black wins the race though White plays first, ``must`` if only though Black does, or other."""
    if race_result(fight, WHITE) == 1:
        return "won"
    return "must" if race_result(fight, BLACK) == 1 else "other"


def turned(found: Labelled, view: int) -> Labelled:
    """Return the position in one of the eight views of the board."""
    n = found.plan.size

    def turn(p: Point) -> Point:
        r, c = p
        r, c = (n - 1 - r if view & 1 else r), (n - 1 - c if view & 2 else c)
        return (c, r) if view & 4 else (r, c)

    cells = empty_cells(n) | {turn(p): cell for p, cell in found.board.cells.items() if cell != OFF_BOARD}
    good, race = (sorted(turn(p) for p in points) for points in (found.good, found.race))
    return replace(found, board=Board(n, cells), good=good, race=race, main=[turn(p) for p in found.main])


def name_of(point: Point, size: int) -> str:
    return f"{LETTERS[point[1]]}{size - point[0]}"


def plans() -> Iterator[tuple[Plan, int]]:
    """Yield what is wanted, with the number of positions of each kind."""
    one, two = ("capture 1",), ("save 2",)
    for k in (2, 3, 4, 5):
        yield Plan("must", 9, (k, k), stakes=one if k % 2 else two), 5
    for k in (2, 3, 4):
        yield Plan("won", 9, (k + 2, k), stakes=two if k % 2 else one), 5
        yield Plan("must", 9, (k, k), shared=1, stakes=two), 2
    yield Plan("won", 9, (4, 2), shared=1, stakes=one), 3
    for k in (3, 4, 5, 6):
        yield Plan("must", 13, (k, k), open=0.4, stakes=("save 1", "capture 1")), 4
        yield Plan("won", 13, (k + 2, k), open=0.4, stakes=("save 2", "capture 1")), 4
    for k in (4, 5, 6, 8):
        stakes = ("save 3", "capture 1")
        yield Plan("must", 19, (k, k), open=0.5, stakes=stakes), 3 if k < 8 else 2
        yield Plan("won", 19, (k + 2, k), open=0.5, stakes=stakes), 4 if k < 8 else 2
    for k in (2, 3):
        yield Plan("must", 13, (k, k), width=2, open=0.4, stakes=("corridor 2", "hall 2")), 2
        yield Plan("won", 13, (k + 3, k + 1), width=2, open=0.4, stakes=("corridor 3", "save 1")), 2
    yield Plan("must", 13, (4, 3), 0, (0, 1), 2, 0.3, ("save 1", "capture 2")), 3


def find(plan: Plan, wanted: int, rng: random.Random) -> Iterator[Labelled]:
    """Yield ``wanted`` different positions, or fewer if they are not found in ``TRIES`` tries."""
    seen: set[str] = set()
    for _ in range(TRIES):
        if len(seen) == wanted:
            return
        layout = draw(plan, rng)
        found = None if layout is None else label(plan, layout)
        if found and found.board.draw() not in seen:
            seen.add(found.board.draw())
            yield turned(found, rng.randrange(8))


def ask_gnugo(found: Labelled) -> str:
    """Return GNU Go's ``analyze_semeai`` for Black first and for White first: who can attack and who must defend."""
    size = found.plan.size
    commands = [f"boardsize {size}", "clear_board", f"komi {found.komi}"]
    for color, word in ((BLACK, "black"), (WHITE, "white")):
        commands += [f"play {word} {name_of(p, size)}" for p in found.board.all_of(color)]
    black, white = (name_of(p, size) for p in found.main)
    commands += [f"analyze_semeai {black} {white}", f"analyze_semeai {white} {black}", "quit"]
    words = [*shlex.split(GNUGO), "--mode", "gtp"]
    output = subprocess.run(words, input="\n".join(commands) + "\n", capture_output=True, text=True, check=True).stdout
    answers = [part[1:].strip() for part in output.split("\n\n") if part.strip()]
    return " / ".join(answers[-3:-1])


def agrees(family: str, gnugo: str) -> bool:
    """Return whether GNU Go thinks the same of the race: with White first it is open, or Black needs no move."""
    first, _, second = gnugo.partition(" / ")
    return first.startswith("1 ") and second.startswith("1 " if family == "must" else "0 ")


def as_text(found: Labelled, name: str) -> str:
    plan = found.plan
    words = f"black {plan.liberties[0]}, white {plan.liberties[1]}, shared {plan.shared}"
    words += f", eyes {plan.eyes[0]} and {plan.eyes[1]}; {', '.join(plan.stakes)}"
    lines = [
        f"[{name}] {words}",
        f"family: {plan.family}",
        f"komi: {found.komi}",
        f"good: {' '.join(name_of(p, plan.size) for p in found.good)}",
        f"race: {' '.join(name_of(p, plan.size) for p in found.race)}",
        f"gnugo: {found.gnugo}",
    ]
    return "\n".join([*lines, found.board.draw(), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the test bed of capturing races.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    written: list[str] = []
    count: Counter[str] = Counter()
    for number, (plan, wanted) in enumerate(plans()):
        for found in find(plan, wanted, random.Random(f"{options.seed} {number}")):
            checked = replace(found, gnugo=ask_gnugo(found))
            if not agrees(plan.family, checked.gnugo):
                count["GNU Go differs"] += 1
                print(f"{plan}: GNU Go says {checked.gnugo}\n{found.board.draw()}", file=sys.stderr)
            count[plan.family] += 1
            written.append(as_text(checked, f"{plan.family}-{plan.size}-{count[plan.family]}"))
        print(f"{plan}: {dict(count)}, {time.process_time():.0f} CPU seconds", flush=True)
    options.output.write_text("\n".join([HEADER, *written]))


if __name__ == "__main__":
    main()

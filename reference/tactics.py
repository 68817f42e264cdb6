"""Tactics of Go, directly from their description: self-ataris, ladders, and the playout's answers to the last move.

A few rules of the kernels do not say which of several equal points they take. Then all possible results are returned.
"""

from reference.go import EMPTY, OFF_BOARD, OTHER, Board, Point, beside, is_shape

LONGEST_LADDER = 200
LARGEST_ROOM = 6
KILLED = {(2, 1, 1), (3, 1, 1, 1), (4, 1, 1, 1, 1), (3, 2, 2, 2, 1), (4, 2, 2, 2, 1, 1)}
"""How many neighbours the points of a room have, for the rooms with one vital point."""
ONE_EYE = KILLED | {(0,), (1, 1), (2, 2, 2, 2)}
"""Those, and the rooms that no single point decides."""


def chains_beside(board: Board, point: Point, color: str) -> list[set[Point]]:
    """Return the chains of ``color`` beside a point, each once."""
    found: list[set[Point]] = []
    for q in beside(point):
        if board.cells[q] == color and not any(q in chain for chain in found):
            found.append(board.region(q))
    return found


def chains_around(board: Board, chain: set[Point], color: str) -> list[set[Point]]:
    """Return the chains of ``color`` that touch a chain of the other colour, each once."""
    found: list[set[Point]] = []
    for point in chain:
        found += [other for other in chains_beside(board, point, color) if other not in found]
    return found


def in_atari(board: Board, chain: set[Point]) -> bool:
    return len(board.liberties(chain)) == 1


def captures(board: Board, point: Point, color: str) -> bool:
    """Return whether a move captures something."""
    return any(in_atari(board, chain) for chain in chains_beside(board, point, OTHER[color]))


def is_self_atari(board: Board, point: Point, color: str, stones: int = 1) -> bool:
    """Return whether a legal move leaves ``stones`` or more with one liberty, and captures nothing."""
    after = _played(board, point, color)
    chain = after.region(point)
    return in_atari(after, chain) and len(chain) >= stones and not captures(board, point, color)


def degrees_of(cells: set[Point]) -> tuple[int, ...]:
    """Return how many neighbours the points have among themselves."""
    return tuple(sorted((sum(q in cells for q in beside(point)) for point in cells), reverse=True))


def kills_inside(board: Board, point: Point, color: str) -> bool:
    """Return whether a self-atari leaves an enemy the same last liberty, and a room that makes one eye."""
    after = _played(board, point, color)
    inside = after.region(point)
    room = {point} | after.liberties(inside)
    dying = any(board.liberties(chain) == room for chain in chains_beside(board, point, OTHER[color]))
    return dying and degrees_of(inside) in ONE_EYE


def gains_liberties(board: Board, point: Point, chain: set[Point]) -> bool:
    """Return whether a chain with two liberties seems to get more by playing ``point``, one of them.

    It does if the move captures, or if two of its four neighbours are new liberties or other chains with two liberties.
    """
    color = board.cells[next(iter(chain))]
    gain = 0
    for q in beside(point):
        if board.cells[q] == EMPTY:
            gain += q not in board.liberties(chain)
        elif board.cells[q] == color and q not in chain:
            gain += not in_atari(board, board.region(q))
    return gain >= 2 or captures(board, point, color)


# Ladders: one line is read, the attacker blocks where the defender would gain most. If both sides are equal, either
# may be tried, so the result is a set.


def runs_out(board: Board, point: Point, target: Point, color: str) -> set[bool]:
    """Return whether extending the chain in atari at ``target`` saves it from a ladder."""
    after = _played(board, point, color)
    liberties = len(after.liberties(after.region(target)))
    return {not caught for caught in _ladder(after, target, LONGEST_LADDER)} if liberties == 2 else {liberties > 2}


def catches(board: Board, point: Point, target: Point, color: str) -> set[bool]:
    """Return whether ``point`` puts the chain at ``target``, which has two liberties, in an atari it cannot leave."""
    return _chase(_played(board, point, color), target, LONGEST_LADDER)


def _chase(board: Board, target: Point, left: int) -> set[bool]:
    """Return whether the chain in atari at ``target``, whose turn it is, is caught."""
    color, chain = board.cells[target], board.region(target)
    if _can_capture(board, chain):
        return {False}
    (escape,) = board.liberties(chain)
    if not board.is_legal(escape, color):
        return {True}
    return _ladder(_played(board, escape, color), target, left)


def _ladder(board: Board, target: Point, left: int) -> set[bool]:
    """Return whether the chain at ``target`` is caught; its enemy is to move."""
    enemy, chain = OTHER[board.cells[target]], board.region(target)
    liberties = board.liberties(chain)
    if len(liberties) != 2:
        return {len(liberties) == 1}
    if left == 0:
        return {False}
    room = {p: sum(board.cells[q] == EMPTY for q in beside(p) if q not in liberties) for p in liberties}
    possible = [p for p in liberties if board.is_legal(p, enemy) and not is_self_atari(board, p, enemy)]
    if not possible:
        return {False}
    most = max(room[p] for p in possible)
    blocks = (p for p in possible if room[p] == most)
    return set().union(*(_chase(_played(board, p, enemy), target, left - 1) for p in blocks))


def _can_capture(board: Board, chain: set[Point]) -> bool:
    """Return whether a chain beside this one is in atari and may be captured."""
    enemy = OTHER[board.cells[next(iter(chain))]]
    around = (board.liberties(other) for other in chains_around(board, chain, enemy))
    return any(len(liberties) == 1 and board.ko not in liberties for liberties in around)


def _played(board: Board, point: Point, color: str) -> Board:
    after = board.after(point, color)
    assert after is not None
    return after


# What the playout answers to the last move: the moves of the first rule that has any.


def answers(board: Board, color: str, last: Point | None) -> set[frozenset[Point]]:
    """Return the playout's answers to the last move; more than one set if a rule has several equal points."""
    if last is None:
        return {frozenset()}
    if found := _atari_answers(board, color, last):
        return {frozenset(found)}
    others = _two_liberty_answers(board, color, last) or _shape_answers(board, color, last)
    return {frozenset(others) if point is None else frozenset({point}) for point in _nakade_answers(board, color, last)}


def _atari_answers(board: Board, color: str, last: Point) -> set[Point]:
    """Capture the chain just played, and save the chains beside it that are in atari."""
    found: set[Point] = set()
    if in_atari(board, board.region(last)):
        found |= board.liberties(board.region(last))
    for chain in chains_beside(board, last, color):
        if in_atari(board, chain):
            (liberty,) = board.liberties(chain)
            found |= {liberty} if _escapes(board, liberty, chain) else set()
            around = (board.liberties(other) for other in chains_around(board, chain, OTHER[color]))
            found |= {p for liberties in around if len(liberties) == 1 for p in liberties}
    return {p for p in found if p != board.ko}


def _escapes(board: Board, point: Point, chain: set[Point]) -> bool:
    """Return whether a chain in atari gets a second liberty by extending: two empty points, a friend, or a capture."""
    color = board.cells[next(iter(chain))]
    friends = [other for other in chains_beside(board, point, color) if other != chain]
    empty = sum(board.cells[q] == EMPTY for q in beside(point))
    return empty >= 2 or any(not in_atari(board, other) for other in friends) or captures(board, point, color)


def _nakade_answers(board: Board, color: str, last: Point) -> set[Point | None]:
    """Return the points that may be taken as the one that decides about a small room; None for no point."""
    vital = {vital_point(board.region(q)) for q in beside(last) if _is_narrow_room(board, q)} - {None}
    found: set[Point | None] = set()
    for point in vital or {None}:
        if point is not None and board.is_legal(point, color):
            found.add(point)
        else:
            found |= _eye_points(board, color, last)
    return found


def _crowded(board: Board, point: Point) -> bool:
    """Return whether at most four of the eight neighbours are empty."""
    cells = board.neighbourhood(point)
    return (cells[:4] + cells[5:]).count(EMPTY) <= 4


def _is_narrow_room(board: Board, point: Point) -> bool:
    """Return whether a point lies beside an empty one in a crowded place, in a small room of one colour."""
    if board.cells[point] != EMPTY or not _crowded(board, point):
        return False
    region = board.region(point)
    around = {board.cells[q] for p in region for q in beside(p)} - {EMPTY, OFF_BOARD}
    return 1 < len(region) <= LARGEST_ROOM and len(around) < 2


def vital_point(cells: set[Point]) -> Point | None:
    """Return the point with most neighbours in the room, if it decides."""
    return max(cells, key=lambda p: sum(q in cells for q in beside(p))) if degrees_of(cells) in KILLED else None


def _eye_points(board: Board, color: str, last: Point) -> set[Point | None]:
    """Return the points that may make two eyes of a room of ``color`` that a small chain has entered."""
    chain = board.region(last)
    touches = sum(board.cells[q] == EMPTY for p in chain for q in beside(p))
    beside_color = any(board.cells[q] == color for q in beside(last))
    if not (_crowded(board, last) and beside_color and touches <= 3 and len(chain) < LARGEST_ROOM):
        return {None}
    room, new = set(), {last}
    while new and len(room) <= LARGEST_ROOM:
        room |= new
        new = {q for p in new for q in beside(p) if board.cells[q] not in (color, OFF_BOARD)} - room
    degree = {p: sum(q in room for q in beside(p)) for p in room if board.cells[p] == EMPTY}
    most = max(degree.values(), default=0)
    if not 4 <= len(room) <= LARGEST_ROOM or most < 2:
        return {None}
    return {p if board.is_legal(p, color) else None for p in degree if degree[p] == most}


def _two_liberty_answers(board: Board, color: str, last: Point) -> set[Point]:
    """Attack the chain just played if it has two liberties, and strengthen its neighbours that have two."""
    found: set[Point] = set()
    liberties = board.liberties(board.region(last))
    if len(liberties) == 2:
        found |= liberties
    for chain in chains_beside(board, last, color):
        liberties = board.liberties(chain)
        if len(liberties) == 2:
            found |= {p for p in liberties if gains_liberties(board, p, chain)}
    return {p for p in found if _is_playable(board, p, color) and not is_self_atari(board, p, color)}


def _is_playable(board: Board, point: Point, color: str) -> bool:
    return board.is_legal(point, color) and not board.is_eye(point, color)


def _shape_answers(board: Board, color: str, last: Point) -> set[Point]:
    """Play a 3x3 shape beside the last move, but no self-atari of two stones that kills nothing."""
    row, column = last
    around = [(row + dr, column + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
    return {
        p
        for p in around
        if board.cells[p] == EMPTY
        and is_shape(board.neighbourhood(p), color)
        and board.is_legal(p, color)
        and not (is_self_atari(board, p, color, 2) and not kills_inside(board, p, color))
    }

"""Races inside the search: necessary moves for new nodes, predictions for playouts, and playouts that follow them.

The races of the root are found and solved when it is set. A leaf where nothing has changed near a race has its answer.
Where something has, the solver is asked again, but not more often than its share of the time allows; what it says is
remembered. Without an answer the race is followed by counting liberties.

During a playout only liberties are counted, and only after moves beside the two chains. What the count does not see
(approach moves, eyes, groups of several chains) is a bonus: the liberties that Black would need more, or fewer, for the
count to say what the solver says.
"""

import numpy as np

from semeai.games.go.kernels.board import MAX_POINTS, State, color_at, is_legal
from semeai.games.go.kernels.race_board import (
    BOARD,
    END,
    FOUND,
    MAX_RACES,
    ONE_MORE,
    RACE_WORDS,
    SPENT,
    ZONE_WORDS,
    Memory,
    add,
    clear,
    in_zone,
    overlap,
    set_up,
)
from semeai.games.go.kernels.race_memory import IS_RACE, NO_RACE, mark_near, recall_or_solve
from semeai.games.go.kernels.races import (
    BLACK_WINS,
    NO_MOVES,
    R_BLACK,
    R_BLACK_FIRST,
    R_BLACK_LIBERTIES,
    R_BLACK_MOVES,
    R_BLACK_STONES,
    R_WHITE,
    R_WHITE_FIRST,
    R_WHITE_LIBERTIES,
    R_WHITE_MOVES,
    R_WHITE_STONES,
    UNKNOWN,
    WHITE_WINS,
    find_races,
    is_urgent,
)
from semeai.games.go.kernels.tables import BLACK, EMPTY, WHITE
from semeai.games.go.kernels.tactics import is_self_atari
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

_AT_ROOT = END
"""Number of races of the root; their words are at FOUND."""
RACING = _AT_ROOT + 1
"""Number of races of the playout."""
_ALLOWED = RACING + 1
"""Positions that the solver may still read."""
_KEPT = _ALLOWED + 1
_WORDS = 8
K_BLACK, K_WHITE, K_WINNER, K_BONUS, K_BLACK_COUNT, K_WHITE_COUNT, K_OPEN, K_STONES = range(8)
_LISTED = _KEPT + MAX_RACES * _WORDS
_MOST = 24
_ROOT = _LISTED + _MOST
"""The stones of the root."""
_NEAR = _ROOT + MAX_POINTS
"""By race of the root: the points that its answer depends on."""
_CHANGED = _NEAR + MAX_RACES * ZONE_WORDS
"""The points where a leaf differs from the root."""
_READ_PER_POINT = 0.25
"""Positions that the solver may read per simulation and point of the board: about a fifth of a simulation's time."""


@kernel
def look_at_root(state: State, policy: Record, scratch: Record) -> None:
    """Find the races of the root, for all leaves of this search."""
    memory = scratch.solver
    sides = BLACK | WHITE if policy.semeai_expertise > 0 else NO_MOVES
    n = find_races(state, memory, np.int64(policy.race_nodes), np.int64(sides))
    memory[_AT_ROOT], memory[_ALLOWED] = n, 0
    for p in range(state.points):
        memory[_ROOT + p] = np.int64(state.color[p])
    for i in range(n):
        race = FOUND + i * RACE_WORDS
        mark_near(memory, np.int64(_NEAR + i * ZONE_WORDS), memory[race + R_BLACK], memory[race + R_WHITE])


@inlined
def has_races(scratch: Record) -> bool:
    """Return whether the root has races."""
    return scratch.solver[_AT_ROOT] != 0


@kernel
def _find_changes(state: State, memory: Memory) -> None:
    """Prepare for ``_answer``: mark where the leaf differs from the root, and copy it to the solver's board."""
    memory[_ALLOWED] += np.int64(_READ_PER_POINT * state.points)
    set_up(state, memory)
    clear(memory, np.int64(_CHANGED))
    for p in range(state.points):
        if memory[np.uint64(_ROOT + p)] != memory[np.uint64(BOARD + p)]:
            add(memory, np.int64(_CHANGED), p)


@kernel
def _answer(state: State, i: int, policy: Record, memory: Memory, moves_of: int) -> tuple[int, bool]:
    """Return where the words of race ``i`` of the root are, 0 if it has ended, and whether they say how it is now."""
    race = np.int64(FOUND + i * RACE_WORDS)
    black, white = memory[race + R_BLACK], memory[race + R_WHITE]
    if color_at(state, black) != BLACK or color_at(state, white) != WHITE:
        return np.int64(0), False
    if not overlap(memory, np.int64(_CHANGED), np.int64(_NEAR + i * ZONE_WORDS)):
        return race, True
    memory[SPENT] = 0
    now, limit = np.int64(ONE_MORE), np.int64(policy.race_nodes)
    found = recall_or_solve(memory, now, black, white, limit, moves_of, memory[_ALLOWED] > 0)
    memory[_ALLOWED] -= memory[SPENT]
    if found == NO_RACE:
        return np.int64(0), False
    return (now, True) if found == IS_RACE else (race, False)


@kernel
def note_races(state: State, policy: Record, scratch: Record) -> int:
    """Keep the races of the root that go on here, for the playout. Returns how many have a known winner."""
    memory = scratch.solver
    n = known = 0
    if has_races(scratch):
        _find_changes(state, memory)
    for i in range(memory[_AT_ROOT]):
        race, is_sure = _answer(state, i, policy, memory, np.int64(NO_MOVES))
        if race == 0 or not _decides(memory, race):
            continue
        kept = _KEPT + n * _WORDS
        memory[kept + K_BLACK], memory[kept + K_WHITE] = memory[race + R_BLACK], memory[race + R_WHITE]
        memory[kept + K_BONUS] = _bonus(memory, race)
        winner = memory[race + (R_BLACK_FIRST if state.to_move == BLACK else R_WHITE_FIRST)]
        memory[kept + K_WINNER] = winner if is_sure else np.int64(UNKNOWN)
        at_root = FOUND + i * RACE_WORDS
        memory[kept + K_STONES] = memory[at_root + R_BLACK_STONES] + memory[at_root + R_WHITE_STONES]
        n += 1
        known += is_sure
    memory[RACING] = n
    return known


@inlined
def _decides(memory: Memory, race: int) -> bool:
    """Return whether both outcomes of a race are known."""
    return memory[race + R_BLACK_FIRST] != UNKNOWN and memory[race + R_WHITE_FIRST] != UNKNOWN


@inlined
def _bonus(memory: Memory, race: int) -> int:
    """Return how many liberties Black needs more for counting to say what the solver says."""
    lead = memory[race + R_BLACK_LIBERTIES] - memory[race + R_WHITE_LIBERTIES]
    if is_urgent(memory, race):
        return -lead
    if memory[race + R_BLACK_FIRST] == BLACK_WINS:
        return max(np.int64(0), 1 - lead)
    return min(np.int64(0), -1 - lead)


@kernel
def ends_races(state: State, scratch: Record) -> bool:
    """Return whether the races that were kept have ended as the solver says."""
    memory = scratch.solver
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        black, white = color_at(state, memory[kept + K_BLACK]), color_at(state, memory[kept + K_WHITE])
        if memory[kept + K_WINNER] == BLACK_WINS and (black != BLACK or white == WHITE):
            return False
        if memory[kept + K_WINNER] == WHITE_WINS and (white != WHITE or black == BLACK):
            return False
    return True


@kernel
def mark_necessary(state: State, policy: Record, scratch: Record) -> bool:
    """Mark the moves of the player to move that win an urgent race in ``scratch.marked``. Returns False if none does.

    Where the solver has not been asked, that is the fill that counting asks for.
    """
    memory, color = scratch.solver, np.int64(state.to_move)
    if not has_races(scratch):
        return False
    for p in range(state.points):
        scratch.marked[p] = 0
    _find_changes(state, memory)
    marked = False
    for i in range(memory[_AT_ROOT]):
        race, is_sure = _answer(state, i, policy, memory, color)
        if race == 0:
            continue
        if is_sure and is_urgent(memory, race):
            moves = race + (R_BLACK_MOVES if color == BLACK else R_WHITE_MOVES)
            for p in range(state.points):
                if in_zone(memory, moves, p):
                    scratch.marked[p], marked = 1, True
        elif not is_sure and _decides(memory, race):
            p = _fill_by_count(state, race, color, scratch)
            if p:
                scratch.marked[np.uint64(p)], marked = 1, True
    return marked


@kernel
def _fill_by_count(state: State, race: int, color: int, scratch: Record) -> int:
    """Return the fill that counting asks for in a race of the root, or 0."""
    memory = scratch.solver
    memory[_KEPT + K_BLACK], memory[_KEPT + K_WHITE] = memory[race + R_BLACK], memory[race + R_WHITE]
    memory[_KEPT + K_BONUS], memory[_KEPT + K_STONES] = _bonus(memory, race), 1
    memory[RACING] = 1
    recount(state, np.int64(0), scratch)
    return race_move(state, color, scratch)


@kernel
def _list_liberties(state: State, stone: int, scratch: Record, at: int) -> int:
    """List the liberties of a chain in ``scratch.solver[at:]``. Returns their number, at most ``_MOST``."""
    w, memory = state.stride, scratch.solver
    n = np.int64(0)
    q = stone
    while True:
        for side in range(4):
            p = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
            if color_at(state, p) != EMPTY:
                continue
            k = 0
            while k < n and memory[np.uint64(at + k)] != p:
                k += 1
            if k == n:
                if n == _MOST:
                    return n
                memory[np.uint64(at + n)] = p
                n += 1
        q = np.int64(state.next[np.uint64(q)])
        if q == stone:
            return n


@inlined
def _is_beside(state: State, p: int, stone: int) -> bool:
    """Return whether ``p`` touches the chain of ``stone``."""
    w, chain = state.stride, state.chain[np.uint64(stone)]
    return (
        state.chain[np.uint64(p - w)] == chain
        or state.chain[np.uint64(p - 1)] == chain
        or state.chain[np.uint64(p + 1)] == chain
        or state.chain[np.uint64(p + w)] == chain
    )


@kernel
def recount(state: State, last: int, scratch: Record) -> bool:
    """Count the liberties of the races after the move ``last``, where it matters; 0: of all.

    Returns whether a race is still open.
    """
    memory, is_open = scratch.solver, False
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        black, white = memory[kept + K_BLACK], memory[kept + K_WHITE]
        if last == 0:
            memory[kept + K_OPEN] = 1
        elif memory[kept + K_OPEN] == 0:
            continue
        if color_at(state, black) != BLACK or color_at(state, white) != WHITE:
            memory[kept + K_OPEN] = 0
            continue
        is_open = True
        if last == 0 or _is_beside(state, last, black) or _is_beside(state, last, white):
            memory[kept + K_BLACK_COUNT] = _list_liberties(state, black, scratch, _LISTED) + memory[kept + K_BONUS]
            memory[kept + K_WHITE_COUNT] = _list_liberties(state, white, scratch, _LISTED)
    return is_open


@kernel
def race_move(state: State, color: int, scratch: Record) -> int:
    """Return a liberty of a rival that has to be filled now, that of the largest race, or 0."""
    memory, w = scratch.solver, state.stride
    best, stones = np.int64(0), np.int64(0)
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        if not memory[kept + K_OPEN] or memory[kept + K_BLACK_COUNT] != memory[kept + K_WHITE_COUNT]:
            continue
        if memory[kept + K_STONES] <= stones:
            continue
        own = memory[kept + (K_BLACK if color == BLACK else K_WHITE)]
        rival = memory[kept + (K_WHITE if color == BLACK else K_BLACK)]
        n = _list_liberties(state, rival, scratch, _LISTED)
        for shared in range(2):
            for j in range(n):
                p = memory[_LISTED + j]
                if _is_beside(state, p, own) != (shared == 1):
                    continue
                is_good = is_legal(state, p, color) and (n == 1 or not is_self_atari(state, p, color, 1, w))
                if is_good and memory[kept + K_STONES] > stones:
                    best, stones = p, memory[kept + K_STONES]
    return best


@kernel
def spoils_race(state: State, p: int, color: int, scratch: Record) -> bool:
    """Return whether ``p`` fills a liberty of a chain whose race is won, but not after that."""
    memory = scratch.solver
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        if not memory[kept + K_OPEN]:
            continue
        own, rival = memory[kept + K_BLACK], memory[kept + K_WHITE]
        lead = memory[kept + K_BLACK_COUNT] - memory[kept + K_WHITE_COUNT]
        if color != BLACK:
            own, rival, lead = rival, own, -lead
        if (lead == 0 or lead == 1) and _is_beside(state, p, own) and not _is_beside(state, p, rival):
            return True
    return False

"""Races inside the search: necessary moves for new nodes, predictions for playouts, and playouts that follow them.

A race that the solver knows is kept in ``scratch.solver``. During a playout only liberties are counted, and only after
moves beside the two chains. What the count does not see (approach moves, eyes, groups of several chains) is a bonus:
the liberties that Black would need more, or fewer, for the count to say what the solver says.
"""

import numpy as np

from semeai.games.go.kernels.board import State, color_at, is_legal
from semeai.games.go.kernels.race_board import END, FOUND, MAX_RACES, RACE_WORDS
from semeai.games.go.kernels.races import (
    BLACK_WINS,
    R_BLACK,
    R_BLACK_FIRST,
    R_BLACK_LIBERTIES,
    R_BLACK_MOVES,
    R_BLACK_STONES,
    R_N_BLACK_MOVES,
    R_N_WHITE_MOVES,
    R_WHITE,
    R_WHITE_FIRST,
    R_WHITE_LIBERTIES,
    R_WHITE_MOVES,
    R_WHITE_STONES,
    WHITE_WINS,
    find_races,
)
from semeai.games.go.kernels.tables import BLACK, EMPTY, WHITE
from semeai.games.go.kernels.tactics import is_self_atari
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

RACING = END
"""Number of races of the playout."""
_KEPT = RACING + 1
_WORDS = 8
K_BLACK, K_WHITE, K_WINNER, K_BONUS, K_BLACK_COUNT, K_WHITE_COUNT, K_OPEN, K_STONES = range(8)
_LISTED = _KEPT + MAX_RACES * _WORDS
_MOST = 24


@kernel
def note_races(state: State, policy: Record, scratch: Record) -> int:
    """Find the races whose winner is known with the player to move, and keep them. Returns their number."""
    memory = scratch.solver
    found = find_races(state, memory, np.int64(policy.race_nodes), np.int64(0))
    n = 0
    for i in range(found):
        race = FOUND + i * RACE_WORDS
        winner = memory[race + (R_BLACK_FIRST if state.to_move == BLACK else R_WHITE_FIRST)]
        if winner != BLACK_WINS and winner != WHITE_WINS:
            continue
        kept = _KEPT + n * _WORDS
        memory[kept + K_BLACK], memory[kept + K_WHITE] = memory[race + R_BLACK], memory[race + R_WHITE]
        memory[kept + K_WINNER] = winner
        memory[kept + K_STONES] = memory[race + R_BLACK_STONES] + memory[race + R_WHITE_STONES]
        lead = memory[race + R_BLACK_LIBERTIES] - memory[race + R_WHITE_LIBERTIES]
        first, second = memory[race + R_BLACK_FIRST], memory[race + R_WHITE_FIRST]
        if first == BLACK_WINS and second == BLACK_WINS:
            memory[kept + K_BONUS] = max(np.int64(0), 1 - lead)
        elif first == WHITE_WINS and second == WHITE_WINS:
            memory[kept + K_BONUS] = min(np.int64(0), -1 - lead)
        else:
            memory[kept + K_BONUS] = -lead
        n += 1
    memory[RACING] = n
    return n


@kernel
def ends_races(state: State, scratch: Record) -> bool:
    """Return whether the races that were kept have ended as the solver says."""
    memory = scratch.solver
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        black, white = color_at(state, memory[kept + K_BLACK]), color_at(state, memory[kept + K_WHITE])
        if memory[kept + K_WINNER] == BLACK_WINS:
            if black != BLACK or white == WHITE:
                return False
        elif white != WHITE or black == BLACK:
            return False
    return True


@kernel
def mark_necessary(state: State, policy: Record, scratch: Record) -> bool:
    """Mark the necessary moves of the player to move in ``scratch.marked``. Returns False if there is none."""
    memory, color = scratch.solver, np.int64(state.to_move)
    found = find_races(state, memory, np.int64(policy.race_nodes), color)
    marked = False
    for i in range(found):
        race = FOUND + i * RACE_WORDS
        n = memory[race + (R_N_BLACK_MOVES if color == BLACK else R_N_WHITE_MOVES)]
        if n and not marked:
            marked = True
            for p in range(state.points):
                scratch.marked[p] = 0
        for j in range(n):
            p = memory[race + (R_BLACK_MOVES if color == BLACK else R_WHITE_MOVES) + j]
            scratch.marked[np.uint64(p)] = 1
    return marked


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
def recount(state: State, last: int, scratch: Record) -> None:
    """Count the liberties of the races after the move ``last``, where it matters; 0: of all. Drop those that ended."""
    memory = scratch.solver
    for i in range(memory[RACING]):
        kept = _KEPT + i * _WORDS
        black, white = memory[kept + K_BLACK], memory[kept + K_WHITE]
        if last == 0:
            memory[kept + K_OPEN] = 1
        elif memory[kept + K_OPEN] == 0:
            continue
        if color_at(state, black) != BLACK or color_at(state, white) != WHITE:
            memory[kept + K_OPEN] = 0
        elif last == 0 or _is_beside(state, last, black) or _is_beside(state, last, white):
            memory[kept + K_BLACK_COUNT] = _list_liberties(state, black, scratch, _LISTED) + memory[kept + K_BONUS]
            memory[kept + K_WHITE_COUNT] = _list_liberties(state, white, scratch, _LISTED)


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

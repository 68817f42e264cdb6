"""Capturing races (semeai): two groups that touch, each of which is dead unless it captures the other.

A group is a set of chains of one colour that share two liberties. For every pair of groups that touch, the search of
``race_search`` asks who captures whom if Black moves first and if White does. What it cannot prove is *unknown*; what
it answers is proven for the whole board, apart from ko.

A race is 64 words of ``scratch.solver``, in the order of the constants below; ``RACE`` is the same for Python.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS, State
from semeai.games.go.kernels.race_board import (
    CACHE,
    CACHE_ENTRIES,
    CACHE_WORDS,
    CHAIN,
    FLAGS,
    FOUND,
    GROUPS,
    LIBERTIES,
    MAX_RACES,
    OWN_LIBERTIES,
    POINTS,
    RACE_WORDS,
    REFUTATION,
    STRIDE,
    ZOBRIST,
    ZONE_WORDS,
    ZONES,
    Memory,
    add,
    add_chain,
    at,
    clear,
    count,
    in_zone,
    put,
    set_up,
    side_of,
    take_back,
    walk,
)
from semeai.games.go.kernels.race_search import KO, MAX_LIBERTIES, TOO_MANY_NODES, is_in_danger, search
from semeai.games.go.kernels.tables import BLACK, BORDER, EMPTY, WHITE
from semeai.jit import inlined, kernel

_PRIME = np.int64(1099511628211)
_MASK = np.int64((1 << 62) - 1)

UNKNOWN, BLACK_WINS, WHITE_WINS, SEKI = 0, 1, 2, 3
"""Outcomes: who captures the other; SEKI: nobody."""

ANSWERED, FOR_KO, FOR_NODES, FOR_ESCAPE = 0, 1, 2, 3
"""Why an outcome is unknown: it may depend on a ko; too many positions; no capture was found within the slack."""

MAX_MOVES = 24

RACE = np.dtype(
    [
        ("black", np.int64),  # a stone of the largest black chain, and of the white one
        ("white", np.int64),
        ("black_stones", np.int64),  # of the groups
        ("white_stones", np.int64),
        ("black_liberties", np.int64),  # of the chains
        ("white_liberties", np.int64),
        ("shared", np.int64),  # liberties of both
        ("black_first", np.int64),  # the outcome if Black moves first
        ("white_first", np.int64),
        ("reason", np.int64),  # why an outcome is unknown
        ("n_black_moves", np.int64),  # Black's necessary moves: with any other, White wins the race
        ("n_white_moves", np.int64),
        ("black_moves", np.int64, MAX_MOVES),  # the best first
        ("white_moves", np.int64, MAX_MOVES),
    ]
)

(
    R_BLACK, R_WHITE, R_BLACK_STONES, R_WHITE_STONES, R_BLACK_LIBERTIES, R_WHITE_LIBERTIES, R_SHARED,
    R_BLACK_FIRST, R_WHITE_FIRST, R_REASON, R_N_BLACK_MOVES, R_N_WHITE_MOVES, R_BLACK_MOVES,
) = range(13)  # fmt: skip
R_WHITE_MOVES = R_BLACK_MOVES + MAX_MOVES


@kernel
def find_races(state: State, memory: Memory, limit: int, moves_of: int) -> int:
    """Find the races of a position, the largest first. Returns their number.

    ``limit`` is the number of positions per question. ``moves_of`` says whose necessary moves are wanted: 0 nobody's,
    BLACK, WHITE, or 3 for both.
    """
    if not _may_have_races(state):
        return 0
    set_up(state, memory)
    _mark_groups(state, memory)
    w = memory[STRIDE]
    n = 0
    for black in range(w + 1, state.points - w):
        if memory[GROUPS + black] == 0 or state.color[black] != BLACK or state.chain[black] != black:
            continue
        stones = np.int64(state.stones[black])
        start, i = black, 0
        q = black
        while i < stones:
            for side in range(4):
                white = np.int64(state.chain[side_of(q, side, w)])
                if at(memory, side_of(q, side, w)) == WHITE and memory[GROUPS + white] != 0:
                    n = _consider(state, memory, n, start, white, limit, moves_of)
            q = np.int64(state.next[q])
            i += 1
    _sort(memory, n)
    return n


@inlined
def _is_weak(state: State, chain: int) -> bool:
    """Return quickly whether a chain may have few enough liberties for a race."""
    return state.stones[np.uint64(chain)] >= 2 and (state.liberties[np.uint64(chain)] & np.uint64(0xFFF)) <= np.uint64(
        3 * MAX_LIBERTIES
    )


@kernel
def _may_have_races(state: State) -> bool:
    """Return whether both players have a chain that may race."""
    found = 0
    for p in range(state.points):
        if np.int64(state.chain[p]) == p and p and _is_weak(state, p):
            found |= np.int64(state.color[p])
            if found == 3:
                return True
    return False


@kernel
def _mark_groups(state: State, memory: Memory) -> None:
    """Write to GROUPS, at the name of each chain that may race, the name of its group; 0 for other chains."""
    for p in range(state.points):
        memory[GROUPS + p] = 0
        if (
            p
            and np.int64(state.chain[p]) == p
            and _is_weak(state, p)
            and count(memory, p, np.int64(MAX_LIBERTIES)) <= MAX_LIBERTIES
            and not _has_two_eyes(state, memory, p)
        ):
            memory[GROUPS + p] = p
    for p in range(state.points):
        if memory[GROUPS + p] == 0:
            continue
        _, n = walk(memory, p, np.int64(MAX_LIBERTIES))
        for i in range(n):
            memory[OWN_LIBERTIES + i] = memory[LIBERTIES + i]
        for q in range(p + 1, state.points):
            group = memory[GROUPS + q]
            if group == 0 or state.color[q] != state.color[p] or group == memory[GROUPS + p]:
                continue
            if _n_shared(memory, q, n) >= 2:
                for r in range(state.points):
                    if memory[GROUPS + r] == group:
                        memory[GROUPS + r] = memory[GROUPS + p]


@kernel
def _n_shared(memory: Memory, chain: int, n: int) -> int:
    """Return how many liberties of a chain are among the ``n`` at OWN_LIBERTIES."""
    shared = 0
    _, m = walk(memory, chain, np.int64(MAX_LIBERTIES))
    for i in range(m):
        for j in range(n):
            shared += memory[LIBERTIES + i] == memory[OWN_LIBERTIES + j]
    return shared


@kernel
def _has_two_eyes(state: State, memory: Memory, chain: int) -> bool:
    """Return whether two liberties of a chain are eyes that the chain alone surrounds: it cannot be captured."""
    w, eyes = memory[STRIDE], 0
    _, n = walk(memory, chain, np.int64(MAX_LIBERTIES))
    for i in range(n):
        p = memory[LIBERTIES + i]
        inside = True
        for side in range(4):
            q = side_of(p, side, w)
            inside &= np.int64(state.chain[q]) == chain or state.color[q] == 3
        eyes += inside
    return eyes >= 2


@kernel
def _consider(state: State, memory: Memory, n: int, black: int, white: int, limit: int, moves_of: int) -> int:
    """Solve the race of two chains and note it as number ``n``, if it is one. Returns the new number of races."""
    b, w = memory[GROUPS + black], memory[GROUPS + white]
    for i in range(n):
        race = FOUND + i * RACE_WORDS
        same = memory[race + R_BLACK] == black and memory[race + R_WHITE] == white
        if _is_between(memory, race, b, w) and (same or memory[race + R_REASON] == ANSWERED):
            return n
    if n == MAX_RACES:
        return n
    race = FOUND + n * RACE_WORDS
    if not _recall_or_solve(memory, race, black, white, limit, moves_of):
        return n
    memory[race + R_BLACK_STONES] = _group_stones(state, memory, b)
    memory[race + R_WHITE_STONES] = _group_stones(state, memory, w)
    for i in range(n):  # an answer replaces an unknown one of the same groups
        other = FOUND + i * RACE_WORDS
        if _is_between(memory, other, b, w):
            if memory[race + R_REASON] == ANSWERED:
                for j in range(RACE_WORDS):
                    memory[other + j] = memory[race + j]
            return n
    return n + 1


@kernel
def _recall_or_solve(memory: Memory, race: int, black: int, white: int, limit: int, moves_of: int) -> bool:
    """Solve a race, or take what is known of one with the same surroundings from an earlier call with this memory."""
    key = (_local_key(memory, black, white) ^ ((limit * 4 + moves_of) * _PRIME)) & _MASK
    entry = CACHE + (key & (CACHE_ENTRIES - 1)) * CACHE_WORDS
    if memory[entry] != key:
        memory[entry + 1] = solve(memory, race, black, white, limit)
        if memory[entry + 1]:
            _list_moves(memory, race, limit, moves_of)
            for j in range(RACE_WORDS):
                memory[entry + 2 + j] = memory[race + j]
        memory[entry] = key
    elif memory[entry + 1]:
        for j in range(RACE_WORDS):
            memory[race + j] = memory[entry + 2 + j]
        memory[race + R_BLACK], memory[race + R_WHITE] = black, white
    return memory[entry + 1] != 0


@kernel
def _local_key(memory: Memory, black: int, white: int) -> np.int64:
    """Return a hash of two chains, of what lies within two steps of their liberties, and of the liberties of these.

    What lies farther away can change an answer, though rarely; a new memory remembers nothing.
    """
    w, near = memory[STRIDE], REFUTATION
    clear(memory, near)
    for chain in (black, white):
        stones, n = walk(memory, chain, np.int64(MAX_LIBERTIES))
        for i in range(stones):
            p = memory[CHAIN + i]
            add(memory, near, p)
            for side in range(4):
                add(memory, near, side_of(p, side, w))
        for i in range(n):
            p = memory[LIBERTIES + i]
            for side in range(4):
                q = side_of(p, side, w)
                add(memory, near, q)
                if at(memory, q) == EMPTY:
                    for side2 in range(4):
                        add(memory, near, side_of(q, side2, w))
    # Two races may have the same surroundings.
    key = ((ZOBRIST[EMPTY, black] * 5) ^ (ZOBRIST[EMPTY, white] * 7)) & _MASK
    for p in range(memory[POINTS]):
        c = at(memory, p)
        if c != BORDER and in_zone(memory, near, p):
            key ^= ZOBRIST[c, p]
            if c != EMPTY:
                key ^= (ZOBRIST[c, p] * (2 + count(memory, p, np.int64(MAX_LIBERTIES)))) & _MASK
    return key


@inlined
def _is_between(memory: Memory, race: int, black: int, white: int) -> bool:
    """Return whether a race is one of these two groups."""
    return memory[GROUPS + memory[race + R_BLACK]] == black and memory[GROUPS + memory[race + R_WHITE]] == white


@kernel
def _group_stones(state: State, memory: Memory, group: int) -> int:
    stones = 0
    for p in range(state.points):
        if memory[GROUPS + p] == group:
            stones += np.int64(state.stones[p])
    return stones


@kernel
def solve(memory: Memory, race: int, black: int, white: int, limit: int) -> bool:
    """Write the outcomes of the race between two chains. Returns False if it is none: one of them is not in danger."""
    memory[FLAGS] = 0
    _, n = walk(memory, black, np.int64(MAX_LIBERTIES))
    for i in range(n):
        memory[OWN_LIBERTIES + i] = memory[LIBERTIES + i]
    shared = _n_shared(memory, white, n)
    m = count(memory, white, np.int64(MAX_LIBERTIES))
    first, second = UNKNOWN, UNKNOWN
    if n > m and search(memory, np.int64(BLACK), white, black, np.int64(0), np.int64(0), limit):
        first, second = BLACK_WINS, BLACK_WINS
    elif m > n and search(memory, np.int64(WHITE), black, white, np.int64(0), np.int64(0), limit):
        first, second = WHITE_WINS, WHITE_WINS
    if first == UNKNOWN:
        if search(memory, np.int64(BLACK), white, black, np.int64(1), np.int64(0), limit):
            first = BLACK_WINS
        if search(memory, np.int64(WHITE), black, white, np.int64(1), np.int64(0), limit):
            second = WHITE_WINS
        if first == BLACK_WINS and second == UNKNOWN and n <= m:
            wins = search(memory, np.int64(BLACK), white, black, np.int64(0), np.int64(0), limit)
            second = BLACK_WINS if wins else UNKNOWN
        elif second == WHITE_WINS and first == UNKNOWN and m <= n:
            wins = search(memory, np.int64(WHITE), black, white, np.int64(0), np.int64(0), limit)
            first = WHITE_WINS if wins else UNKNOWN
    flags = memory[FLAGS]
    if (first != BLACK_WINS or second == BLACK_WINS) and not is_in_danger(memory, black, white, limit):
        return False
    if (second != WHITE_WINS or first == WHITE_WINS) and not is_in_danger(memory, white, black, limit):
        return False
    reason = ANSWERED
    if first == UNKNOWN or second == UNKNOWN:
        reason = FOR_NODES if flags & TOO_MANY_NODES else FOR_KO if flags & KO else FOR_ESCAPE
    for i in range(RACE_WORDS):
        memory[race + i] = 0
    memory[race + R_BLACK], memory[race + R_WHITE] = black, white
    memory[race + R_BLACK_LIBERTIES], memory[race + R_WHITE_LIBERTIES] = n, m
    memory[race + R_SHARED] = shared
    memory[race + R_BLACK_FIRST], memory[race + R_WHITE_FIRST] = first, second
    memory[race + R_REASON] = reason
    return True


@kernel
def _sort(memory: Memory, n: int) -> None:
    """Sort races, those with most stones first."""
    for i in range(1, n):
        k = i
        while k and _size(memory, k) > _size(memory, k - 1):
            a, b = FOUND + k * RACE_WORDS, FOUND + (k - 1) * RACE_WORDS
            for j in range(RACE_WORDS):
                memory[a + j], memory[b + j] = memory[b + j], memory[a + j]
            k -= 1


@inlined
def _size(memory: Memory, race: int) -> int:
    first = FOUND + race * RACE_WORDS
    return memory[first + R_BLACK_STONES] + memory[first + R_WHITE_STONES]


@inlined
def is_urgent(memory: Memory, race: int) -> bool:
    """Return whether each player wins the race if he moves first."""
    return memory[race + R_BLACK_FIRST] == BLACK_WINS and memory[race + R_WHITE_FIRST] == WHITE_WINS


@kernel
def _list_moves(memory: Memory, race: int, limit: int, moves_of: int) -> None:
    """List the necessary moves of an urgent race.

    After a pass the other player wins, by a proof with a zone that bears one move outside. A move outside that zone
    changes nothing about it. So the moves inside are all that may win, and each is tried.
    """
    if not is_urgent(memory, race):
        return
    for color in range(BLACK, WHITE + 1):
        if not moves_of & color:
            continue
        own = memory[race + (R_BLACK if color == BLACK else R_WHITE)]
        rival = memory[race + (R_WHITE if color == BLACK else R_BLACK)]
        if not search(memory, 3 - color, own, rival, np.int64(1), np.int64(1), limit):
            continue
        for i in range(ZONE_WORDS):
            memory[REFUTATION + i] = memory[ZONES + i]
        for p in range(memory[POINTS]):  # a move that captures one of the winner's chains matters, too
            if at(memory, p) == 3 - color and in_zone(memory, REFUTATION, p) and count(memory, p, np.int64(1)) == 1:
                add_chain(memory, REFUTATION, p, np.int64(0))
        n = 0
        moves = race + (R_BLACK_MOVES if color == BLACK else R_WHITE_MOVES)
        best, best_rank = 0, -1
        for p in range(memory[POINTS]):
            if n == MAX_MOVES or at(memory, p) != EMPTY or not in_zone(memory, REFUTATION, p):
                continue
            rank = 2 * touches(memory, p, rival) + (not touches(memory, p, own))
            captured = put(memory, p, color)
            if captured < 0:
                continue
            wins = at(memory, rival) == EMPTY or (
                (captured != 1 or walk(memory, p, np.int64(MAX_POINTS)) != (1, 1))
                and search(memory, color, rival, own, np.int64(0), np.int64(0), limit)
            )
            take_back(memory, p, color, captured)
            if wins:
                memory[moves + n] = p
                if rank > best_rank:
                    best, best_rank = n, rank
                n += 1
        memory[race + (R_N_BLACK_MOVES if color == BLACK else R_N_WHITE_MOVES)] = n
        memory[moves], memory[moves + best] = memory[moves + best], memory[moves]


@kernel
def touches(memory: Memory, p: int, stone: int) -> bool:
    """Return whether a point is a liberty of the chain at ``stone``."""
    _, n = walk(memory, stone, np.int64(MAX_POINTS))
    i = 0
    while i < n and memory[LIBERTIES + i] != p:
        i += 1
    return i < n


@kernel
def list_races(states: NDArray[Any], memory: Memory, limit: int, moves_of: int, found: NDArray[Any]) -> int:
    """Write the races of ``states[0]`` to ``found``, an array of MAX_RACES records of RACE. Returns their number."""
    n = find_races(states[0], memory, limit, moves_of)
    for i in range(n):
        race, r = FOUND + i * RACE_WORDS, found[i]
        r.black, r.white = memory[race + R_BLACK], memory[race + R_WHITE]
        r.black_stones, r.white_stones = memory[race + R_BLACK_STONES], memory[race + R_WHITE_STONES]
        r.black_liberties, r.white_liberties = memory[race + R_BLACK_LIBERTIES], memory[race + R_WHITE_LIBERTIES]
        r.shared, r.reason = memory[race + R_SHARED], memory[race + R_REASON]
        r.black_first, r.white_first = memory[race + R_BLACK_FIRST], memory[race + R_WHITE_FIRST]
        r.n_black_moves, r.n_white_moves = memory[race + R_N_BLACK_MOVES], memory[race + R_N_WHITE_MOVES]
        for j in range(MAX_MOVES):
            r.black_moves[j] = memory[race + R_BLACK_MOVES + j]
            r.white_moves[j] = memory[race + R_WHITE_MOVES + j]
    return n

"""Capturing races (semeai): two groups that touch, each of which is dead unless it captures the other.

A group is a set of chains of one colour that share two liberties. For every pair of groups that touch, the search of
``race_search`` asks who captures whom if Black moves first and if White does. What it cannot prove is *unknown*; what
it answers is proven for the whole board, apart from ko.

A race is RACE_WORDS words of memory, in the order of the constants below; ``RACE`` is the same for Python.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels.board import MAX_POINTS, State
from semeai.games.go.kernels.race_board import (
    FLAGS,
    FOUND,
    GROUP_STONES,
    GROUPS,
    LIBERTIES,
    MAX_RACES,
    OWN_LIBERTIES,
    POINTS,
    RACE_WORDS,
    REFUTATION,
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
    take_back,
    walk,
)
from semeai.games.go.kernels.race_groups import list_pairs, pair, shared_liberties
from semeai.games.go.kernels.race_search import KO, MAX_LIBERTIES, TOO_MANY_NODES, is_in_danger, search
from semeai.games.go.kernels.tables import BLACK, EMPTY, WHITE
from semeai.jit import inlined, kernel

UNKNOWN, BLACK_WINS, WHITE_WINS = 0, 1, 2
"""Outcomes: who captures the other."""

_DANGER_SHARE = 0.5
"""Part of the positions per question that a search may read to show that a chain is in danger."""

ANSWERED, FOR_KO, FOR_NODES, FOR_ESCAPE = 0, 1, 2, 3
"""Why an outcome is unknown: it may depend on a ko; too many positions; no capture was found within the slack."""

NO_MOVES, ALSO_REFUTED = 0, 4
"""Which moves of urgent races are wanted: a sum of BLACK and WHITE; ALSO_REFUTED: say of which it is not known whether
they win."""

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
        ("black_best", np.int64),  # the move that is told first, or 0
        ("white_best", np.int64),
        # Sets of points, 32 per word; only of urgent races:
        ("black_moves", np.int64, ZONE_WORDS),  # the moves that win
        ("white_moves", np.int64, ZONE_WORDS),
        ("black_unclear", np.int64, ZONE_WORDS),  # the moves that are neither proven to win nor to lose
        ("white_unclear", np.int64, ZONE_WORDS),
        ("black_group", np.int64, ZONE_WORDS),  # the stones
        ("white_group", np.int64, ZONE_WORDS),
    ]
)

(
    R_BLACK, R_WHITE, R_BLACK_STONES, R_WHITE_STONES, R_BLACK_LIBERTIES, R_WHITE_LIBERTIES, R_SHARED,
    R_BLACK_FIRST, R_WHITE_FIRST, R_REASON, R_BLACK_BEST, R_WHITE_BEST, R_BLACK_MOVES,
) = range(13)  # fmt: skip
R_WHITE_MOVES = R_BLACK_MOVES + ZONE_WORDS
R_UNCLEAR = 2 * ZONE_WORDS
"""From the moves that win to those of which it is not known."""


@kernel
def find_races(state: State, memory: Memory, limit: int, moves_of: int) -> int:
    """Find the races of a position, the largest MAX_RACES of them. Returns their number.

    ``limit`` is the number of positions per question. ``moves_of`` says whose moves are wanted, see NO_MOVES.
    """
    n_pairs = list_pairs(state, memory)
    n = 0
    for i in range(n_pairs):
        if n < MAX_RACES:
            n = _consider(memory, n, i, limit)
    for i in range(n):
        list_moves(memory, FOUND + i * RACE_WORDS, limit, moves_of)
    return n


@kernel
def _consider(memory: Memory, n: int, i: int, limit: int) -> int:
    """Solve the race of pair ``i`` and note it as number ``n``, if it is one. Returns the new number of races.

    Two groups have one race: that of their first pair with an answer.
    """
    black, white = pair(memory, i)
    known = n
    for j in range(n):
        if _is_between(memory, FOUND + j * RACE_WORDS, memory[GROUPS + black], memory[GROUPS + white]):
            known = j
    if known < n and memory[FOUND + known * RACE_WORDS + R_REASON] == ANSWERED:
        return n
    race = FOUND + n * RACE_WORDS
    if not solve(memory, race, black, white, limit):
        return n
    memory[race + R_BLACK_STONES] = memory[GROUP_STONES + memory[GROUPS + black]]
    memory[race + R_WHITE_STONES] = memory[GROUP_STONES + memory[GROUPS + white]]
    if known == n:
        return n + 1
    if memory[race + R_REASON] == ANSWERED:
        for j in range(RACE_WORDS):
            memory[FOUND + known * RACE_WORDS + j] = memory[race + j]
    return n


@inlined
def _is_between(memory: Memory, race: int, black: int, white: int) -> bool:
    """Return whether a race is one of these two groups."""
    return memory[GROUPS + memory[race + R_BLACK]] == black and memory[GROUPS + memory[race + R_WHITE]] == white


@kernel
def solve(memory: Memory, race: int, black: int, white: int, limit: int) -> bool:
    """Write the outcomes of the race between two chains. Returns False if it is none: one of them is not in danger."""
    n = count(memory, black, np.int64(MAX_LIBERTIES))
    m = count(memory, white, np.int64(MAX_LIBERTIES))
    # Most pairs are no race: a chain escapes, the one with more liberties first. Many positions are needed only then.
    for i in range(2):
        target, own = (black, white) if (n >= m) == (i == 0) else (white, black)
        if not is_in_danger(memory, target, own, np.int64(_DANGER_SHARE * limit)):
            return False
    memory[FLAGS] = 0
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
    _write(memory, race, black, white, first, second)
    return True


@kernel
def _write(memory: Memory, race: int, black: int, white: int, first: int, second: int) -> None:
    """Write the outcomes of a race and the liberties of its chains."""
    flags = memory[FLAGS]
    for i in range(RACE_WORDS):
        memory[race + i] = 0
    memory[race + R_BLACK], memory[race + R_WHITE] = black, white
    _, n = walk(memory, black, np.int64(MAX_LIBERTIES))
    for i in range(n):
        memory[OWN_LIBERTIES + i] = memory[LIBERTIES + i]
    memory[race + R_BLACK_LIBERTIES] = n
    memory[race + R_WHITE_LIBERTIES] = count(memory, white, np.int64(MAX_LIBERTIES))
    memory[race + R_SHARED] = shared_liberties(memory, white, n)
    memory[race + R_BLACK_FIRST], memory[race + R_WHITE_FIRST] = first, second
    if first == UNKNOWN or second == UNKNOWN:
        memory[race + R_REASON] = FOR_NODES if flags & TOO_MANY_NODES else FOR_KO if flags & KO else FOR_ESCAPE


@inlined
def is_urgent(memory: Memory, race: int) -> bool:
    """Return whether each player wins the race if he moves first."""
    return memory[race + R_BLACK_FIRST] == BLACK_WINS and memory[race + R_WHITE_FIRST] == WHITE_WINS


@kernel
def list_moves(memory: Memory, race: int, limit: int, moves_of: int) -> None:
    """List the moves that win an urgent race, and with ALSO_REFUTED those of which it is not known.

    After a pass the other player wins, by a proof with a zone that bears one move outside. A move outside that zone
    changes nothing about it, so it loses. Each move inside is tried: it wins, it loses, or neither is proven.
    """
    if not is_urgent(memory, race):
        return
    for color in range(BLACK, WHITE + 1):
        if not moves_of & color:
            continue
        own = memory[race + (R_BLACK if color == BLACK else R_WHITE)]
        rival = memory[race + (R_WHITE if color == BLACK else R_BLACK)]
        if search(memory, 3 - color, own, rival, np.int64(1), np.int64(1), limit):
            _keep_refutation(memory, 3 - color)
        elif moves_of & ALSO_REFUTED:
            for p in range(memory[POINTS]):
                add(memory, REFUTATION, p)
        else:
            clear(memory, REFUTATION)
        moves = race + (R_BLACK_MOVES if color == BLACK else R_WHITE_MOVES)
        best_rank = -1
        for p in range(memory[POINTS]):
            if at(memory, p) != EMPTY or not in_zone(memory, REFUTATION, p):
                continue
            rank = 2 * touches(memory, p, rival) + (not touches(memory, p, own))
            captured = put(memory, p, color)
            if captured < 0:
                continue
            if _wins_after(memory, p, captured, color, own, rival, limit):
                add(memory, moves, p)
                if rank > best_rank:
                    best_rank = rank
                    memory[race + (R_BLACK_BEST if color == BLACK else R_WHITE_BEST)] = p
            elif moves_of & ALSO_REFUTED and not search(memory, 3 - color, own, rival, np.int64(1), np.int64(0), limit):
                add(memory, moves + R_UNCLEAR, p)
            take_back(memory, p, color, captured)


@kernel
def _keep_refutation(memory: Memory, winner: int) -> None:
    """Copy the zone of the last proof to REFUTATION, with the moves that capture one of the winner's chains."""
    for i in range(ZONE_WORDS):
        memory[REFUTATION + i] = memory[ZONES + i]
    for p in range(memory[POINTS]):
        if at(memory, p) == winner and in_zone(memory, REFUTATION, p) and count(memory, p, np.int64(1)) == 1:
            add_chain(memory, REFUTATION, p, np.int64(0))


@kernel
def _wins_after(memory: Memory, p: int, captured: int, color: int, own: int, rival: int, limit: int) -> bool:
    """Return whether the move at ``p``, just made, is proven to win. One that takes a ko is not."""
    if at(memory, rival) == EMPTY:
        return True
    if captured == 1 and walk(memory, p, np.int64(MAX_POINTS)) == (1, 1):
        return False
    return search(memory, color, rival, own, np.int64(0), np.int64(0), limit) > 0


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
    state = states[0]
    n = find_races(state, memory, limit, moves_of)
    for i in range(n):
        race, r = FOUND + i * RACE_WORDS, found[i]
        r.black, r.white = memory[race + R_BLACK], memory[race + R_WHITE]
        r.black_stones, r.white_stones = memory[race + R_BLACK_STONES], memory[race + R_WHITE_STONES]
        r.black_liberties, r.white_liberties = memory[race + R_BLACK_LIBERTIES], memory[race + R_WHITE_LIBERTIES]
        r.shared, r.reason = memory[race + R_SHARED], memory[race + R_REASON]
        r.black_first, r.white_first = memory[race + R_BLACK_FIRST], memory[race + R_WHITE_FIRST]
        r.black_best, r.white_best = memory[race + R_BLACK_BEST], memory[race + R_WHITE_BEST]
        for j in range(ZONE_WORDS):
            r.black_moves[j], r.white_moves[j] = memory[race + R_BLACK_MOVES + j], memory[race + R_WHITE_MOVES + j]
            r.black_unclear[j] = memory[race + R_BLACK_MOVES + R_UNCLEAR + j]
            r.white_unclear[j] = memory[race + R_WHITE_MOVES + R_UNCLEAR + j]
            r.black_group[j] = r.white_group[j] = 0
        for p in range(state.points):
            group = memory[GROUPS + np.int64(state.chain[p])]
            if group and group == memory[GROUPS + r.black]:
                r.black_group[p >> 5] |= np.int64(1) << (p & 31)
            elif group and group == memory[GROUPS + r.white]:
                r.white_group[p >> 5] |= np.int64(1) << (p & 31)
    return n

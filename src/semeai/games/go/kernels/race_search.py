"""Prove that one player captures a chain before a chain of his own is captured, whatever the opponent does anywhere.

The prover tries few moves, the opponent all that matter. A proof comes with a *zone*: the points that it depends on
(relevance zones: Shih, Wei, Wu and Wu 2022, "A novel approach to solving goal-achieving problems for board games").
First the opponent passes. If the prover still wins, only moves in the zone of that proof can refute it; they are tried
until the zone grows no more. So a proof holds on the whole board, in open positions too.

What a zone promises: the same line works on every board that differs only by more stones of the opponent outside the
zone, at most as many as he has passed, and by chains of the prover outside the zone that are gone. So each chain of
the prover with stones in the zone needs more liberties than the opponent has passed, or one liberty in the zone.

Ko is counted for the opponent: he may always retake, and the prover never takes a ko. What fails by that is unknown.
"""

import numpy as np

from semeai.games.go.kernels.board import MAX_POINTS
from semeai.games.go.kernels.race_board import (
    CHAIN,
    CHOICES,
    ENTRY,
    FLAGS,
    HASH,
    LEVELS,
    LIMIT,
    MAX_CHOICES,
    N_TAKEN,
    NODES,
    OWN,
    POINTS,
    PROVER,
    QUESTION,
    SPARED,
    SPENT,
    STRIDE,
    TABLE,
    TABLE_ENTRIES,
    TAKEN,
    TARGET,
    TRIED,
    ZONE_WORDS,
    ZONES,
    Memory,
    add,
    add_around,
    add_chain,
    add_with_neighbours,
    at,
    clear,
    count,
    join,
    put,
    side_of,
    take_back,
    walk,
)
from semeai.games.go.kernels.race_choices import list_choices
from semeai.games.go.kernels.race_counting import falls_by_count
from semeai.games.go.kernels.tables import EMPTY
from semeai.jit import inlined, kernel

KO, TOO_LONG, TOO_MANY_NODES = 1, 2, 4
"""Bits of ``FLAGS``: what may have kept a proof from being found."""

MAX_LIBERTIES = 12
"""A chain with more liberties is not searched."""
SLACK = 2
"""Moves that a player may spend on approach moves and on saving his own chain."""
_FAILED, _PROVEN = 1, 2
_PRIME = np.int64(1099511628211)
_MASK = np.int64((1 << 62) - 1)


@inlined
def _zone(level: int) -> int:
    return ZONES + level * ZONE_WORDS


@inlined
def _key(memory: Memory, passes: int, of_prover: int) -> np.int64:
    mixed = memory[HASH] ^ ((memory[QUESTION] * 128 + passes * 2 + of_prover) * _PRIME)
    return mixed & _MASK


@inlined
def _entry(key: np.int64) -> int:
    return TABLE + ((key ^ (key >> 23)) & (TABLE_ENTRIES - 1)) * ENTRY


@inlined
def _look_up(memory: Memory, key: np.int64, k: int, zone: int) -> int:
    """Return what is known of a position within ``k`` moves of the prover, and load its zone; 0 if nothing."""
    entry = _entry(key)
    if memory[np.uint64(entry)] != key:
        return 0
    known, moves = memory[np.uint64(entry + 1)] & 3, memory[np.uint64(entry + 1)] >> 2
    if known == _FAILED and k <= moves:
        return _FAILED
    if known == _PROVEN and k >= moves:
        for i in range((memory[POINTS] >> 5) + 1):
            memory[np.uint64(zone + i)] = memory[np.uint64(entry + 2 + i)]
        return _PROVEN
    return 0


@inlined
def _keep(memory: Memory, key: np.int64, k: int, result: int, zone: int) -> None:
    entry = _entry(key)
    memory[np.uint64(entry)] = key
    memory[np.uint64(entry + 1)] = k * 4 + result
    if result == _PROVEN:
        for i in range((memory[POINTS] >> 5) + 1):
            memory[np.uint64(entry + 2 + i)] = memory[np.uint64(zone + i)]


@kernel
def prove(memory: Memory, of_prover: int, k: int, passes: int, level: int) -> int:
    """Return 1 if the prover captures with at most ``k`` moves of his own, and write the zone of ``level``; else 0.

    ``of_prover`` says whose turn it is, ``passes`` how often the opponent has passed on the way.
    """
    memory[NODES] += 1
    target, own, prover = memory[TARGET], memory[OWN], memory[PROVER]
    zone = _zone(level)
    stones, liberties = walk(memory, target, k)
    if liberties > k or level >= LEVELS:
        memory[FLAGS] |= TOO_LONG
        return 0
    if memory[NODES] > memory[LIMIT]:
        memory[FLAGS] |= TOO_MANY_NODES
        return 0
    if of_prover and liberties == 1:
        clear(memory, zone)
        add_around(memory, zone, target)
        add(memory, zone, own)
        return 1
    counted = _count_out(memory, of_prover, stones, liberties, passes, level)
    if counted:
        return np.int64(counted == _PROVEN)
    key = _key(memory, passes, of_prover)
    known = _look_up(memory, key, k, zone)
    if known:
        return known - 1
    if of_prover:
        result = 0
        n = list_choices(memory, k, level)
        for i in range(n):
            p = memory[np.uint64(CHOICES + level * (MAX_CHOICES + 1) + i)]
            captured = put(memory, p, prover)
            if captured < 0:
                continue
            if captured == 1 and _may_be_ko(memory, p, passes):
                memory[FLAGS] |= KO
            elif (memory[SPARED] or count(memory, own, np.int64(1)) > 1) and prove(
                memory, np.int64(0), k - 1, passes, level + 1
            ):
                clear(memory, zone)
                join(memory, zone, _zone(level + 1))
                _add_own_move(memory, zone, p, captured, passes)
                result = 1
            take_back(memory, p, prover, captured)
            if result:
                break
    else:
        result = prove(memory, np.int64(1), k, passes + 1, level + 1)
        if result:
            clear(memory, zone)
            join(memory, zone, _zone(level + 1))
            tried = TRIED + level * ZONE_WORDS
            clear(memory, tried)
            p = _next_point(memory, zone, tried, np.int64(0))
            while p and result:
                if at(memory, p) == prover:
                    _add_guard(memory, zone, tried, p, passes)
                else:
                    captured = put(memory, p, 3 - prover)
                    if captured < 0:
                        _add_suicide(memory, zone, p, passes)
                    else:
                        if memory[SPARED] and at(memory, memory[SPARED]) == EMPTY:
                            pass
                        elif at(memory, own) != prover or not prove(memory, np.int64(1), k, passes, level + 1):
                            result = 0
                        else:
                            join(memory, zone, _zone(level + 1))
                            _add_neighbours(memory, zone, p, prover, passes)
                        take_back(memory, p, 3 - prover, captured)
                p = _next_point(memory, zone, tried, p)
    if result or memory[NODES] <= memory[LIMIT]:
        _keep(memory, key, k, result + 1, zone)
    return result


@inlined
def _count_out(memory: Memory, of_prover: int, stones: int, liberties: int, passes: int, level: int) -> int:
    """Return _PROVEN or _FAILED if counting decides, and 0 if not. The target was just walked."""
    own, is_safe = memory[OWN], memory[SPARED] != 0
    zone, seen = _zone(level), TRIED + level * ZONE_WORDS
    if falls_by_count(memory, stones, liberties, own, is_safe, liberties - of_prover, passes, zone, seen):
        return _PROVEN
    if is_safe:
        return 0
    stones, n = walk(memory, own, liberties)
    if n == 1 and not of_prover:
        return _FAILED
    moves = n - 1 + of_prover
    if n <= liberties and falls_by_count(memory, stones, n, memory[TARGET], False, moves, np.int64(0), zone, seen):
        return _FAILED
    return 0


@inlined
def _may_be_ko(memory: Memory, p: int, passes: int) -> bool:
    """Return whether the stone at ``p``, which has captured one, may be retaken as a ko on the other boards."""
    return count(memory, p, passes + 1) <= passes + 1 and walk(memory, p, np.int64(MAX_POINTS))[0] == 1


@kernel
def _next_point(memory: Memory, zone: int, tried: int, after: int) -> int:
    """Return an empty point or a stone of the prover in the zone that was not yet looked at, and mark it; 0 if none."""
    words = (memory[POINTS] >> 5) + 1
    start = after >> 5
    for j in range(words):
        i = start + j
        if i >= words:
            i -= words
        left = memory[np.uint64(zone + i)] & ~memory[np.uint64(tried + i)]
        p = i << 5
        while left:
            if left & 1:
                memory[np.uint64(tried + i)] |= np.int64(1) << (p & 31)
                c = at(memory, p)
                if c == EMPTY or c == memory[PROVER]:
                    return p
            left >>= 1
            p += 1
    return 0


@kernel
def _add_guard(memory: Memory, zone: int, tried: int, p: int, passes: int) -> None:
    """See to it that no move outside the zone captures the prover's chain at ``p``."""
    if count(memory, p, passes + 1) <= passes + 1:
        add_chain(memory, zone, p, np.int64(0))
    n, _ = walk(memory, p, np.int64(MAX_POINTS))
    for i in range(n):
        add(memory, tried, memory[np.uint64(CHAIN + i)])


@kernel
def _add_neighbours(memory: Memory, zone: int, p: int, color: int, passes: int) -> None:
    """See to it that the move at ``p``, just made, captures no chain of ``color`` beside it on the other boards."""
    w = memory[STRIDE]
    for side in range(4):
        q = side_of(p, side, w)
        if at(memory, q) == color and count(memory, q, passes) <= passes:
            add_chain(memory, zone, q, np.int64(0))


@kernel
def _add_own_move(memory: Memory, zone: int, p: int, captured: int, passes: int) -> None:
    """Add what the prover's move at ``p``, just made, depends on."""
    prover, w = memory[PROVER], memory[STRIDE]
    add(memory, zone, p)
    if count(memory, p, passes) <= passes:
        add_chain(memory, zone, p, np.int64(0))
    for side in range(4):
        q = side_of(p, side, w)
        if at(memory, q) == prover:
            add(memory, zone, q)
    _add_neighbours(memory, zone, p, 3 - prover, passes)
    add_with_neighbours(memory, zone, TAKEN + memory[N_TAKEN] - captured, captured)


@kernel
def _add_suicide(memory: Memory, zone: int, p: int, passes: int) -> None:
    """See to it that the opponent's move at ``p``, which is suicide, stays so on the other boards."""
    prover, w = memory[PROVER], memory[STRIDE]
    for side in range(4):
        q = side_of(p, side, w)
        c = at(memory, q)
        if c == 3 - prover:
            add_around(memory, zone, q)
        elif c == prover:
            add(memory, zone, q)
            if count(memory, q, passes + 1) <= passes + 1:
                add_chain(memory, zone, q, p)


@kernel
def search(memory: Memory, prover: int, target: int, own: int, of_prover: int, passes: int, limit: int) -> int:
    """Return the prover's moves within which he captures ``target`` before ``own`` is captured; 0: no proof found.

    At most SLACK more moves than the target has liberties are allowed, and ``limit`` nodes.
    The zone of the proof is that of level 0; it bears ``passes`` moves that the opponent made before.
    """
    memory[PROVER], memory[TARGET], memory[OWN], memory[SPARED] = prover, target, own, 0
    return _deepen(memory, of_prover, passes, limit)


@kernel
def is_in_danger(memory: Memory, target: int, own: int, limit: int) -> bool:
    """Return whether ``target`` would be captured, moving second, if its owner could not capture ``own``."""
    memory[PROVER], memory[TARGET], memory[OWN], memory[SPARED] = at(memory, own), target, own, own
    return _deepen(memory, np.int64(1), np.int64(0), limit) > 0


@kernel
def _deepen(memory: Memory, of_prover: int, passes: int, limit: int) -> int:
    target = memory[TARGET]
    memory[QUESTION] += 1
    least = count(memory, target, np.int64(MAX_LIBERTIES))
    if least > MAX_LIBERTIES:
        memory[FLAGS] |= TOO_LONG
        return 0
    memory[NODES], memory[LIMIT] = 0, limit
    found, k = 0, least
    while not found and k <= least + SLACK and memory[NODES] <= limit:
        if prove(memory, of_prover, k, passes, np.int64(0)):
            found = k
        k += 1
    memory[SPENT] += memory[NODES]
    return found

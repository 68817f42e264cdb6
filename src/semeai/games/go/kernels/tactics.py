"""Liberties that a move would leave, chains with two liberties, and simple ladders."""

import numpy as np

from semeai.games.go.kernels.board import (
    State,
    color_at,
    copy_board,
    in_atari,
    is_legal,
    only_liberty,
    pack,
    play_point,
    traits_at,
    word_at,
)
from semeai.games.go.kernels.tables import BORDER, EMPTY, HAS_TWO_LIBERTIES
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

MAX_LADDER = 200


@kernel
def is_self_atari(state: State, p: int, color: int, stones: int, w: int) -> bool:
    """Return whether ``p`` leaves a chain of ``stones`` or more stones with one liberty and captures nothing."""
    if traits_at(state, p) & HAS_TWO_LIBERTIES:
        return False
    word, size = np.uint64(0), np.int64(1)
    mine = pack(p)
    c0, c1, c2 = np.int64(0), np.int64(0), np.int64(0)
    for side in range(4):
        n = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        c = color_at(state, n)
        if c == EMPTY:
            word += pack(n)
        elif c == color:
            chain = np.int64(state.chain[np.uint64(n)])
            word -= mine
            if chain != c0 and chain != c1 and chain != c2:
                word += state.liberties[np.uint64(chain)]
                size += np.int64(state.stones[np.uint64(chain)])
                c0, c1, c2 = chain, c0, c1
        elif c != BORDER and in_atari(word_at(state, n)):
            return False
    return size >= stones and in_atari(word)


@inlined
def _note(p: int, a: int, b: int) -> tuple[int, int, bool]:
    """Add a liberty to the pair found so far. Returns True if it is a third one."""
    if a == 0 or a == p:
        return p, b, False
    if b == 0 or b == p:
        return a, p, False
    return a, b, True


@kernel
def two_liberties(state: State, start: int, w: int) -> tuple[int, int]:
    """Return the liberties of the chain at ``start`` if it has exactly two, else (0, 0)."""
    word = word_at(state, start)
    if (word & np.uint64(0xFFF)) > 8 or in_atari(word):
        return 0, 0
    a, b = np.int64(0), np.int64(0)
    q = start
    while True:
        for side in range(4):
            n = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
            if color_at(state, n) == EMPTY:
                a, b, third = _note(n, a, b)
                if third:
                    return 0, 0
        q = np.int64(state.next[np.uint64(q)])
        if q == start:
            return a, b


@kernel
def gains_liberties(state: State, p: int, other: int, chain: int, w: int) -> bool:
    """Return quickly whether ``chain``, with liberties ``p`` and ``other``, has more than two after playing ``p``."""
    gain, color = 0, color_at(state, chain)
    for side in range(4):
        n = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        c = color_at(state, n)
        if c == EMPTY:
            gain += n != other
        elif c == color:
            gain += np.int64(state.chain[np.uint64(n)]) != chain and not in_atari(word_at(state, n))
        elif c != BORDER and in_atari(word_at(state, n)):
            return True
    return gain >= 2


@kernel
def _can_capture_neighbour(state: State, start: int, w: int) -> bool:
    """Return whether a stone beside the chain at ``start`` is in atari and may be captured."""
    color = color_at(state, start)
    q = start
    while True:
        for side in range(4):
            n = q - w if side == 0 else q - 1 if side == 1 else q + 1 if side == 2 else q + w
            if color_at(state, n) == 3 - color:
                word = word_at(state, n)
                if in_atari(word) and only_liberty(word) != state.ko:
                    return True
        q = np.int64(state.next[np.uint64(q)])
        if q == start:
            return False


@kernel
def ladder_works(spare: State, target: int, w: int) -> bool:
    """Return whether a ladder catches the chain at ``target``, which has two liberties; its enemy is to move.

    One line is read on ``spare``: the attacker blocks where the defender would gain most.
    """
    color = color_at(spare, target)
    enemy = 3 - color
    for _ in range(MAX_LADDER):
        a, b = two_liberties(spare, target, w)
        if a == 0:
            return in_atari(word_at(spare, target))
        if _room(spare, b, a, w) > _room(spare, a, b, w):
            a, b = b, a
        if not is_legal(spare, a, enemy) or is_self_atari(spare, a, enemy, 1, w):
            a, b = b, a
            if not is_legal(spare, a, enemy) or is_self_atari(spare, a, enemy, 1, w):
                return False
        play_point(spare, a, enemy)
        if _can_capture_neighbour(spare, target, w):
            return False
        if not is_legal(spare, b, color):
            return True
        play_point(spare, b, color)
        if in_atari(word_at(spare, target)):
            return True
    return False


@inlined
def _room(state: State, p: int, other: int, w: int) -> int:
    """Return the number of liberties that an extension at ``p`` brings."""
    room = 0
    for side in range(4):
        n = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        room += color_at(state, n) == EMPTY and n != other
    return room


@kernel
def runs_out(state: State, spare: State, p: int, target: int, color: int, w: int) -> bool:
    """Return whether extending the chain in atari at ``target`` by ``p`` saves it from a ladder."""
    copy_board(spare, state)
    play_point(spare, p, color)
    if in_atari(word_at(spare, target)):
        return False
    a, _ = two_liberties(spare, target, w)
    return a == 0 or not ladder_works(spare, target, w)


@kernel
def catches(state: State, spare: State, p: int, target: int, color: int, w: int) -> bool:
    """Return whether ``p`` puts the chain at ``target``, which has two liberties, in an atari it cannot leave."""
    copy_board(spare, state)
    play_point(spare, p, color)
    if _can_capture_neighbour(spare, target, w):
        return False
    escape = only_liberty(word_at(spare, target))
    if not is_legal(spare, escape, 3 - color):
        return True
    play_point(spare, escape, 3 - color)
    if in_atari(word_at(spare, target)):
        return True
    a, _ = two_liberties(spare, target, w)
    return a != 0 and ladder_works(spare, target, w)


@kernel
def measure_distance(state: State, scratch: Record, most: int) -> None:
    """Measure the distance of every point to the last move in the common fate graph, where a chain is one vertex.

    It is written to ``scratch.distance``; ``most`` + 1 stands for farther points (Graepel et al. 2001).
    """
    w = state.stride
    for p in range(state.points):
        scratch.distance[p] = most + 1
    if state.last == 0:
        return
    n, i = 0, 0
    n = _reach(state, state.last, 0, n, scratch)
    while i < n:
        p = np.int64(scratch.candidates[np.uint64(i)])
        i += 1
        d = np.int64(scratch.distance[np.uint64(p)]) + 1
        if d > most:
            return
        for side in range(4):
            q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
            if color_at(state, q) != BORDER and scratch.distance[np.uint64(q)] > d:
                n = _reach(state, q, d, n, scratch)


@kernel
def _reach(state: State, p: int, d: int, n: int, scratch: Record) -> int:
    """Give the point, or its whole chain, the distance ``d`` and queue it."""
    if color_at(state, p) == EMPTY:
        scratch.distance[np.uint64(p)] = d
        scratch.candidates[np.uint64(n)] = p
        return n + 1
    q = p
    while True:
        scratch.distance[np.uint64(q)] = d
        scratch.candidates[np.uint64(n)] = q
        n += 1
        q = np.int64(state.next[np.uint64(q)])
        if q == p:
            return n


@kernel
def measure_remoteness(state: State, scratch: Record, most: int) -> None:
    """Write the steps from every point to the nearest stone to ``scratch.remoteness``; at most ``most`` + 1."""
    w = state.stride
    n, i = 0, 0
    for p in range(state.points):
        c = color_at(state, p)
        if c == EMPTY or c == BORDER:
            scratch.remoteness[p] = most + 1
        else:
            scratch.remoteness[p] = 0
            scratch.candidates[n] = p
            n += 1
    while i < n:
        p = np.int64(scratch.candidates[np.uint64(i)])
        i += 1
        d = np.int64(scratch.remoteness[np.uint64(p)]) + 1
        if d > most:
            return
        for side in range(4):
            q = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
            if color_at(state, q) == EMPTY and scratch.remoteness[np.uint64(q)] > d:
                scratch.remoteness[np.uint64(q)] = d
                scratch.candidates[np.uint64(n)] = q
                n += 1

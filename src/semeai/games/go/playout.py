"""Playouts: uniformly random moves that fill no eyes (light), or MoGo's rules around the last moves.

MoGo's sequence-like playouts (Gelly et al. 2006; Wang & Gelly 2007): capture the stone just played, save what it put
in atari, then nakade, chains with two liberties, 3x3 shapes around the last move, captures anywhere, and at last a
random point. Each rule has a probability, 0 to leave it out.
"""

import numpy as np

from semeai.games.go.board import (
    State,
    color_at,
    in_atari,
    legal_without_liberty,
    only_liberty,
    play_pass,
    play_point,
    random_point,
    traits_at,
    word_at,
)
from semeai.games.go.rules import CERTAIN
from semeai.games.go.tables import BORDER, EMPTY, HAS_LIBERTY, HAS_TWO_LIBERTIES, SHAPE
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel
from semeai.rng_kernels import below

MAX_CANDIDATES = 60
"""Of one rule; a ladder round the whole board can offer more captures than are worth listing."""


@inlined
def happens(scratch: Record, probability: int) -> bool:
    """A coin that needs no random number when it is certain."""
    if probability >= CERTAIN:
        return True
    return probability > 0 and below(scratch, CERTAIN) < probability


@kernel
def escapes(state: State, p: int, color: int, chain: int) -> bool:
    """Whether the chain in atari has more than one liberty after extending at ``p``, at a glance."""
    if traits_at(state, p) & HAS_TWO_LIBERTIES:
        return True
    w = state.stride
    return (
        _opens(state, p - w, color, chain)
        or _opens(state, p - 1, color, chain)
        or _opens(state, p + 1, color, chain)
        or _opens(state, p + w, color, chain)
    )


@inlined
def _opens(state: State, n: int, color: int, chain: int) -> bool:
    """A neighbour of the extension gives liberties: another chain of ours not in atari, or an enemy that is."""
    c = color_at(state, n)
    if c == EMPTY or c == BORDER:
        return False
    other = np.int64(state.chain[np.uint64(n)])
    return other != chain and (c == color) != in_atari(state.liberties[np.uint64(other)])


@kernel
def _add_capture(state: State, n: int, enemy: int, found: int, scratch: Record) -> int:
    if color_at(state, n) == enemy and found < MAX_CANDIDATES:
        word = word_at(state, n)
        if in_atari(word):
            p = only_liberty(word)
            if p != state.ko:
                scratch.candidates[np.uint64(found)] = p
                found += 1
    return found


@kernel
def add_rescues(state: State, q: int, color: int, found: int, scratch: Record) -> int:
    """Moves that save the chain at ``q`` from atari: its extension, and captures of the stones around it."""
    w = state.stride
    chain = np.int64(state.chain[np.uint64(q)])
    p = only_liberty(state.liberties[np.uint64(chain)])
    if p != state.ko and escapes(state, p, color, chain):
        scratch.candidates[np.uint64(found)] = p
        found += 1
    s = q
    while True:
        found = _add_capture(state, s - w, 3 - color, found, scratch)
        found = _add_capture(state, s - 1, 3 - color, found, scratch)
        found = _add_capture(state, s + 1, 3 - color, found, scratch)
        found = _add_capture(state, s + w, 3 - color, found, scratch)
        s = np.int64(state.next[np.uint64(s)])
        if s == q:
            return found


@inlined
def _endangered(state: State, q: int, color: int) -> bool:
    """Whether a chain of ``color`` in atari is at ``q``."""
    return color_at(state, q) == color and in_atari(word_at(state, q))


@kernel
def _add_all_rescues(state: State, color: int, rules: Record, found: int, scratch: Record) -> int:
    """Rescues of each chain beside the last move that is in atari, once a chain."""
    last, w = state.last, state.stride
    first, second, third = -1, -1, -1
    for q in (last - w, last - 1, last + 1, last + w):
        if not _endangered(state, q, color):
            continue
        chain = np.int64(state.chain[np.uint64(q)])
        if chain == first or chain == second or chain == third:
            continue
        first, second, third = chain, first, second
        if happens(scratch, rules.save):
            found = add_rescues(state, q, color, found, scratch)
    return found


@inlined
def _atari_moves(state: State, last: int, color: int, rules: Record, scratch: Record, w: int) -> int:
    """Answers to the atari that the last move gave, or put itself into."""
    found = 0
    word = word_at(state, last)
    if in_atari(word) and happens(scratch, rules.capture):
        p = only_liberty(word)
        if p != state.ko:
            scratch.candidates[0] = p
            found = 1
    if (
        _endangered(state, last - w, color)
        or _endangered(state, last - 1, color)
        or _endangered(state, last + 1, color)
        or _endangered(state, last + w, color)
    ):
        found = _add_all_rescues(state, color, rules, found, scratch)
    return found


@inlined
def _add_shape(state: State, q: int, color: int, found: int, scratch: Record, w: int) -> int:
    if color_at(state, q) == EMPTY:
        traits = traits_at(state, q)
        if traits & (SHAPE * color) and (traits & HAS_LIBERTY or legal_without_liberty(state, q, color, w)):
            scratch.candidates[np.uint64(found)] = q
            found += 1
    return found


@inlined
def _shape_moves(state: State, around: int, color: int, scratch: Record, w: int) -> int:
    """The points beside ``around`` where ``color`` would make a shape of the table."""
    found = _add_shape(state, around - w - 1, color, 0, scratch, w)
    found = _add_shape(state, around - w, color, found, scratch, w)
    found = _add_shape(state, around - w + 1, color, found, scratch, w)
    found = _add_shape(state, around - 1, color, found, scratch, w)
    found = _add_shape(state, around + 1, color, found, scratch, w)
    found = _add_shape(state, around + w - 1, color, found, scratch, w)
    found = _add_shape(state, around + w, color, found, scratch, w)
    return _add_shape(state, around + w + 1, color, found, scratch, w)


@inlined
def _pick(scratch: Record, found: int) -> int:
    return np.int64(scratch.candidates[np.uint64(0 if found == 1 else below(scratch, found))])


@inlined
def policy_move(state: State, color: int, rules: Record, scratch: Record) -> int:
    """The next move of a MoGo-style playout."""
    if state.last:
        last, w = state.last, state.stride
        found = _atari_moves(state, last, color, rules, scratch, w)
        if found:
            return _pick(scratch, found)
        if happens(scratch, rules.shape):
            found = _shape_moves(state, last, color, scratch, w)
            if found:
                return _pick(scratch, found)
    return random_point(state, color, scratch)


@inlined
def _play_and_note(state: State, p: int, color: int, n: int, scratch: Record) -> None:
    if p:
        play_point(state, p, color)
    else:
        play_pass(state)
    scratch.played[np.uint64(n)] = p
    scratch.played_by[np.uint64(n)] = color


@kernel
def play_out(state: State, rules: Record, scratch: Record) -> int:
    """Play until two passes or three moves a point; the number of moves."""
    color = state.to_move
    start = scratch.n_played
    n, limit = start, start + 3 * state.size * state.size
    if rules.mogo:
        while state.passes < 2 and n < limit:
            _play_and_note(state, policy_move(state, color, rules, scratch), color, n, scratch)
            color = 3 - color
            n += 1
    else:
        while state.passes < 2 and n < limit:
            _play_and_note(state, random_point(state, color, scratch), color, n, scratch)
            color = 3 - color
            n += 1
    scratch.n_played = n
    state.to_move = color
    return n - start

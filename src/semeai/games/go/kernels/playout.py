"""Playouts: uniformly random moves that fill no eyes (light), or MoGo's rules around the last moves.

MoGo's sequence-like playouts (Gelly et al. 2006; Wang & Gelly 2007): capture the stone just played, save what it put
in atari, then nakade, chains with two liberties, 3x3 shapes around the last move, captures anywhere, and at last a
random point. Each rule has a probability, 0 to leave it out.
"""

from typing import NamedTuple

import numpy as np

from semeai.games.go.kernels.board import (
    PASS,
    State,
    color_at,
    in_atari,
    is_playable,
    legal_without_liberty,
    only_liberty,
    play_pass,
    play_point,
    random_point,
    set_aside,
    traits_at,
    word_at,
)
from semeai.games.go.kernels.nakade import kills_inside, nakade_move, wastes_room
from semeai.games.go.kernels.tables import (
    BORDER,
    EMPTY,
    HAS_LIBERTY,
    HAS_TWO_LIBERTIES,
    SHAPE,
)
from semeai.games.go.kernels.tactics import gains_liberties, is_self_atari, two_liberties
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel, optional
from semeai.rng_kernels import CERTAIN, below, happens

MAX_CANDIDATES = 60
"""Limit of candidates per rule; a ladder round the whole board can offer more captures than are worth listing."""


_CAPTURE_TRIES = 8


@kernel
def escapes(state: State, p: int, color: int, chain: int) -> bool:
    """Return quickly whether the chain in atari has more than one liberty after extending at ``p``."""
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
    """Return whether a neighbour of the extension gives liberties: an own chain not in atari, or an enemy in atari."""
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
    """Add moves that save the chain at ``q`` from atari: its extension, and captures of the stones around it."""
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
    """Return whether there is a chain of ``color`` in atari at ``q``."""
    return color_at(state, q) == color and in_atari(word_at(state, q))


@kernel
def _add_all_rescues(state: State, color: int, policy: Record, found: int, scratch: Record) -> int:
    """Add rescues of each chain in atari beside the last move, once per chain."""
    last, w = state.last, state.stride
    first, second, third = -1, -1, -1
    for q in (last - w, last - 1, last + 1, last + w):
        if not _endangered(state, q, color):
            continue
        chain = np.int64(state.chain[np.uint64(q)])
        if chain == first or chain == second or chain == third:
            continue
        first, second, third = chain, first, second
        if happens(scratch, policy.save):
            found = add_rescues(state, q, color, found, scratch)
    return found


@inlined
def _atari_moves(state: State, last: int, color: int, policy: Record, scratch: Record, w: int) -> int:
    """Add answers to the atari that the last move gave, or put itself into."""
    found = 0
    word = word_at(state, last)
    if in_atari(word) and happens(scratch, policy.capture):
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
        found = _add_all_rescues(state, color, policy, found, scratch)
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
    """Add the points beside ``around`` where ``color`` would make a shape of the table."""
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
def _kills_itself(state: State, p: int, color: int, policy: Record, w: int) -> bool:
    """Return whether the move puts many own stones in atari without killing a group from inside."""
    return is_self_atari(state, p, color, policy.self_atari_stones, w) and not kills_inside(state, p, color, w)


@kernel
def _without_self_atari(state: State, color: int, found: int, policy: Record, scratch: Record, w: int) -> int:
    """Drop candidates that put many stones in atari."""
    kept = 0
    for i in range(found):
        p = np.int64(scratch.candidates[np.uint64(i)])
        if not _kills_itself(state, p, color, policy, w):
            scratch.candidates[np.uint64(kept)] = p
            kept += 1
    return kept


@kernel
def _pick_safe(state: State, color: int, found: int, policy: Record, scratch: Record, w: int) -> int:
    """Return a random candidate that does not put many stones in atari, or 0; faster than to drop those first."""
    while found:
        i = below(scratch, found) if found > 1 else 0
        p = np.int64(scratch.candidates[np.uint64(i)])
        if not _kills_itself(state, p, color, policy, w):
            return p
        found -= 1
        scratch.candidates[np.uint64(i)] = scratch.candidates[np.uint64(found)]
    return 0


@kernel
def _two_liberty_moves(state: State, last: int, color: int, scratch: Record, w: int) -> int:
    """Add ataris on the chain just played if it has two liberties, and moves that strengthen neighbours with two."""
    found = 0
    a, b = two_liberties(state, last, w)
    if a:
        found = _add_if_safe(state, a, color, found, scratch, w)
        found = _add_if_safe(state, b, color, found, scratch, w)
    first, second, third = 0, 0, 0
    for side in range(4):
        q = last - w if side == 0 else last - 1 if side == 1 else last + 1 if side == 2 else last + w
        if color_at(state, q) != color:
            continue
        chain = np.int64(state.chain[np.uint64(q)])
        if chain == first or chain == second or chain == third:
            continue
        first, second, third = chain, first, second
        a, b = two_liberties(state, q, w)
        if a:
            if gains_liberties(state, a, b, chain, w):
                found = _add_if_safe(state, a, color, found, scratch, w)
            if gains_liberties(state, b, a, chain, w):
                found = _add_if_safe(state, b, color, found, scratch, w)
    return found


@inlined
def _add_if_safe(state: State, p: int, color: int, found: int, scratch: Record, w: int) -> int:
    if is_playable(state, p, color, w) and not is_self_atari(state, p, color, 1, w):
        scratch.candidates[np.uint64(found)] = p
        found += 1
    return found


@inlined
def _shape_move(state: State, around: int, color: int, policy: Record, scratch: Record, w: int) -> int:
    """Return a shape beside ``around``, or 0."""
    found = _shape_moves(state, around, color, scratch, w)
    if found == 0:
        return 0
    if happens(scratch, policy.refuse_self_atari):
        return _pick_safe(state, color, found, policy, scratch, w)
    return _pick(scratch, found)


@kernel
def _capture_anywhere(state: State, color: int, scratch: Record, w: int) -> int:
    """Return a point among a few random ones that captures, or 0."""
    m = state.n_empty
    if m == 0:
        return 0
    i = below(scratch, m)
    for _ in range(min(m, _CAPTURE_TRIES)):
        p = np.int64(state.empties[np.uint64(i)])
        if p != state.ko and (
            _endangered(state, p - w, 3 - color)
            or _endangered(state, p - 1, 3 - color)
            or _endangered(state, p + 1, 3 - color)
            or _endangered(state, p + w, 3 - color)
        ):
            return p
        i += 1
        if i == m:
            i = 0
    return 0


@kernel
def safe_random_point(state: State, color: int, policy: Record, scratch: Record, w: int) -> int:
    """Return a random playable point that is no large self-atari; PASS if there is none."""
    m = state.n_empty
    while m:
        i = below(scratch, m)
        p = np.int64(state.empties[np.uint64(i)])
        if (
            is_playable(state, p, color, w)
            and not (
                is_self_atari(state, p, color, policy.self_atari_stones, w)
                and happens(scratch, policy.refuse_self_atari)
                and not kills_inside(state, p, color, w)
            )
            and not wastes_room(state, p, color, scratch, w)
        ):
            return p
        m -= 1
        set_aside(state, p, i, m)
    return PASS


class AnswerRules(NamedTuple):
    """What ``answers`` reads of a policy."""

    mogo: int = 1
    capture: int = CERTAIN
    save: int = CERTAIN
    nakade: int = CERTAIN
    two_liberties: int = CERTAIN
    shape: int = CERTAIN
    refuse_self_atari: int = CERTAIN
    self_atari_stones: int = 2


ALL_RULES = AnswerRules()
"""Every rule, always: so the answers depend on the position alone, and not on the settings of a player."""


@kernel
def answers(state: State, color: int, policy: Record, scratch: Record) -> int:
    """Write the answers of the first rule that applies into ``scratch.candidates``. Returns their number."""
    last, w = state.last, state.stride
    if last == 0 or not policy.mogo:
        return 0
    found = _atari_moves(state, last, color, policy, scratch, w)
    if found == 0 and policy.nakade:
        p = nakade_move(state, last, color, scratch, w)
        if p:
            scratch.candidates[0] = p
            return 1
    if found == 0 and policy.two_liberties:
        found = _two_liberty_moves(state, last, color, scratch, w)
    if found == 0 and policy.shape:
        found = _shape_moves(state, last, color, scratch, w)
        if policy.refuse_self_atari:
            found = _without_self_atari(state, color, found, policy, scratch, w)
    return found


@inlined
def policy_move(state: State, color: int, policy: Record, scratch: Record) -> int:
    """Return the next move of a MoGo-style playout."""
    w = state.stride
    last = state.last
    if last:
        found = _atari_moves(state, last, color, policy, scratch, w)
        if found:
            return _pick(scratch, found)
        if happens(scratch, policy.nakade):
            p = nakade_move(state, last, color, scratch, w)
            if p:
                return p
        if happens(scratch, policy.two_liberties):
            found = _two_liberty_moves(state, last, color, scratch, w)
            if found:
                return _pick(scratch, found)
        if happens(scratch, policy.shape):
            p = _shape_move(state, last, color, policy, scratch, w)
            if p:
                return p
        if state.last_but_one and happens(scratch, policy.shape_before):
            p = _shape_move(state, state.last_but_one, color, policy, scratch, w)
            if p:
                return p
    if happens(scratch, policy.capture_anywhere):
        p = _capture_anywhere(state, color, scratch, w)
        if p:
            return p
    if policy.refuse_self_atari:
        return safe_random_point(state, color, policy, scratch, w)
    return random_point(state, color, scratch)


@inlined
def play_and_note(state: State, p: int, color: int, n: int, scratch: Record) -> None:
    if p:
        play_point(state, p, color)
    else:
        play_pass(state)
    scratch.played[np.uint64(n)] = p
    scratch.played_by[np.uint64(n)] = color if p else 0  # who passes first at the end tells RAVE nothing


@optional
def follow_races(policy: Record, state: State, color: int, n: int, limit: int, scratch: Record) -> tuple[int, int]:
    """Play on while a capturing race is open, see ``race_policy``. Returns whose turn it is and the number of moves."""
    return color, n


@kernel
def play_out(state: State, policy: Record, scratch: Record) -> int:
    """Play until two passes or three moves per point. Returns the number of moves."""
    color = state.to_move
    start = scratch.n_played
    n, limit = start, start + 3 * state.size * state.size
    color, n = follow_races(policy, state, color, n, limit, scratch)
    if policy.mogo:
        while state.passes < 2 and n < limit:
            play_and_note(state, policy_move(state, color, policy, scratch), color, n, scratch)
            color = 3 - color
            n += 1
    else:
        while state.passes < 2 and n < limit:
            play_and_note(state, random_point(state, color, scratch), color, n, scratch)
            color = 3 - color
            n += 1
    scratch.n_played = n
    state.to_move = color
    return n - start

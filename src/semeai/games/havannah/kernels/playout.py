"""Playouts: uniformly random (fast), or winning, blocking and keeping bridges first (slow).

These are the fast and slow simulations of "Scalability and parallelization of MCTS", section 3, as far as it describes
them: own winning cell, else the opponent's, else a bridge reply, else any cell. Before any cell comes the last good
reply (LGRF-1; Baier & Drake, "The power of forgetting", IEEE TCIAIG 2, 2010). Each rule has a probability.
"""

import numpy as np

from semeai.games.havannah.kernels.board import (
    OFF_BOARD,
    State,
    empty_around,
    own_around,
    put_stone,
    step,
)
from semeai.games.havannah.kernels.moves import play_tracked
from semeai.games.havannah.kernels.tables import BETWEEN, COUNT, EMPTY, LISTED
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel
from semeai.rng_kernels import below, happens


@inlined
def bridge_replies(state: State, color: int) -> int:
    """Return the empty neighbours of the last move that lie between two stones of ``color``, as six bits.

    Such a cell keeps a link that the last move broke into. The edge of the board counts as a stone.
    """
    last = state.last
    own = own_around(state, last, color) | np.int64(state.code[np.uint64(last)]) >> OFF_BOARD & 63
    return np.int64(BETWEEN[np.uint64(own)]) & empty_around(state, last)


@inlined
def is_reply(state: State, p: int, replies: int) -> bool:
    """Return whether ``p`` is a neighbour of the last move in one of the directions ``replies``."""
    found = False
    for k in range(6):
        found |= replies >> k & 1 and state.last + step(k, state.stride) == p
    return found


@inlined
def slow_move(state: State, color: int, policy: Record, scratch: Record) -> int:
    """Return the next move of a slow playout."""
    if state.n_wins[color - 1] and happens(scratch, policy.win):
        return np.int64(state.wins[color - 1, 0])
    if state.n_wins[2 - color] and happens(scratch, policy.block):
        return np.int64(state.wins[2 - color, 0])
    if state.last and happens(scratch, policy.bridge_reply):
        replies = bridge_replies(state, color)
        if replies:
            i = below(scratch, np.int64(COUNT[np.uint64(replies)]))
            return state.last + step(np.int64(LISTED[np.uint64(replies), np.uint64(i)]), state.stride)
    if state.last and happens(scratch, policy.last_good_reply):
        p = np.int64(scratch.replies[np.uint64(color - 1), np.uint64(state.last)])
        if state.color[np.uint64(p)] == EMPTY:  # point 0, which means none, is border
            return p
    return np.int64(state.empties[np.uint64(below(scratch, state.n_empty))])


@kernel
def play_out_fast(state: State, scratch: Record) -> None:
    """Play uniformly random moves to the end. Slots, circles and winning cells are not kept up to date."""
    color, n, m = state.to_move, scratch.n_played, state.n_empty
    kind = 0
    while m and not kind:
        i = below(scratch, m)
        p = np.int64(state.empties[np.uint64(i)])
        m -= 1
        state.empties[np.uint64(i)] = state.empties[np.uint64(m)]
        kind = put_stone(state, p, color)
        scratch.played[np.uint64(n)] = p
        scratch.played_by[np.uint64(n)] = color
        n += 1
        color = 3 - color
    if kind:
        state.winner = 3 - color
        state.kind = kind
    state.n_moves += state.n_empty - m
    state.n_empty = m
    state.to_move = color
    scratch.n_played = n


@kernel
def play_out_slow(state: State, policy: Record, scratch: Record) -> None:
    """Play moves by ``slow_move`` to the end."""
    color, n = state.to_move, scratch.n_played
    while state.winner == 0 and state.n_empty:
        p = slow_move(state, color, policy, scratch)
        play_tracked(state, p, color)
        scratch.played[np.uint64(n)] = p
        scratch.played_by[np.uint64(n)] = color
        n += 1
        color = 3 - color
    state.to_move = color
    scratch.n_played = n
    if policy.last_good_reply and state.winner:
        learn_replies(scratch, state.winner)


@kernel
def learn_replies(scratch: Record, winner: int) -> None:
    """Store the winner's replies in the whole simulation, and forget the loser's.

    The moves in the tree are worth learning: with those of playouts alone the rule gained nothing.
    """
    for i in range(1, scratch.n_played):
        before = scratch.played[np.uint64(i - 1)]
        who, move = np.int64(scratch.played_by[np.uint64(i)]), scratch.played[np.uint64(i)]
        replies = scratch.replies[np.uint64(who - 1)]
        if who == winner:
            replies[np.uint64(before)] = move
        elif replies[np.uint64(before)] == move:
            replies[np.uint64(before)] = 0


@kernel
def play_out(state: State, policy: Record, scratch: Record) -> None:
    if policy.slow:
        play_out_slow(state, policy, scratch)
    else:
        play_out_fast(state, scratch)

"""Priors of the moves of a new node before any simulation, and moves that it leaves out.

If a move wins, the node has no other move; if the opponent threatens to win, it has only moves that prevent it
(decisive and anti-decisive moves, Teytaud & Teytaud 2010). Else priors are virtual visits by simple features: closeness
to the last moves, joined groups, stones beside the move, virtual connections (Lorentz 2010; Ewalds 2012).
"""

import numpy as np

from semeai.games.havannah.kernels.board import SWAP, State, empty_around, own_around, step
from semeai.games.havannah.kernels.move_model import add_model
from semeai.games.havannah.kernels.moves import may_swap
from semeai.games.havannah.kernels.playout import bridge_replies, is_reply
from semeai.games.havannah.kernels.tables import COUNT, RUNS
from semeai.games.patterns.masks import add_patterns
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

_NEAREST = 3
_H_PER_VISIT = np.float32(0.02)


@kernel
def expand_node(state: State, policy: Record, scratch: Record) -> int:
    """List the empty cells that are worth a node, with their priors, and the swap if it is allowed."""
    color = state.to_move
    if policy.decisive and state.n_wins[color - 1]:
        _note_move(scratch, 0, np.int64(state.wins[color - 1, 0]), policy)
        return 1
    if policy.anti_decisive and state.n_wins[2 - color]:
        # One stone cannot stop two threats, so that any of them will do.
        _note_move(scratch, 0, np.int64(state.wins[2 - color, 0]), policy)
        return 1
    n = 0
    if may_swap(state):
        _note_move(scratch, 0, SWAP, policy)
        n = 1
    has_model = policy.model.n > 0
    replies = bridge_replies(state, color) if state.last and not has_model else 0
    for i in range(state.n_empty):
        p = np.int64(state.empties[np.uint64(i)])
        _note_move(scratch, n, p, policy)
        if policy.prior_even > 0 and not has_model:
            good = _worth(state, p, color, policy) + _nearness(state, p, policy)
            if replies and is_reply(state, p, replies):
                good += policy.prior_reply
            scratch.prior_visits[np.uint64(n)] += good
            scratch.prior_wins[np.uint64(n)] += good
            scratch.heuristic[np.uint64(n)] = _H_PER_VISIT * good
        n += 1
    if policy.patterns.n > 0:
        add_patterns(policy.patterns, state.color, state.stride, color, scratch, n)
    if has_model:
        add_model(state, policy.model, scratch, n)
    return n


@inlined
def _note_move(scratch: Record, n: int, move: int, policy: Record) -> None:
    scratch.moves[np.uint64(n)] = move
    even = policy.model.even if policy.model.n > 0 else policy.prior_even
    scratch.prior_visits[np.uint64(n)] = even
    scratch.prior_wins[np.uint64(n)] = np.float32(0.5) * even
    scratch.heuristic[np.uint64(n)] = 0


@inlined
def distance(state: State, p: int, q: int) -> int:
    """Return the number of steps between two cells."""
    w = state.stride
    dx, dy = p % w - q % w, p // w - q // w
    return max(abs(dx), abs(dy), abs(dx - dy))


@inlined
def _nearness(state: State, p: int, policy: Record) -> np.float32:
    good = np.float32(0.0)
    if state.last:
        d = distance(state, p, state.last)
        if d <= _NEAREST:
            good += policy.prior_near[d]
    if state.last_but_one:
        d = distance(state, p, state.last_but_one)
        if d <= _NEAREST:
            good += policy.prior_near_own[d]
    return good


@inlined
def _worth(state: State, p: int, color: int, policy: Record) -> np.float32:
    """Return the worth of joined groups, stones beside the move, and virtual connections."""
    w = state.stride
    own = own_around(state, p, color)
    good = policy.prior_own * np.float32(COUNT[np.uint64(own)])
    runs = np.int64(RUNS[np.uint64(own)]) & 3  # each is another group, or the move would close a ring
    if runs > 1:
        good += policy.prior_join * np.float32(runs - 1)
    if policy.prior_other > 0:
        good += policy.prior_other * np.float32(COUNT[np.uint64(own_around(state, p, 3 - color))])
    if policy.prior_virtual > 0:
        empty = empty_around(state, p)
        for k in range(6):
            after = k + 1 if k < 5 else 0
            if empty >> k & empty >> after & 1 and state.color[np.uint64(p + step(k, w) + step(after, w))] == color:
                good += policy.prior_virtual
    return good

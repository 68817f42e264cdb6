"""Moves that keep the lists of empty cells and of cells where either colour would win.

A winning cell stays one until it is occupied. A stone can make a cell winning only beside the group it joins, or as the
last cell around a stone of a ring that is being filled.
"""

import numpy as np

from semeai.games.havannah.kernels.board import (
    SWAP,
    WINS,
    State,
    empty_around,
    find,
    goals,
    kind_of_win,
    mark_neighbours,
    own_around,
    step,
    unite,
)
from semeai.games.havannah.kernels.tables import (
    BLACK,
    COUNT,
    EMPTY,
    FIRST_RUN,
    LISTED,
    MISSING,
    NO_DIRECTION,
    RUNS,
    SECOND_RUN,
    THIRD_RUN,
    WHITE,
)
from semeai.jit import inlined, kernel


@inlined
def _take_from_empties(state: State, p: int) -> None:
    slot = state.slot[np.uint64(p)]
    state.n_empty -= 1
    moved = state.empties[np.uint64(state.n_empty)]
    state.empties[np.uint64(slot)] = moved
    state.slot[np.uint64(moved)] = slot


@inlined
def _note_links_around(state: State, q: int, color: int, touched: int, w: int) -> None:
    """List the empty neighbours of ``q`` where ``color`` would win by linking groups, or a group with the edge.

    ``touched`` is what the group at ``q`` touches.
    """
    empty = np.uint64(empty_around(state, q))
    for i in range(np.int64(COUNT[empty])):
        p = q + step(np.int64(LISTED[empty, np.uint64(i)]), w)
        code = np.int64(state.code[np.uint64(p)])
        runs = np.int64(RUNS[np.uint64(code >> (6 * color - 6) & 63)])
        all_touched = touched | np.int64(state.touches[np.uint64(p)])
        if runs & 3 == 1:
            wins = goals(all_touched) != 0
        else:
            a = find(state, p + step(runs >> FIRST_RUN & 7, w))
            b = find(state, p + step(runs >> SECOND_RUN & 7, w))
            all_touched |= np.int64(state.touches[np.uint64(a)]) | np.int64(state.touches[np.uint64(b)])
            wins = a == b
            if runs & 3 == 3:
                c = find(state, p + step(runs >> THIRD_RUN & 7, w))
                all_touched |= np.int64(state.touches[np.uint64(c)])
                wins |= a == c or b == c
            wins |= goals(all_touched) != 0
        if wins and not code >> (WINS - 1 + color) & 1:
            _list_win(state, p, color)


@inlined
def _note_last_of_ring(state: State, m: int, color: int, w: int) -> None:
    """List the last empty cell around a stone that has five of its own colour beside it."""
    missing = np.int64(MISSING[np.uint64(own_around(state, m, color))])
    if missing != NO_DIRECTION:
        p = m + step(missing, w)
        if state.color[np.uint64(p)] == EMPTY and not state.code[np.uint64(p)] >> np.uint32(WINS - 1 + color) & 1:
            _list_win(state, p, color)


@inlined
def _list_win(state: State, p: int, color: int) -> None:
    state.code[np.uint64(p)] |= np.uint32(1 << (WINS - 1 + color))
    state.wins[np.uint64(color - 1), np.uint64(state.n_wins[color - 1])] = p
    state.n_wins[color - 1] += 1


@kernel
def _forget_win(state: State, p: int, color: int) -> None:
    """Remove a cell that is no longer empty from the list of ``color``."""
    state.code[np.uint64(p)] ^= np.uint32(1 << (WINS - 1 + color))
    wins = state.wins[color - 1]
    i = 0
    while wins[i] != p:
        i += 1
    state.n_wins[color - 1] -= 1
    wins[i] = wins[state.n_wins[color - 1]]


@kernel
def _note_links_beside(state: State, start: int, color: int, touched: int, w: int) -> None:
    """Do the same for all stones of the circle that holds ``start``."""
    q = start
    while True:
        _note_links_around(state, q, color, touched, w)
        q = np.int64(state.next[np.uint64(q)])
        if q == start:
            return


@inlined
def _splice(state: State, a: int, b: int) -> None:
    """Make one circle of two."""
    after = state.next[np.uint64(a)]
    state.next[np.uint64(a)] = state.next[np.uint64(b)]
    state.next[np.uint64(b)] = after


@inlined
def play_tracked(state: State, p: int, color: int) -> None:
    """Put a stone on the empty cell ``p`` and update all lists and the winner. The caller sets ``to_move``."""
    w = state.stride
    _take_from_empties(state, p)
    code = np.int64(state.code[np.uint64(p)]) >> WINS
    if code:
        if code & 1:
            _forget_win(state, p, WHITE)
        if code & 2:
            _forget_win(state, p, BLACK)
    own = own_around(state, p, color)
    runs = np.int64(RUNS[np.uint64(own)])
    n = runs & 3
    a = find(state, p + step(runs >> FIRST_RUN & 7, w)) if n > 0 else 0
    b = find(state, p + step(runs >> SECOND_RUN & 7, w)) if n > 1 else 0
    c = find(state, p + step(runs >> THIRD_RUN & 7, w)) if n > 2 else 0
    touched_a, touched_b = np.int64(state.touches[np.uint64(a)]), np.int64(state.touches[np.uint64(b)])
    touched_c = np.int64(state.touches[np.uint64(c)])
    kind = unite(state, p, color, own, n, a, b, c)
    state.last_but_one = state.last
    state.last = p
    state.n_moves += 1
    if kind:
        state.winner = color
        state.kind = kind
        return
    root = p if n == 0 else a if n == 1 else find(state, p)
    touched = np.int64(state.touches[np.uint64(root)])
    # The largest group keeps its root. If it touches nothing new, only cells beside the others link more than before.
    if n > 0 and (a != root or touched_a != touched):
        _note_links_beside(state, a, color, touched, w)
    if n > 1 and (b != root or touched_b != touched):
        _note_links_beside(state, b, color, touched, w)
    if n > 2 and (c != root or touched_c != touched):
        _note_links_beside(state, c, color, touched, w)
    if n > 0:
        _splice(state, a, p)
    if n > 1:
        _splice(state, b, p)
    if n > 2:
        _splice(state, c, p)
    _note_links_around(state, p, color, touched, w)
    if own & (own << 1 | own >> 5):  # five stones around one lie side by side
        _note_last_of_ring(state, p, color, w)
        for i in range(np.int64(COUNT[np.uint64(own)])):
            _note_last_of_ring(state, p + step(np.int64(LISTED[np.uint64(own), np.uint64(i)]), w), color, w)


@kernel
def find_all_wins(state: State) -> None:
    """Compute the lists of winning cells from the board alone."""
    for p in range(state.points):
        state.code[p] &= np.uint32((1 << WINS) - 1)
    for color in (WHITE, BLACK):
        state.n_wins[color - 1] = 0
        for i in range(state.n_empty):
            p = np.int64(state.empties[i])
            if kind_of_win(state, p, color):
                _list_win(state, p, color)


@kernel
def may_swap(state: State) -> bool:
    return state.swap == 1 and state.n_moves == 1


@kernel
def take_over(state: State) -> None:
    """Change the owner of the only stone."""
    p = state.last
    color = np.int64(state.color[p])
    mark_neighbours(state, p, color, state.stride)
    mark_neighbours(state, p, 3 - color, state.stride)
    state.color[p] = 3 - color
    state.n_moves += 1
    find_all_wins(state)


@kernel
def play_move(state: State, move: int, color: int) -> None:
    """Play an empty cell or SWAP for ``color``; then it is the turn of the other."""
    if move == SWAP:
        take_over(state)
    else:
        play_tracked(state, move, color)
    state.to_move = 3 - color

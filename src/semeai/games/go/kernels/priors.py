"""Priors of the moves of a new node before any simulation: virtual visits by a move model, or by simple features.

The simple features are those that MoGo, Pachi and Fuego found useful: captures and escapes that a ladder does not
refute, ataris, 3x3 shapes, closeness to the last move, self-atari, and empty edges.
"""

import numpy as np

from semeai.games.go.kernels.board import PASS, State, color_at, in_atari, is_playable, traits_at
from semeai.games.go.kernels.move_model import add_model
from semeai.games.go.kernels.nakade import kills_inside
from semeai.games.go.kernels.neighbourhoods import add_database
from semeai.games.go.kernels.patterns import add_patterns
from semeai.games.go.kernels.playout import ALL_RULES, answers
from semeai.games.go.kernels.tables import BORDER, EMPTY, SHAPE
from semeai.games.go.kernels.tactics import (
    catches,
    is_self_atari,
    measure_distance,
    measure_remoteness,
    runs_out,
    two_liberties,
)
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel, optional

_NEAREST = 3
_LARGE = 12
"""Lines of the smallest board where play begins on the third and fourth lines, not nearer to the middle."""
_SKIP_FROM, _NEAR_STONES = 7, 2  # of skip_empty_edges
H_PER_VISIT = np.float32(0.02)
REMOTE = 3
"""Steps from the nearest stone beyond which a point is judged by its line of the board alone."""


@kernel
def expand_node(state: State, spare: State, policy: Record, scratch: Record) -> int:
    """List the playable points and a pass, with their priors."""
    color, w = state.to_move, state.stride
    has_model = policy.model.n > 0
    informed = policy.prior_even > 0 and not has_model
    skip = policy.skip_empty_edges and state.size >= _SKIP_FROM
    if informed:
        measure_distance(state, scratch, _NEAREST)
    if informed or skip or has_model:
        measure_remoteness(state, scratch, REMOTE)
    answered = False
    if has_model:
        answered = mark_answers(state, color, ALL_RULES, scratch)
    elif informed and policy.prior_answer + policy.prior_tenuki > 0:
        answered = mark_answers(state, color, policy, scratch)
    even = policy.model.even if has_model else policy.prior_even
    n = 0
    for i in range(state.n_empty):
        p = np.int64(state.empties[np.uint64(i)])
        if skip and scratch.remoteness[np.uint64(p)] > _NEAR_STONES and _line(state, p) <= 2:
            continue
        if is_playable(state, p, color, w):
            _note_move(scratch, n, p)
            if informed:
                _judge(state, spare, p, color, n, policy, scratch, w, answered)
            elif has_model:
                _believe(scratch, n, even, np.float32(0.5) * even)
            n += 1
    if n == 0 or policy.pass_in_tree:
        _note_move(scratch, n, PASS)
        if informed or has_model:
            _believe(scratch, n, even + policy.prior_pass, np.float32(0.5) * even)
            scratch.heuristic[np.uint64(n)] = -H_PER_VISIT * policy.prior_pass
        n += 1
    if policy.patterns.n > 0:
        add_patterns(state, policy.patterns, scratch, n)
    if has_model:
        add_model(state, spare, policy.model, scratch, n, answered)
    elif policy.database.n > 0:
        add_database(state, policy.database, scratch, n)
    add_expertise(policy, state, scratch, n)
    return n


@optional
def add_expertise(policy: Record, state: State, scratch: Record, n: int) -> None:
    """Add what a policy knows besides, see ``race_policy``."""


@kernel
def mark_answers(state: State, color: int, policy: Record, scratch: Record) -> bool:
    """Mark the playout's answers to the last move. Returns False if it has none."""
    for p in range(state.points):
        scratch.marked[p] = 0
    found = answers(state, color, policy, scratch)
    for i in range(found):
        scratch.marked[np.uint64(scratch.candidates[np.uint64(i)])] = 1
    return found > 0


@inlined
def _note_move(scratch: Record, n: int, move: int) -> None:
    scratch.moves[np.uint64(n)] = move
    scratch.prior_visits[np.uint64(n)] = 0
    scratch.prior_wins[np.uint64(n)] = 0
    scratch.heuristic[np.uint64(n)] = 0


@inlined
def _believe(scratch: Record, n: int, visits: np.float32, wins: np.float32) -> None:
    scratch.prior_visits[np.uint64(n)] = visits
    scratch.prior_wins[np.uint64(n)] = wins


@kernel
def _judge(
    state: State, spare: State, p: int, color: int, n: int, policy: Record, scratch: Record, w: int, answered: bool
) -> None:
    """Add up the features of one move."""
    good = _tactical_worth(state, spare, p, color, policy, w)
    bad = np.float32(0.0)
    traits = traits_at(state, p)
    if traits & (SHAPE * color):
        good += policy.prior_shape
    if answered:
        if scratch.marked[np.uint64(p)]:
            good += policy.prior_answer
        else:
            bad += policy.prior_tenuki
    distance = np.int64(scratch.distance[np.uint64(p)])
    if distance <= _NEAREST:
        good += policy.prior_near[distance]
    if is_self_atari(state, p, color, 1, w) and not kills_inside(state, p, color, w):
        bad += policy.prior_self_atari
        good = np.float32(0.0)
    elif scratch.remoteness[np.uint64(p)] > REMOTE:
        large = state.size >= _LARGE
        line = _line(state, p) + (0 if large else -1)  # on small boards one line farther in
        if line <= 1:
            bad += policy.prior_edge
        elif line == 2:
            bad += policy.prior_second_line
        elif line == 3:
            good += policy.prior_third_line
        elif line == 4:
            good += policy.prior_fourth_line
        elif large:
            bad += policy.prior_centre
        if large and line >= 3 and _other_line(state, p) <= 4:
            good += policy.prior_corner
    even = policy.prior_even
    _believe(scratch, n, even + good + bad, np.float32(0.5) * even + good)
    scratch.heuristic[np.uint64(n)] = H_PER_VISIT * (good - bad)


@inlined
def _line(state: State, p: int) -> int:
    """Return the distance from the edge, 1 for the first line."""
    w = state.stride
    row, column = p // w, p % w
    return min(min(row, column), min(w - row, w - column))


@inlined
def _other_line(state: State, p: int) -> int:
    """Return the distance from the nearer of the two edges that cross the nearest one."""
    w = state.stride
    row, column = p // w, p % w
    return max(min(row, w - row), min(column, w - column))


@kernel
def _tactical_worth(state: State, spare: State, p: int, color: int, policy: Record, w: int) -> np.float32:
    """Return the worth of captures, escapes and ataris by playing ``p``; the best of each kind counts."""
    capture, save, atari = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for side in range(4):
        n = p - w if side == 0 else p - 1 if side == 1 else p + 1 if side == 2 else p + w
        c = color_at(state, n)
        if c == EMPTY or c == BORDER:
            continue
        chain = np.int64(state.chain[np.uint64(n)])
        stones = np.float32(min(np.int64(state.stones[np.uint64(chain)]), 10))
        word = state.liberties[np.uint64(chain)]
        if c == color:
            if in_atari(word) and runs_out(state, spare, p, n, color, w):
                save = max(save, policy.prior_save + policy.prior_save_stone * stones)
        elif in_atari(word):
            worth = policy.prior_capture + policy.prior_capture_stone * stones
            capture = max(capture, worth)
        elif policy.prior_atari > 0 and (word & np.uint64(0xFFF)) <= 8:
            a, _ = two_liberties(state, n, w)
            if a != 0 and not is_self_atari(state, p, color, 1, w):
                worth = policy.prior_atari
                if catches(state, spare, p, n, color, w):
                    worth += policy.prior_capture + policy.prior_capture_stone * stones
                atari = max(atari, worth)
    return capture + save + atari

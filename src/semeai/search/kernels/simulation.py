"""Simulations: descend, expand, play out, back up (Algorithm 1 of "Scalability and parallelization of MCTS").

The kernels are written once. Numba compiles them for each game through the functions of ``games.protocol``, and for
one thread or several through those of ``writing``.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import (
    CHANCE,
    MAX_CODES,
    MAX_DEPTH,
    Record,
    contradicts,
    copy_state,
    expand,
    is_over,
    look_at_root,
    mover,
    play,
    playout,
    predict,
    reward,
)
from semeai.jit import inlined, kernel
from semeai.rng_kernels import below
from semeai.search.kernels.proof import prove, value_of
from semeai.search.kernels.tree import LOST, OPEN, ROOT, UNEXPANDED, Nodes
from semeai.search.kernels.writing import (
    add_result,
    count_going_down,
    count_simulations,
    first_child_of,
    may_grow,
    proves_again,
    publish,
    reserve,
)

NO_RAVE, MINIMUM_MSE, HAND_PICKED = 0, 1, 2
_MINUS_INFINITY = np.float32(-1e30)
_RESOLUTION = 1 << 30


@kernel
def grow(
    writer: Record,
    tree: Record,
    nodes: Nodes,
    node: int,
    state: Record,
    spare: Record,
    params: Record,
    policy: Record,
    scratch: Record,
) -> bool:
    """Give ``node`` its children, the best heuristic first if widening asks for it. Returns False if it has none."""
    if may_grow(writer, tree):
        n = expand(state, spare, policy, scratch)
        first = reserve(writer, tree, n, len(nodes))
        if first != UNEXPANDED:
            write_children(nodes, first, n, scratch)
            if params.widening > 0 and mover(state) != CHANCE:
                sort_by_heuristic(nodes, first, n)
            publish(writer, nodes[node], first, n)
    return first_child_of(writer, nodes[node]) != UNEXPANDED


@inlined
def write_children(nodes: Nodes, first: int, n: int, scratch: Record) -> None:
    """Make nodes without visits from what ``expand`` found."""
    for i in range(n):
        child = nodes[np.uint64(first + i)]
        child.visits = 0
        child.wins = 0
        child.rave_visits = scratch.prior_visits[i]
        child.rave_wins = scratch.prior_wins[i]
        child.heuristic = scratch.heuristic[i]
        child.first_child = UNEXPANDED
        child.n_children = 0
        child.move = scratch.moves[i]
        child.proof = OPEN


@kernel
def sort_by_heuristic(nodes: Nodes, first: int, n: int) -> None:
    """Sort children by H, largest first, as progressive widening takes them; equal ones keep their order."""
    for i in range(first + 1, first + n):
        k = i
        while k > first and nodes[k].heuristic > nodes[k - 1].heuristic:
            _swap(nodes, k, k - 1)
            k -= 1


@inlined
def _swap(nodes: Nodes, a: int, b: int) -> None:
    """Exchange two children that have no visits yet."""
    x, y = nodes[a], nodes[b]
    x.rave_visits, y.rave_visits = y.rave_visits, x.rave_visits
    x.rave_wins, y.rave_wins = y.rave_wins, x.rave_wins
    x.heuristic, y.heuristic = y.heuristic, x.heuristic
    x.move, y.move = y.move, x.move


@inlined
def score(
    child: Record,
    exploration: np.float32,
    drive: np.float32,
    rave_bias: np.float32,
    equivalence: np.float32,
    params: Record,
) -> np.float32:
    """Score a move for selection: weighted mean and RAVE mean, plus exploration and progressive bias.

    ``exploration`` is C * sqrt(log N), ``drive`` is C_H * sqrt(N). Minimum-MSE weight, by ``rave_bias``: Gelly & Silver
    2011, section 4; hand-picked, by ``equivalence``: 2007. Exploration by H: Rosin 2011, "Multi-armed bandits with
    episode context" (PUCB).
    """
    n, m = child.visits, child.rave_visits
    if n > 0:
        value = child.wins / n
        if params.heuristic_visits > 0:
            k = params.heuristic_visits
            value += k / (n + k) * (_expected(child) - value)
        if m > 0:
            if params.rave == HAND_PICKED:
                beta = np.float32(math.sqrt(equivalence / (np.float32(3.0) * n + equivalence)))
            else:
                beta = m / (m + n + m * n * rave_bias)
            value += beta * (child.rave_wins / m - value)
        if exploration > 0:
            value += exploration / np.float32(math.sqrt(n))
    else:
        value = child.rave_wins / m + exploration if m > 0 else params.first_play_urgency
    if params.bias_constant != 0 or params.bias_decay != 0:
        value += (
            params.bias_constant + params.bias_decay / np.float32(math.log(np.float32(2.0) + n))
        ) * child.heuristic
    if drive > 0:
        value += drive * child.heuristic / (np.float32(1.0) + n)
    return value


@inlined
def _expected(child: Record) -> np.float32:
    """Return the value of a move by H alone."""
    return min(max(np.float32(0.5) + child.heuristic, np.float32(0.0)), np.float32(1.0))


@inlined
def plain_score(child: Record, params: Record) -> np.float32:
    """Score a move by its own results, with H as virtual visits and without RAVE."""
    return (child.wins + params.plain_visits * _expected(child)) / (child.visits + params.plain_visits)


@kernel
def select(nodes: Nodes, node: int, params: Record, scratch: Record) -> int:
    """Choose the child with the best score among those that progressive widening admits; ties are broken at random.

    RAVE can underrate a move for ever, because it is then never tried; so some visits choose without RAVE.
    """
    parent = nodes[node]
    first = np.int64(parent.first_child)
    n = np.int64(parent.n_children)
    rave_bias, equivalence = params.rave_bias, params.rave_equivalence
    if params.rave_per_move > 0:  # 1 / rave_bias is an equivalence too, see ``score``
        longer = params.rave_per_move * np.float32(n)
        rave_bias = rave_bias / (np.float32(1.0) + rave_bias * longer)
        equivalence += longer
    if params.widening > 0:
        n = _admitted(nodes, first, n, max(1, np.int64(params.widening * math.sqrt(math.sqrt(parent.visits)))))
    exploration = np.float32(0.0)
    if params.exploration > 0:
        exploration = params.exploration * np.float32(math.sqrt(math.log(max(parent.visits, np.float32(1.0)))))
    drive = np.float32(0.0)
    if params.heuristic_exploration > 0:
        drive = params.heuristic_exploration * np.float32(math.sqrt(parent.visits))
    best, best_score, ties = first, _MINUS_INFINITY, 1
    solving = params.proof_backup != 0
    plain = (
        params.rave != NO_RAVE and params.plain_every > 0 and (np.int64(parent.visits) + 1) % params.plain_every == 0
    )
    for k in range(first, first + n):
        if solving and nodes[np.uint64(k)].proof == LOST:
            continue
        child = nodes[np.uint64(k)]
        s = plain_score(child, params) if plain else score(child, exploration, drive, rave_bias, equivalence, params)
        if s > best_score:
            best, best_score, ties = k, s, 1
        elif s == best_score:
            ties += 1
            if below(scratch, ties) == 0:
                best = k
    return best


@inlined
def _admitted(nodes: Nodes, first: int, n: int, places: int) -> int:
    """Count the children that progressive widening admits: those that are proven lost take no place."""
    k = 0
    while k < n and places > 0:
        if nodes[first + k].proof != LOST:
            places -= 1
        k += 1
    return k


@kernel
def draw_chance(nodes: Nodes, node: int, scratch: Record) -> int:
    """Draw a child at random; its heuristic is its probability."""
    first, n = np.int64(nodes[node].first_child), np.int64(nodes[node].n_children)
    u = np.float32(below(scratch, _RESOLUTION)) / np.float32(_RESOLUTION)
    for k in range(first, first + n - 1):
        u -= nodes[k].heuristic
        if u < 0:
            return k
    return first + n - 1


@inlined
def descend(
    writer: Record,
    tree: Record,
    nodes: Nodes,
    state: Record,
    spare: Record,
    params: Record,
    policy: Record,
    scratch: Record,
) -> int:
    """Walk from the root to a leaf and play its moves on ``state``. Returns the leaf's depth in ``scratch.path``."""
    node, depth = np.int64(ROOT), 0
    scratch.path[0] = ROOT
    while depth < MAX_DEPTH - 1 and not is_over(state) and nodes[node].proof == OPEN:
        if first_child_of(writer, nodes[node]) == UNEXPANDED and (
            nodes[node].visits < params.expansion_threshold
            or not grow(writer, tree, nodes, node, state, spare, params, policy, scratch)
        ):
            break
        who = mover(state)
        child = draw_chance(nodes, node, scratch) if who == CHANCE else select(nodes, node, params, scratch)
        count_going_down(writer, nodes[node], np.float32(1.0))
        node = np.int64(child)
        move = np.int64(nodes[node].move)
        play(state, move)
        scratch.played[np.uint64(depth)] = move
        scratch.played_by[np.uint64(depth)] = who + 1
        depth += 1
        scratch.path[np.uint64(depth)] = node
    count_going_down(writer, nodes[node], np.float32(1.0))
    scratch.n_played = depth
    return depth


@inlined
def mark_playout(depth: int, params: Record, scratch: Record) -> None:
    """Note for RAVE who was the first to play each move after the leaf, in ``scratch.first_by``, and the weight of
    that move, in ``scratch.values``. Moves beyond RAVE's horizon are left out.
    """
    for i in range(MAX_CODES):
        scratch.first_by[i] = 0
    end = np.int64(scratch.n_played)
    if params.rave_horizon < 1:
        end = depth + np.int64(params.rave_horizon * np.float32(end - depth))
    slope = params.rave_fade / np.float32(max(end, 1))
    for i in range(end - 1, depth - 1, -1):
        move = np.uint64(scratch.played[np.uint64(i)])
        scratch.first_by[move] = scratch.played_by[np.uint64(i)]
        scratch.values[move] = np.float32(1.0) - slope * np.float32(i)


@inlined
def add_rave(nodes: Nodes, i: int, result: np.float32, scratch: Record) -> None:
    """Add the result to those children of the path's node ``i`` whose moves were first played by the player to move."""
    node = nodes[np.uint64(scratch.path[np.uint64(i)])]
    who = scratch.played_by[np.uint64(i)]
    move = np.uint64(scratch.played[np.uint64(i)])
    scratch.first_by[move] = who
    scratch.values[move] = np.float32(1.0)
    gain = result if who != 2 else np.float32(1.0) - result
    first = np.int64(node.first_child)
    for k in range(first, first + np.int64(node.n_children)):
        child = nodes[np.uint64(k)]
        if scratch.first_by[np.uint64(child.move)] == who:
            weight = scratch.values[np.uint64(child.move)]
            child.rave_visits += weight
            child.rave_wins += weight * gain


@inlined
def gain_at(i: int, result: np.float32, scratch: Record) -> np.float32:
    """Convert a result to the view of the player who chose the path's node ``i``; the root's view is player 0's."""
    return np.float32(1.0) - result if i > 0 and scratch.played_by[np.uint64(i - 1)] == 2 else result


@inlined
def back_up(writer: Record, nodes: Nodes, depth: int, result: np.float32, params: Record, scratch: Record) -> None:
    """Add the result to the path, and to the siblings whose moves the same player made first later on (RAVE)."""
    if params.rave != NO_RAVE:
        mark_playout(depth, params, scratch)
    for i in range(depth, -1, -1):
        if i < depth and params.rave != NO_RAVE:
            add_rave(nodes, i, result, scratch)
        add_result(writer, nodes[np.uint64(scratch.path[np.uint64(i)])], gain_at(i, result, scratch))


@inlined
def play_to_end(state: Record, spare: Record, policy: Record, scratch: Record) -> None:
    """Play out, again while the result contradicts what the game predicts (conditioning), as often as it allows."""
    replays = predict(state, policy, scratch)
    if replays:
        copy_state(spare, state)
    start = scratch.n_played
    playout(state, policy, scratch)
    for _ in range(replays):
        if not contradicts(state, policy, scratch):
            return
        copy_state(state, spare)
        scratch.n_played = start
        playout(state, policy, scratch)


@kernel
def simulate(
    writers: NDArray[Any],
    nodes: Nodes,
    trees: NDArray[Any],
    states: NDArray[Any],
    params: NDArray[Any],
    policy: NDArray[Any],
    scratches: NDArray[Any],
    thread: int,
    limit: int,
) -> None:
    """Run simulations until all threads together have run ``limit`` from this position, or the root is proven.

    Thread ``thread`` works with its writer (see ``writing``), its scratch and its three states: the root and two
    working copies.
    """
    writer, tree, scratch, p, r = writers[thread], trees[0], scratches[thread], params[0], policy[0]
    root, state, spare = states[3 * thread], states[3 * thread + 1], states[3 * thread + 2]
    while nodes[ROOT].proof == OPEN:
        if count_simulations(writer, tree, 1) >= limit:
            count_simulations(writer, tree, -1)
            return
        copy_state(state, root)
        depth = descend(writer, tree, nodes, state, spare, p, r, scratch)
        proof = np.int64(nodes[scratch.path[depth]].proof)
        if depth == 0 and proof != OPEN:  # another thread proved the root since the loop looked: no simulation
            count_going_down(writer, nodes[ROOT], np.float32(-1.0))
            count_simulations(writer, tree, -1)
            return
        is_end = is_over(state)
        if proof != OPEN:
            result = value_of(proof, scratch.played_by[depth - 1])
        else:
            if not is_end:
                play_to_end(state, spare, r, scratch)
            result = np.float32(reward(state))
        back_up(writer, nodes, depth, result, p, scratch)
        if p.proof_backup and (is_end if proof == OPEN else proves_again(writer)):
            prove(nodes, depth, result, scratch)


@kernel
def open_root(
    nodes: Nodes,
    trees: NDArray[Any],
    states: NDArray[Any],
    policy: NDArray[Any],
    params: NDArray[Any],
    scratches: NDArray[Any],
    allowed: NDArray[np.bool_],
) -> int:
    """Expand the root if needed, and drop the children that ``allowed`` forbids. Returns the number that remains."""
    root = nodes[ROOT]
    if is_over(states[0]):
        root.n_children = 0
        return 0
    for i in range(len(scratches)):
        look_at_root(states[0], policy[0], scratches[i])
    if root.first_child == UNEXPANDED:
        copy_state(states[1], states[0])
        if not grow(trees[0], trees[0], nodes, ROOT, states[1], states[2], params[0], policy[0], scratches[0]):
            return 0
    n = 0
    first = root.first_child
    for k in range(first, first + root.n_children):
        if allowed[nodes[k].move]:
            if k != first + n:
                nodes[first + n] = nodes[k]
            n += 1
    root.n_children = n
    return n

"""Simulations: descend, expand, play out, back up (Algorithm 1 of "Scalability and parallelization of MCTS").

The kernels are written once; numba compiles them for each game through the functions of ``games.protocol``.
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
    copy_state,
    expand,
    is_over,
    mover,
    play,
    playout,
    reward,
)
from semeai.jit import inlined, kernel
from semeai.rng_kernels import below
from semeai.search.kernels.proof import prove, value_of
from semeai.search.kernels.tree import LOST, OPEN, ROOT, UNEXPANDED, Nodes

NO_RAVE, MINIMUM_MSE, HAND_PICKED = 0, 1, 2
_MINUS_INFINITY = np.float32(-1e30)
_RESOLUTION = 1 << 30


@kernel
def grow(nodes: Nodes, tree: Record, node: int, state: Record, spare: Record, policy: Record, scratch: Record) -> bool:
    """Give ``node`` its children, the best heuristic first; False where the tree is full."""
    if tree.full:
        return False
    n = expand(state, spare, policy, scratch)
    first = tree.n_nodes
    if first + n > len(nodes):
        tree.full = 1
        return False
    tree.n_nodes += n
    write_children(nodes, first, n, scratch)
    nodes[node].n_children = n
    nodes[node].first = first
    return True


@inlined
def write_children(nodes: Nodes, first: int, n: int, scratch: Record) -> None:
    """Make nodes of what ``expand`` found, without visits."""
    for i in range(n):
        child = nodes[first + i]
        child.visits = 0
        child.wins = 0
        child.rave_visits = scratch.prior_visits[i]
        child.rave_wins = scratch.prior_wins[i]
        child.heuristic = scratch.heuristic[i]
        child.first = UNEXPANDED
        child.n_children = 0
        child.move = scratch.moves[i]
        child.proof = OPEN


@kernel
def sort_by_heuristic(nodes: Nodes, first: int, n: int) -> None:
    """Children in descending order of H, as progressive widening takes them; equal ones keep their order."""
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
def score(child: Record, exploration: np.float32, params: Record) -> np.float32:
    """What a move is worth trying: mean and RAVE mean by their weight, exploration and progressive bias.

    ``exploration`` is C * sqrt(log N). Minimum-MSE weight: Gelly & Silver 2011, section 4; hand-picked: 2007.
    """
    n, m = child.visits, child.rave_visits
    if n > 0:
        value = child.wins / n
        if m > 0:
            if params.rave == HAND_PICKED:
                k = params.rave_equivalence
                beta = np.float32(math.sqrt(k / (np.float32(3.0) * n + k)))
            else:
                beta = m / (m + n + m * n * params.rave_bias)
            value += beta * (child.rave_wins / m - value)
        if exploration > 0:
            value += exploration / np.float32(math.sqrt(n))
    else:
        value = child.rave_wins / m + exploration if m > 0 else params.first_play_urgency
    if params.bias_constant != 0 or params.bias_decay != 0:
        value += (
            params.bias_constant + params.bias_decay / np.float32(math.log(np.float32(2.0) + n))
        ) * child.heuristic
    return value


@inlined
def plain_score(child: Record, params: Record) -> np.float32:
    """What a move is worth by its own results, with H as virtual visits and without RAVE."""
    expected = min(max(np.float32(0.5) + child.heuristic, np.float32(0.0)), np.float32(1.0))
    return (child.wins + params.plain_visits * expected) / (child.visits + params.plain_visits)


@kernel
def select(nodes: Nodes, node: int, params: Record, scratch: Record) -> int:
    """The child with the best score among those that progressive widening admits; ties are broken at random.

    RAVE can hold a move to be bad for ever, because it is never tried; so now and then RAVE is not asked.
    """
    parent = nodes[node]
    first = np.int64(parent.first)
    n = np.int64(parent.n_children)
    if params.widening > 0:
        n = _admitted(nodes, first, n, max(1, np.int64(params.widening * math.sqrt(math.sqrt(parent.visits)))))
    exploration = np.float32(0.0)
    if params.exploration > 0:
        exploration = params.exploration * np.float32(math.sqrt(math.log(max(parent.visits, np.float32(1.0)))))
    best, best_score, ties = first, _MINUS_INFINITY, 1
    solving = params.proof_backup != 0
    plain = (
        params.rave != NO_RAVE and params.plain_every > 0 and (np.int64(parent.visits) + 1) % params.plain_every == 0
    )
    for k in range(first, first + n):
        if solving and nodes[np.uint64(k)].proof == LOST:
            continue
        child = nodes[np.uint64(k)]
        s = plain_score(child, params) if plain else score(child, exploration, params)
        if s > best_score:
            best, best_score, ties = k, s, 1
        elif s == best_score:
            ties += 1
            if below(scratch, ties) == 0:
                best = k
    return best


@inlined
def _admitted(nodes: Nodes, first: int, n: int, places: int) -> int:
    """How many of ``n`` children progressive widening lets in: those that are proven lost take no place."""
    k = 0
    while k < n and places > 0:
        if nodes[first + k].proof != LOST:
            places -= 1
        k += 1
    return k


@kernel
def draw_chance(nodes: Nodes, node: int, scratch: Record) -> int:
    """A child drawn with the probability that its heuristic holds."""
    first, n = np.int64(nodes[node].first), np.int64(nodes[node].n_children)
    u = np.float32(below(scratch, _RESOLUTION)) / np.float32(_RESOLUTION)
    for k in range(first, first + n - 1):
        u -= nodes[k].heuristic
        if u < 0:
            return k
    return first + n - 1


@inlined
def descend(
    nodes: Nodes, tree: Record, state: Record, spare: Record, params: Record, policy: Record, scratch: Record
) -> int:
    """Walk from the root to a leaf, playing its moves on ``state``; the depth of the leaf in ``scratch.path``."""
    node, depth = ROOT, 0
    scratch.path[0] = ROOT
    while depth < MAX_DEPTH - 1 and not is_over(state) and nodes[node].proof == OPEN:
        if nodes[node].first == UNEXPANDED:
            if nodes[node].visits < params.expansion_threshold or not grow(
                nodes, tree, node, state, spare, policy, scratch
            ):
                break
            if params.widening > 0 and mover(state) != CHANCE:
                sort_by_heuristic(nodes, nodes[node].first, nodes[node].n_children)
        who = mover(state)
        node = draw_chance(nodes, node, scratch) if who == CHANCE else select(nodes, node, params, scratch)
        move = np.int64(nodes[node].move)
        play(state, move)
        scratch.played[np.uint64(depth)] = move
        scratch.played_by[np.uint64(depth)] = who + 1
        depth += 1
        scratch.path[np.uint64(depth)] = node
    scratch.n_played = depth
    return depth


@inlined
def mark_playout(depth: int, params: Record, scratch: Record) -> None:
    """Who was the first to play each move after the leaf, within RAVE's horizon, in ``scratch.first_by``, and what that
    counts in ``scratch.values``.
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
    """Add the result to the children of the path's node ``i`` whose moves the player to move there made first."""
    node = nodes[np.uint64(scratch.path[np.uint64(i)])]
    who = scratch.played_by[np.uint64(i)]
    move = np.uint64(scratch.played[np.uint64(i)])
    scratch.first_by[move] = who
    scratch.values[move] = np.float32(1.0)
    gain = result if who != 2 else np.float32(1.0) - result
    first = np.int64(node.first)
    for k in range(first, first + np.int64(node.n_children)):
        child = nodes[np.uint64(k)]
        if scratch.first_by[np.uint64(child.move)] == who:
            weight = scratch.values[np.uint64(child.move)]
            child.rave_visits += weight
            child.rave_wins += weight * gain


@inlined
def gain_at(i: int, result: np.float32, scratch: Record) -> np.float32:
    """The result as the path's node ``i`` counts it; the root has no mover: player 0's view."""
    return np.float32(1.0) - result if i > 0 and scratch.played_by[np.uint64(i - 1)] == 2 else result


@inlined
def back_up(nodes: Nodes, depth: int, result: np.float32, params: Record, scratch: Record) -> None:
    """Add the result to the path, and to the siblings whose moves the same player made first later on (RAVE)."""
    if params.rave != NO_RAVE:
        mark_playout(depth, params, scratch)
    for i in range(depth, -1, -1):
        if i < depth and params.rave != NO_RAVE:
            add_rave(nodes, i, result, scratch)
        node = nodes[np.uint64(scratch.path[np.uint64(i)])]
        node.visits += np.float32(1.0)
        node.wins += gain_at(i, result, scratch)


@kernel
def simulate(
    nodes: Nodes,
    trees: NDArray[Any],
    states: NDArray[Any],
    params: NDArray[Any],
    policy: NDArray[Any],
    scratches: NDArray[Any],
    n: int,
) -> None:
    """Run ``n`` simulations from ``states[0]``, fewer once the root is proven; ``states[1]`` and ``[2]`` are working
    copies.
    """
    tree, root, state, spare = trees[0], states[0], states[1], states[2]
    p, r, scratch = params[0], policy[0], scratches[0]
    for _ in range(n):
        if nodes[ROOT].proof != OPEN:
            return
        copy_state(state, root)
        depth = descend(nodes, tree, state, spare, p, r, scratch)
        tree.simulations += 1
        leaf = nodes[scratch.path[depth]]
        if leaf.proof != OPEN:
            back_up(nodes, depth, value_of(leaf.proof, scratch.played_by[depth - 1]), p, scratch)
            continue
        is_end = is_over(state)
        if not is_end:
            playout(state, r, scratch)
        result = np.float32(reward(state))
        back_up(nodes, depth, result, p, scratch)
        if is_end and p.proof_backup:
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
    """Expand the root if it is not yet, and drop the children that ``allowed`` forbids; how many remain."""
    root = nodes[ROOT]
    if is_over(states[0]):
        root.n_children = 0
        return 0
    if root.first == UNEXPANDED:
        copy_state(states[1], states[0])
        if not grow(nodes, trees[0], ROOT, states[1], states[2], policy[0], scratches[0]):
            return 0
        if params[0].widening > 0 and mover(states[0]) != CHANCE:
            sort_by_heuristic(nodes, root.first, root.n_children)
    n = 0
    first = root.first
    for k in range(first, first + root.n_children):
        if allowed[nodes[k].move]:
            if k != first + n:
                nodes[first + n] = nodes[k]
            n += 1
    root.n_children = n
    return n

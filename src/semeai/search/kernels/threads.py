"""Simulations by several threads on one tree, without a lock.

A thread counts its visits on the way down and its wins on the way up, so what it is trying looks lost to the others
until its result is there: a virtual loss of one visit. Visits and wins are added atomically, so none is lost; RAVE's
sums are added plainly, and lose a few in a hundred thousand. Children are written into nodes that no other thread can
see and made visible by one compare-and-swap; the thread that comes second takes its own back.

One thread alone grows the very tree that ``simulation.simulate`` grows.
"""

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
from semeai.search.kernels.atomics import (
    add_nodes,
    add_simulations,
    add_visits,
    add_wins,
    first_child,
    publish_children,
)
from semeai.search.kernels.proof import prove, value_of
from semeai.search.kernels.simulation import (
    NO_RAVE,
    add_rave,
    draw_chance,
    gain_at,
    mark_playout,
    select,
    sort_by_heuristic,
    write_children,
)
from semeai.search.kernels.tree import OPEN, ROOT, UNEXPANDED, Nodes

POOL = 4 * MAX_CODES
"""Nodes that a thread takes at a time for itself: no two threads write side by side."""

POOL_RECORD = np.dtype(
    [
        ("next", np.int64),  # the first node of the pool that is not used
        ("end", np.int64),  # and the one after its last
        ("padding", np.int64, 14),  # two threads never write to one line of the cache
    ],
    align=True,
)


@inlined
def _room_for(n: int, nodes: Nodes, trees: NDArray[Any], pool: Record) -> bool:
    """Whether the pool has ``n`` nodes left, after filling it up where there is room in the tree."""
    if pool.next + n <= pool.end:
        return True
    if trees[0].full:
        return False
    start = add_nodes(trees, 0, POOL)
    if start + n > len(nodes):
        add_nodes(trees, 0, -POOL)
        trees[0].full = 1
        return False
    pool.next = start
    pool.end = min(start + POOL, np.int64(len(nodes)))
    return True


@kernel
def _grow(
    nodes: Nodes,
    trees: NDArray[Any],
    pool: Record,
    node: int,
    state: Record,
    spare: Record,
    params: Record,
    policy: Record,
    scratch: Record,
) -> int:
    """Give ``node`` its children unless another thread has; the first of them, or UNEXPANDED where there is no room."""
    n = expand(state, spare, policy, scratch)
    if not _room_for(n, nodes, trees, pool):
        return first_child(nodes, node)
    first = np.int64(pool.next)
    write_children(nodes, first, n, scratch)
    if params.widening > 0 and mover(state) != CHANCE:
        sort_by_heuristic(nodes, first, n)
    nodes[node].n_children = n  # whoever else expands this node writes the same number
    if publish_children(nodes, node, UNEXPANDED, first):
        pool.next += n
        return first
    return first_child(nodes, node)


@inlined
def _descend(
    nodes: Nodes,
    trees: NDArray[Any],
    pool: Record,
    state: Record,
    spare: Record,
    params: Record,
    policy: Record,
    scratch: Record,
) -> int:
    """As ``simulation.descend``, and count a visit of each node on leaving it; the depth of the leaf."""
    node, depth = np.int64(ROOT), 0
    scratch.path[0] = ROOT
    while depth < MAX_DEPTH - 1 and not is_over(state) and nodes[node].proof == OPEN:
        if first_child(nodes, node) == UNEXPANDED and (
            nodes[node].visits < params.expansion_threshold
            or _grow(nodes, trees, pool, node, state, spare, params, policy, scratch) == UNEXPANDED
        ):
            break
        who = mover(state)
        child = draw_chance(nodes, node, scratch) if who == CHANCE else select(nodes, node, params, scratch)
        add_visits(nodes, node, np.float32(1.0))
        node = np.int64(child)
        move = np.int64(nodes[node].move)
        play(state, move)
        scratch.played[np.uint64(depth)] = move
        scratch.played_by[np.uint64(depth)] = who + 1
        depth += 1
        scratch.path[np.uint64(depth)] = node
    add_visits(nodes, node, np.float32(1.0))
    scratch.n_played = depth
    return depth


@inlined
def _back_up(nodes: Nodes, depth: int, result: np.float32, params: Record, scratch: Record) -> None:
    """As ``simulation.back_up``, for visits that are counted already."""
    if params.rave != NO_RAVE:
        mark_playout(depth, params, scratch)
    for i in range(depth, -1, -1):
        if i < depth and params.rave != NO_RAVE:
            add_rave(nodes, i, result, scratch)
        add_wins(nodes, np.int64(scratch.path[np.uint64(i)]), gain_at(i, result, scratch))


@kernel
def simulate_together(
    nodes: Nodes,
    trees: NDArray[Any],
    pools: NDArray[Any],
    states: NDArray[Any],
    params: NDArray[Any],
    policy: NDArray[Any],
    scratches: NDArray[Any],
    thread: int,
    limit: int,
) -> None:
    """Run simulations until all threads together have run ``limit`` of this position, or the root is proven.

    Thread ``thread`` works with its pool, its scratch and its three states: the root and two working copies.
    """
    pool, scratch, p, r = pools[thread], scratches[thread], params[0], policy[0]
    root, state, spare = states[3 * thread], states[3 * thread + 1], states[3 * thread + 2]
    while nodes[ROOT].proof == OPEN:
        if add_simulations(trees, 0, 1) >= limit:
            add_simulations(trees, 0, -1)
            return
        copy_state(state, root)
        depth = _descend(nodes, trees, pool, state, spare, p, r, scratch)
        leaf = nodes[scratch.path[depth]]
        proof = np.int64(leaf.proof)
        is_end = is_over(state)
        if depth == 0 and proof != OPEN:  # the root has been proven since we looked: this was no simulation
            add_visits(nodes, ROOT, np.float32(-1.0))
            add_simulations(trees, 0, -1)
            return
        if proof != OPEN:
            result = value_of(proof, scratch.played_by[depth - 1])
        else:
            if not is_end:
                playout(state, r, scratch)
            result = np.float32(reward(state))
        _back_up(nodes, depth, result, p, scratch)
        if (is_end or proof != OPEN) and p.proof_backup:
            prove(nodes, depth, result, scratch)  # again for a leaf that is proven: two threads may have missed it

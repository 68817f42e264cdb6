"""How one of several threads changes the tree that they search together, without a lock.

A thread counts its visits on the way down and its wins on the way up. So what it is trying looks lost to the others
until its result is there: a virtual loss of one visit. Visits and wins are added atomically, so none is lost; RAVE's
sums are added plainly, and lose a few in a hundred thousand. Children are written into nodes that no other thread can
see and made visible by one compare-and-swap; the thread that comes second keeps its nodes for later.

One thread of several, if the others do nothing, grows the very tree that a thread alone grows.
"""

import numpy as np

from semeai.games.protocol import MAX_CODES, Record
from semeai.jit import implements
from semeai.search.kernels import writing
from semeai.search.kernels.atomics import (
    add_nodes,
    add_simulations,
    add_visits,
    add_wins,
    load_first_child,
    swap_first_child,
)
from semeai.search.kernels.tree import UNEXPANDED

POOL_NODES = 4 * MAX_CODES
"""Nodes that a thread takes at a time for itself: no two threads write side by side."""

POOL = np.dtype(
    [
        ("next", np.int64),  # the first unused node of the pool
        ("end", np.int64),  # the node after its last
        ("padding", np.int64, 14),  # two threads never write to the same cache line
    ],
    align=True,
)


@implements(writing.count_simulations, POOL)
def count_simulations(pool: Record, tree: Record, amount: int) -> int:
    return add_simulations(tree, amount)


@implements(writing.may_grow, POOL)
def may_grow(pool: Record, tree: Record) -> bool:
    return True  # when the tree is full, the pool may have nodes left


@implements(writing.reserve, POOL)
def reserve(pool: Record, tree: Record, n: int, max_nodes: int) -> int:
    if pool.next + n <= pool.end:
        return pool.next
    if tree.full:
        return UNEXPANDED
    start = add_nodes(tree, POOL_NODES)
    if start + n > max_nodes:
        add_nodes(tree, -POOL_NODES)
        tree.full = 1
        return UNEXPANDED
    pool.next = start
    pool.end = min(start + POOL_NODES, max_nodes)
    return start


@implements(writing.publish, POOL)
def publish(pool: Record, node: Record, first: int, n: int) -> None:
    node.n_children = n  # whoever else expands this node writes the same number
    if swap_first_child(node, UNEXPANDED, first):
        pool.next += n


@implements(writing.first_child_of, POOL)
def first_child_of(pool: Record, node: Record) -> int:
    return load_first_child(node)


@implements(writing.count_going_down, POOL)
def count_going_down(pool: Record, node: Record, amount: np.float32) -> None:
    add_visits(node, amount)


@implements(writing.add_result, POOL)
def add_result(pool: Record, node: Record, gain: np.float32) -> None:
    add_wins(node, gain)


@implements(writing.proves_again, POOL)
def proves_again(pool: Record) -> bool:
    return True

"""How a thread changes the tree: the steps of a simulation that differ between one thread and several.

Simulations are written once, see ``simulation``. They call the generic functions below, whose first argument is the
writer, a record that belongs to the searching thread: the tree's own (``tree.TREE``) if the thread is alone, or its
pool of nodes (``threads.POOL``) if it shares the tree. ``tree`` and ``threads`` say what the functions mean for their
record with ``semeai.jit.implements``.
"""

import numpy as np

from semeai.games.protocol import Record


def count_simulations(writer: Record, tree: Record, amount: int) -> int:
    """Add to the number of simulations. Returns what it was before."""
    raise NotImplementedError


def may_grow(writer: Record, tree: Record) -> bool:
    """Whether it is worth looking for room. Returns False if the tree is known to be full."""
    raise NotImplementedError


def reserve(writer: Record, tree: Record, n: int, max_nodes: int) -> int:
    """Find room for ``n`` children. Returns the first of these nodes, or UNEXPANDED if the tree is full."""
    raise NotImplementedError


def publish(writer: Record, node: Record, first: int, n: int) -> None:
    """Give ``node`` the ``n`` children that were written from ``first`` on, unless it has children already."""
    raise NotImplementedError


def first_child_of(writer: Record, node: Record) -> int:
    """Read where the children of ``node`` begin. Returns UNEXPANDED if there are none."""
    raise NotImplementedError


def count_going_down(writer: Record, node: Record, amount: np.float32) -> None:
    """Add to the visits of a node on the way down, if other threads are to see the visit before its result.

    If not, ``add_result`` counts the visit.
    """
    raise NotImplementedError


def add_result(writer: Record, node: Record, gain: np.float32) -> None:
    """Add the result of a simulation through ``node``, as seen by the player who chose the node."""
    raise NotImplementedError


def proves_again(writer: Record) -> bool:
    """Whether a simulation that ends at a proven node proves the nodes above again: two threads may have missed it."""
    raise NotImplementedError

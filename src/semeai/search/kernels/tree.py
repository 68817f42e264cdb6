"""The tree: one array of nodes, the root first, the children of a node side by side.

``wins`` and ``rave_wins`` are sums of rewards as seen by the player who chose the node's move. Priors of a new node
are put into its RAVE sums, where they fade as its own visits grow. The last part of this file says how a thread that
searches alone changes the tree, see ``writing``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import Record
from semeai.jit import implements, kernel
from semeai.search.kernels import writing

ROOT = 0
UNEXPANDED = -1

# The proven value of a node for the player who chose its move; the root's is that of the player who is not to move.
OPEN, WON, LOST, DRAWN = 0, 1, 2, 3

NODE = np.dtype(
    [
        ("visits", np.float32),  # N_T of Algorithm 1
        ("wins", np.float32),  # S_T
        ("rave_visits", np.float32),
        ("rave_wins", np.float32),
        ("heuristic", np.float32),  # H
        ("first_child", np.int32),  # the first child, or UNEXPANDED
        ("n_children", np.uint16),
        ("move", np.uint16),
        ("proof", np.uint8),  # OPEN, WON, LOST or DRAWN
    ],
    align=True,
)

TREE = np.dtype(
    [
        ("n_nodes", np.int64),
        ("simulations", np.int64),  # since the tree was made or the root moved
        ("full", np.int64),  # 1: an expansion found no room; the search goes on without growing
    ],
    align=True,
)

Nodes = NDArray[Any]
"""Records of ``NODE``."""


@kernel
def clear_tree(nodes: Nodes, trees: NDArray[Any]) -> None:
    """Leave only a root without children."""
    root = nodes[ROOT]
    root.visits = 0
    root.wins = 0
    root.rave_visits = 0
    root.rave_wins = 0
    root.heuristic = 0
    root.first_child = UNEXPANDED
    root.n_children = 0
    root.move = 0
    root.proof = OPEN
    tree = trees[0]
    tree.n_nodes = 1
    tree.simulations = 0
    tree.full = 0


@kernel
def copy_subtree(nodes: Nodes, start: int, target: Nodes) -> int:
    """Copy the tree below ``start`` into ``target``, breadth first. Returns the number of its nodes.

    ``first_child`` of a copied node points into the old array until the loop reaches that node.
    """
    target[ROOT] = nodes[start]
    n = 1
    i = 0
    while i < n:
        first = target[i].first_child
        if first != UNEXPANDED:
            target[i].first_child = n
            for k in range(first, first + target[i].n_children):
                target[n] = nodes[k]
                n += 1
        i += 1
    return n


@kernel
def child_with_move(nodes: Nodes, node: int, move: int) -> int:
    """Find a child by its move. Returns UNEXPANDED if there is none."""
    first = nodes[node].first_child
    if first != UNEXPANDED:
        for k in range(first, first + nodes[node].n_children):
            if nodes[k].move == move:
                return k
    return UNEXPANDED


@implements(writing.count_simulations, TREE)
def count_simulations(writer: Record, tree: Record, amount: int) -> int:
    before = tree.simulations
    tree.simulations = before + amount
    return before


@implements(writing.may_grow, TREE)
def may_grow(writer: Record, tree: Record) -> bool:
    return not tree.full


@implements(writing.reserve, TREE)
def reserve(writer: Record, tree: Record, n: int, max_nodes: int) -> int:
    if tree.n_nodes + n > max_nodes:
        tree.full = 1
        return UNEXPANDED
    return tree.n_nodes


@implements(writing.publish, TREE)
def publish(writer: Record, node: Record, first: int, n: int) -> None:
    writer.n_nodes = first + n
    node.n_children = n
    node.first_child = first


@implements(writing.first_child_of, TREE)
def first_child_of(writer: Record, node: Record) -> int:
    return np.int64(node.first_child)


@implements(writing.count_going_down, TREE)
def count_going_down(writer: Record, node: Record, amount: np.float32) -> None:
    pass  # nobody else would see it


@implements(writing.add_result, TREE)
def add_result(writer: Record, node: Record, gain: np.float32) -> None:
    node.visits += np.float32(1.0)
    node.wins += gain


@implements(writing.proves_again, TREE)
def proves_again(writer: Record) -> bool:
    return False

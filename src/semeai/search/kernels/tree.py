"""The tree: one array of nodes, the children of a node side by side, the root first.

``wins`` and ``rave_wins`` are sums of rewards as seen by the player who chose the node's move. Priors of a new node
are put into its RAVE sums, where they fade as its own visits grow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.jit import kernel

ROOT = 0
UNEXPANDED = -1

# What is proven of a node, as seen by the player who chose its move; of the root, by the player who is not to move.
OPEN, WON, LOST, DRAWN = 0, 1, 2, 3

NODE = np.dtype(
    [
        ("visits", np.float32),  # N_T of Algorithm 1
        ("wins", np.float32),  # S_T
        ("rave_visits", np.float32),
        ("rave_wins", np.float32),
        ("heuristic", np.float32),  # H
        ("first", np.int32),  # the first child, or UNEXPANDED
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
        ("full", np.int64),  # 1: an expansion found no room; the search goes on in the tree it has
    ],
    align=True,
)

Nodes = NDArray[Any]
"""Records of ``NODE``."""


@kernel
def clear_tree(nodes: Nodes, trees: NDArray[Any]) -> None:
    """A root and nothing else."""
    root = nodes[ROOT]
    root.visits = 0
    root.wins = 0
    root.rave_visits = 0
    root.rave_wins = 0
    root.heuristic = 0
    root.first = UNEXPANDED
    root.n_children = 0
    root.move = 0
    root.proof = OPEN
    tree = trees[0]
    tree.n_nodes = 1
    tree.simulations = 0
    tree.full = 0


@kernel
def copy_subtree(nodes: Nodes, start: int, target: Nodes) -> int:
    """Copy the tree below ``start`` into ``target``, breadth first, and count its nodes.

    ``first`` of a copied node names its children in the old array until the walk comes to it.
    """
    target[ROOT] = nodes[start]
    n = 1
    i = 0
    while i < n:
        first = target[i].first
        if first != UNEXPANDED:
            target[i].first = n
            for k in range(first, first + target[i].n_children):
                target[n] = nodes[k]
                n += 1
        i += 1
    return n


@kernel
def child_with_move(nodes: Nodes, node: int, move: int) -> int:
    """The child that ``move`` leads to, or UNEXPANDED."""
    first = nodes[node].first
    if first != UNEXPANDED:
        for k in range(first, first + nodes[node].n_children):
            if nodes[k].move == move:
                return k
    return UNEXPANDED

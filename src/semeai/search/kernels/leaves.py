"""Simulations in three parts, so that many playouts can run elsewhere at once: pick leaves, play them out, back up.

A leaf whose result is awaited counts as a lost visit of every node above it, so the next descent goes elsewhere. One
leaf at a time grows the very tree that ``simulation.simulate`` grows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import Record, copy_state, is_over, playout, reward
from semeai.jit import inlined, kernel
from semeai.search.kernels.proof import prove, value_of
from semeai.search.kernels.simulation import back_up, descend
from semeai.search.kernels.tree import OPEN, ROOT, Nodes


@inlined
def _add_visits(nodes: Nodes, depth: int, amount: float, scratch: Record) -> None:
    """Add to the visits of every node of the path."""
    for i in range(depth + 1):
        nodes[scratch.path[i]].visits += np.float32(amount)


@kernel
def pick_leaves(
    nodes: Nodes,
    trees: NDArray[Any],
    states: NDArray[Any],
    params: NDArray[Any],
    policy: NDArray[Any],
    scratches: NDArray[Any],
    leaves: NDArray[Any],
    depths: NDArray[np.int64],
    playing: NDArray[np.bool_],
    n: int,
) -> int:
    """Descend ``n`` times, unless the root is proven. Returns the number of leaves.

    ``leaves[i]`` becomes the state, ``scratches[i]`` holds the path, and ``playing[i]`` says whether there is anything
    to play out. Random numbers come from the first scratch.
    """
    tree = trees[0]
    if nodes[ROOT].proof != OPEN:
        return 0
    for i in range(n):
        scratch = scratches[i]
        scratch.rng = scratches[0].rng
        copy_state(leaves[i], states[0])
        depths[i] = descend(tree, tree, nodes, leaves[i], states[2], params[0], policy[0], scratch)
        scratches[0].rng = scratch.rng
        playing[i] = nodes[scratch.path[depths[i]]].proof == OPEN and not is_over(leaves[i])
        _add_visits(nodes, depths[i], 1.0, scratch)
        tree.simulations += 1
    return n


@kernel
def play_leaf(leaves: NDArray[Any], policy: NDArray[Any], scratches: NDArray[Any], depth: int) -> float:
    """Play ``leaves[0]`` to its end; moves are added to the scratch's from ``depth`` on. Returns player 0's reward."""
    scratches[0].n_played = depth
    playout(leaves[0], policy[0], scratches[0])
    return reward(leaves[0])


@kernel
def back_up_leaves(
    nodes: Nodes,
    trees: NDArray[Any],
    params: NDArray[Any],
    scratches: NDArray[Any],
    leaves: NDArray[Any],
    depths: NDArray[np.int64],
    rewards: NDArray[np.float64],
    n: int,
) -> None:
    """Back up ``n`` results. ``leaves`` are as they were picked; one that has been proven since counts as proven."""
    p = params[0]
    for i in range(n):
        scratch, depth = scratches[i], depths[i]
        _add_visits(nodes, depth, -1.0, scratch)
        proof = np.int64(nodes[scratch.path[depth]].proof)
        is_end = is_over(leaves[i])
        if proof != OPEN:
            result = value_of(proof, scratch.played_by[depth - 1])
        else:
            result = np.float32(reward(leaves[i]) if is_end else rewards[i])
        back_up(trees[0], nodes, depth, result, p, scratch)
        if p.proof_backup and (is_end or proof != OPEN):
            prove(nodes, depth, result, scratch)

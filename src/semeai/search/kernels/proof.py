"""Solved nodes: ends of games in the tree prove values of the nodes above (MCTS-Solver, Winands et al. 2008).

A move that reaches a reward of 1 is won and one that reaches 0 is lost, whatever the other moves do; a draw is proven
where all moves are, and none is won. Nodes where chance moves prove nothing.
"""

import numpy as np

from semeai.games.protocol import CHANCE, Record
from semeai.jit import inlined, kernel
from semeai.search.kernels.tree import DRAWN, LOST, OPEN, WON, Nodes

_BY_CHANCE = CHANCE + 1  # in ``played_by``


@inlined
def _sees_second(who: int) -> bool:
    """Whether the wins of a node that ``who`` chose are player 1's; chance has player 0's view."""
    return who == 2


@inlined
def value_of(proof: int, chooser: int) -> np.float32:
    """Player 0's reward at a proven node that ``chooser`` moved to."""
    if proof == DRAWN:
        return np.float32(0.5)
    return np.float32(1.0) if (proof == WON) != _sees_second(chooser) else np.float32(0.0)


@inlined
def _proof_by(result: np.float32, chooser: int) -> int:
    """Convert the result of a finished game to the proof of its node."""
    gain = np.float32(1.0) - result if _sees_second(chooser) else result
    return WON if gain == 1 else LOST if gain == 0 else DRAWN if gain == np.float32(0.5) else OPEN


@kernel
def _best_proof(nodes: Nodes, node: int) -> int:
    """Find the value that the children prove for the player to move."""
    best = LOST
    first = np.int64(nodes[node].first_child)
    for k in range(first, first + np.int64(nodes[node].n_children)):
        proof = nodes[k].proof
        if proof == WON:
            return WON
        if proof == OPEN:
            best = OPEN
        elif proof == DRAWN and best == LOST:
            best = DRAWN
    return best


@kernel
def prove(nodes: Nodes, depth: int, result: np.float32, scratch: Record) -> None:
    """Write the proofs that follow from a certain result at the leaf of ``scratch.path``, as far up as they reach."""
    i = depth
    proof = _proof_by(result, scratch.played_by[i - 1])
    while proof != OPEN:
        nodes[scratch.path[i]].proof = proof
        if i == 0:
            return
        i -= 1
        who = scratch.played_by[i]
        if who == _BY_CHANCE:
            return
        proof = _best_proof(nodes, scratch.path[i])
        # The root is seen by the player who is not to move, as if that one had moved there.
        chooser = scratch.played_by[i - 1] if i > 0 else 3 - who
        if proof != DRAWN and proof != OPEN and _sees_second(chooser) != _sees_second(who):
            proof = WON + LOST - proof

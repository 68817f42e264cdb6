"""Statistics that ranks exchange about their trees: sums of the children of some nodes, and nothing twice.

``seen`` is the part of a child's sums that all ranks know already: its priors, which every rank has by itself, and all
that was shared before. A rank sends the growth of its sums since then, and receives the total growth of all ranks.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.protocol import copy_state, expand, is_over, play
from semeai.jit import inlined, kernel
from semeai.search.kernels.simulation import grow
from semeai.search.kernels.tree import OPEN, ROOT, UNEXPANDED, Nodes, child_with_move

SUMS = 4
"""Visits, wins, RAVE visits and RAVE wins of a child."""
PROOFS = 2
"""Ranks that have proven the child, and the sum of the values they have proven, if proofs are shared."""
SHARED_CHILD = np.dtype(
    [
        ("move", np.int64),
        ("slot", np.int64),  # its node in this tree, or UNEXPANDED
        ("seen", np.float64, SUMS),  # the part of its sums that all ranks know
        ("known", np.float64),  # its visits by all that was shared
        ("below", np.int64),  # the table of its own children, or UNEXPANDED
    ],
    align=True,
)
SHARED_NODE = np.dtype([("start", np.int64), ("end", np.int64), ("depth", np.int64)], align=True)
"""A table: the children of one node, in rows of SHARED_CHILD."""
_GRID = 65536.0
"""Increments are multiples of 1 / 65536: 64-bit floats add up to 2^37 of them exactly, in any order."""


@kernel
def list_children(
    nodes: Nodes,
    trees: NDArray[Any],
    states: NDArray[Any],
    params: NDArray[Any],
    policy: NDArray[Any],
    scratches: NDArray[Any],
    path: NDArray[np.int64],
    children: NDArray[Any],
    start: int,
) -> int:
    """Write the moves after ``path`` into the rows from ``start`` on, in ascending order, if there is room, and expand
    the node there if needed. Returns the number of moves.

    The moves are the same in every tree of this position. At first all ranks know only their priors.
    """
    state, scratch = states[1], scratches[0]
    copy_state(state, states[0])
    node = ROOT
    for i in range(len(path)):
        if node != UNEXPANDED:
            node = child_with_move(nodes, node, path[i])
        play(state, path[i])
    if is_over(state):
        return 0
    if node != UNEXPANDED and nodes[node].first_child == UNEXPANDED:
        grow(trees[0], trees[0], nodes, node, state, states[2], params[0], policy[0], scratch)
    n = expand(state, states[2], policy[0], scratch)
    if start + n > len(children):
        return n
    end = start
    for i in range(n):
        move = np.int64(scratch.moves[i])
        slot = UNEXPANDED if node == UNEXPANDED else child_with_move(nodes, node, move)
        if len(path) == 0 and slot == UNEXPANDED:
            continue  # the root has only children that the rules of the whole game allow
        k = end
        while k > start and children[k - 1].move > move:
            children[k] = children[k - 1]
            k -= 1
        row = children[k]
        row.move = move
        row.slot = slot
        row.seen[0] = row.seen[1] = 0.0
        row.seen[2], row.seen[3] = scratch.prior_visits[i], scratch.prior_wins[i]
        row.known = 0.0
        row.below = UNEXPANDED
        end += 1
    return end - start


@kernel
def carry_over(
    old: NDArray[Any], i: int, old_end: int, new: NDArray[Any], k: int, new_end: int, with_seen: bool
) -> None:
    """Copy the known visits of moves that two tables have in common; both tables are in ascending order."""
    while i < old_end and k < new_end:
        if old[i].move < new[k].move:
            i += 1
        elif old[i].move > new[k].move:
            k += 1
        else:
            new[k].known = old[i].known
            if with_seen:
                for j in range(SUMS):
                    new[k].seen[j] = old[i].seen[j]
            i += 1
            k += 1


@kernel
def list_shared(
    tables: NDArray[Any],
    children: NDArray[Any],
    fraction: float,
    depth: int,
    queue: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[int, int]:
    """List the children of all nodes that are to be shared, parents before their children.

    Returns how many there are and UNEXPANDED. If a child is to be shared and has no table yet, the list stops, and this
    child is returned in place of UNEXPANDED.
    """
    enough = 0.0
    for row in range(tables[0].start, tables[0].end):
        enough += fraction * children[row].known
    n, n_tables, i = 0, 1, 0
    queue[0] = 0
    while i < n_tables:
        table = tables[queue[i]]
        i += 1
        for row in range(table.start, table.end):
            rows[n] = row
            n += 1
            if table.depth < depth and enough > 0 and children[row].known >= enough:
                if children[row].below == UNEXPANDED:
                    return n, row
                queue[n_tables] = children[row].below
                n_tables += 1
    return n, UNEXPANDED


@inlined
def _growth(now: np.float32, before: float) -> float:
    return math.floor((float(now) - before) * _GRID + 0.5) / _GRID


@kernel
def read_growth(nodes: Nodes, children: NDArray[Any], rows: NDArray[np.int64], growth: NDArray[np.float64]) -> np.int64:
    """Write the growth of each child in ``rows`` into a line of ``growth``; zeros for those not in this tree.

    Returns a checksum of the moves.
    """
    check = np.int64(len(rows))
    for i in range(len(rows)):
        row = children[rows[i]]
        check += (i + 1) * row.move
        for j in range(growth.shape[1]):
            growth[i, j] = 0.0
        if row.slot == UNEXPANDED:
            continue
        child = nodes[row.slot]
        growth[i, 0] = _growth(child.visits, row.seen[0])
        growth[i, 1] = _growth(child.wins, row.seen[1])
        growth[i, 2] = _growth(child.rave_visits, row.seen[2])
        growth[i, 3] = _growth(child.rave_wins, row.seen[3])
        if growth.shape[1] > SUMS and child.proof != OPEN:
            growth[i, 4] = 1.0
            growth[i, 5] = float(child.proof)
    return check


@kernel
def add_growth(
    nodes: Nodes,
    children: NDArray[Any],
    rows: NDArray[np.int64],
    own: NDArray[np.float64],
    total: NDArray[np.float64],
    weight: float,
    n_root: int,
) -> None:
    """Replace the growth that this rank sent by ``weight`` times the total; ``n_root`` rows are the root's children."""
    for i in range(len(rows)):
        row = children[rows[i]]
        row.known += total[i, 0]
        if row.slot == UNEXPANDED:
            continue
        child = nodes[row.slot]
        before = child.visits
        child.visits = before + np.float32(weight * total[i, 0] - own[i, 0])
        row.seen[0] += own[i, 0] + (float(child.visits) - float(before))
        if i < n_root:
            nodes[ROOT].visits += child.visits - before
        before = child.wins
        child.wins = before + np.float32(weight * total[i, 1] - own[i, 1])
        row.seen[1] += own[i, 1] + (float(child.wins) - float(before))
        before = child.rave_visits
        child.rave_visits = before + np.float32(weight * total[i, 2] - own[i, 2])
        row.seen[2] += own[i, 2] + (float(child.rave_visits) - float(before))
        before = child.rave_wins
        child.rave_wins = before + np.float32(weight * total[i, 3] - own[i, 3])
        row.seen[3] += own[i, 3] + (float(child.rave_wins) - float(before))
        if total.shape[1] > SUMS and total[i, 4] > 0:
            child.proof = np.uint8(total[i, 5] / total[i, 4])  # proofs are true, so ranks agree

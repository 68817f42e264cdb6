"""Threat sequences: one side makes a winning cell with every move, until it makes two at once.

The other side has no choice but to fill each cell, so that a sequence is one line for it, and a search of many plies
looks at few positions. (For Go-Moku: Allis et al. 1996, threat-space search.)
"""

import numpy as np

from semeai.games.havannah.kernels.bitboard import (
    GROUPS,
    NO_CELLS,
    Cells,
    are_several,
    first_of,
    list_groups,
    winning_cells,
    winning_cells_after,
)
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

MAX_THREATS = 20
_FAILED_BITS = 18
MOST_CELLS = 37
_HOPELESS = 99
"""Depth noted for a search that found no threats, and so will fail at any depth."""

THREATS = np.dtype(
    [
        ("moves", np.uint64, MAX_THREATS),
        ("replies", np.uint64, MAX_THREATS),
        ("last", np.uint64),  # the winning cells that the last move makes
        ("n", np.int64),  # moves of the sequence
        ("visited", np.int64),
        ("limit", np.int64),  # positions that a search may look at
        # What was searched without success, with its depth.
        ("failed_attacker", np.uint64, 1 << _FAILED_BITS),
        ("failed_defender", np.uint64, 1 << _FAILED_BITS),
        ("failed_depth", np.int8, 1 << _FAILED_BITS),
        # By moves made: the position, the threats in it with their forced replies, and how many were tried.
        ("attacker", np.uint64, MAX_THREATS),
        ("defender", np.uint64, MAX_THREATS),
        ("threat", np.uint64, (MAX_THREATS, MOST_CELLS)),
        ("forced", np.uint64, (MAX_THREATS, MOST_CELLS)),
        ("n_threats", np.int64, MAX_THREATS),
        ("n_tried", np.int64, MAX_THREATS),
        ("groups", GROUPS),  # of the attacker, where threats are being listed
    ],
    align=True,
)


@inlined
def _place_of(attacker: Cells, defender: Cells) -> np.uint64:
    mixed = attacker * np.uint64(0x9E3779B97F4A7C15) ^ defender * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    return (mixed * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(64 - _FAILED_BITS)


@kernel
def find_threats(board: Record, threats: Record, attacker: Cells, defender: Cells) -> bool:
    """Return whether the attacker, who is to move and cannot win at once, has a sequence; a shortest one is stored."""
    threats.visited = 0
    threats.attacker[0] = attacker
    threats.defender[0] = defender
    for depth in range(MAX_THREATS):
        if _search(board, threats, depth):
            return True
        if threats.visited > threats.limit or _failed_depth(threats, 0) == _HOPELESS:
            return False
    return False


@inlined
def _failed_depth(threats: Record, k: int) -> int:
    """Return the depth to which the position after ``k`` moves was searched in vain, or -1."""
    place = _place_of(threats.attacker[k], threats.defender[k])
    if threats.failed_attacker[place] != threats.attacker[k] or threats.failed_defender[place] != threats.defender[k]:
        return -1
    return threats.failed_depth[place]


@inlined
def _note_failure(threats: Record, k: int, depth: int) -> None:
    place = _place_of(threats.attacker[k], threats.defender[k])
    threats.failed_attacker[place] = threats.attacker[k]
    threats.failed_defender[place] = threats.defender[k]
    threats.failed_depth[place] = depth


@kernel
def _search(board: Record, threats: Record, depth: int) -> bool:
    """Search for a sequence with up to ``depth`` moves before the last. Not recursive: numba would not cache it."""
    k, is_entered = 0, True
    while k >= 0:
        if is_entered:
            threats.visited += 1
            if threats.visited > threats.limit:
                return False
            if _failed_depth(threats, k) >= depth - k:
                k, is_entered = k - 1, False
                continue
            if _list_threats(board, threats, k):
                return True
        i = threats.n_tried[k]
        if k < depth and i < threats.n_threats[k]:
            threats.n_tried[k] = i + 1
            threats.moves[k] = threats.threat[k, i]
            threats.replies[k] = threats.forced[k, i]
            threats.attacker[k + 1] = threats.attacker[k] | threats.moves[k]
            threats.defender[k + 1] = threats.defender[k] | threats.replies[k]
            k, is_entered = k + 1, True
        else:
            _note_failure(threats, k, depth - k if threats.n_threats[k] else _HOPELESS)
            k, is_entered = k - 1, False
    return False


@kernel
def _list_threats(board: Record, threats: Record, k: int) -> bool:
    """List the attacker's threats after ``k`` moves. Returns whether one makes two winning cells and wins."""
    attacker, defender = threats.attacker[k], threats.defender[k]
    empty = board.cells & ~(attacker | defender)
    threats.n_threats[k] = 0
    threats.n_tried[k] = 0
    left = winning_cells(board, defender, empty)
    if are_several(left):
        return False
    if left == NO_CELLS:
        left = empty
    list_groups(board, threats.groups, attacker)
    while left:
        move = first_of(left)
        left ^= move
        wins = winning_cells_after(board, threats.groups, attacker, move, empty ^ move)
        if are_several(wins):
            threats.moves[k] = move
            threats.last = wins
            threats.n = k + 1
            return True
        if wins:
            n = threats.n_threats[k]
            threats.threat[k, n] = move
            threats.forced[k, n] = wins
            threats.n_threats[k] = n + 1
    return False


@kernel
def still_wins(board: Record, threats: Record, attacker: Cells, defender: Cells, cell: Cells) -> bool:
    """Return whether the sequence that was found still wins after the defender's move to ``cell``."""
    last = threats.last & ~cell
    if not are_several(last):
        return False
    defender |= cell
    for k in range(threats.n):
        move = threats.moves[k]
        reply = threats.replies[k] if k + 1 < threats.n else NO_CELLS
        if cell == move or cell == reply:
            return False
        if winning_cells(board, defender, board.cells & ~(attacker | defender)) & ~move:
            return False  # the defender wins first, or has to be stopped elsewhere
        attacker |= move
        defender |= reply
    return True

"""Depth-first proof-number search over positions in 64-bit words: does White win? A full board counts for Black.

df-pn (Nagai 2002) with phi as the effort to prove a win of the player to move, delta to prove a loss, and thresholds
that leave a move only when it is a quarter worse than the next (Pawlewicz & Lew 2006). To prove a loss takes as much as
its hardest move and one for each other (weak proof numbers, Ueda et al. 2008): the sum of all counts the same
positions, which many orders of moves lead to, again and again. ``threats`` also make it fast enough: an own sequence
ends the search, and a sequence of the opponent leaves only the moves that break it. Positions are known by the least of
the keys of their twelve turned and mirrored forms; no two have the same, so nothing is proven by chance.
"""

import numpy as np

from semeai.games.havannah.kernels.bitboard import (
    BLACK_MOVES,
    GROUPS,
    NO_CELLS,
    SYMMETRIES,
    Cells,
    are_several,
    first_of,
    index_of,
    list_groups,
    winning_cells,
    winning_cells_after,
)
from semeai.games.havannah.kernels.proof_table import INFINITE, find, store
from semeai.games.havannah.kernels.threats import MOST_CELLS, find_threats, still_wins
from semeai.games.protocol import Record
from semeai.jit import inlined, kernel

_FRESH_DELTA = 3
"""Delta of a position that was never visited: low, so that each move is visited once."""
_FORCED_PHI = 4
"""Phi of a position where the player to move has only one move."""
WON, OPEN, LOST = 1, 0, -1

PATH = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("mover", np.int64),
        ("keys", np.uint64, SYMMETRIES),
        ("key", np.uint64),
        ("symmetry", np.int64),
        ("most_phi", np.int64),  # the search leaves it when one of these is reached
        ("most_delta", np.int64),
        ("began", np.int64),
        ("known_moves", np.uint64),  # in the orientation of the key
        ("groups", GROUPS),  # of ``own``
        ("n", np.int64),  # moves; -1: it was not looked into on this way
        ("tried", np.int64),  # the move that the search is looking into
        ("next_keys", np.uint64, SYMMETRIES),  # of the move that is being listed
        # By move:
        ("cell", np.uint64, MOST_CELLS),
        ("next_key", np.uint64, MOST_CELLS),
        ("next_symmetry", np.int64, MOST_CELLS),
        ("phi", np.int64, MOST_CELLS),
        ("delta", np.int64, MOST_CELLS),
    ],
    align=True,
)
"""A position on the way from the root, and its moves."""
COUNTS = np.dtype([("visited", np.int64), ("limit", np.int64), ("full_boards", np.int64)])


@inlined
def _least(keys: np.ndarray) -> tuple[np.uint64, int]:
    """Return the key of a position, and the symmetry that gives it.

    Its bits are mixed by reversible steps: different positions have different keys, and none has 0.
    """
    best = 0
    for s in range(1, SYMMETRIES):
        if keys[s] < keys[best]:
            best = s
    key = (keys[best] + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(32)), best


@inlined
def _turn(board: Record, moves: Cells, symmetry: int) -> Cells:
    found = NO_CELLS
    while moves:
        cell = first_of(moves)
        moves ^= cell
        found |= np.uint64(1) << np.uint64(board.turned[symmetry, index_of(cell)])
    return found


@inlined
def _turn_back(board: Record, moves: Cells, symmetry: int) -> Cells:
    found = NO_CELLS
    left = board.cells
    while left:
        cell = first_of(left)
        left ^= cell
        if moves >> np.uint64(board.turned[symmetry, index_of(cell)]) & np.uint64(1):
            found |= cell
    return found


@inlined
def _turned_bit(board: Record, path: Record, cell: Cells) -> int:
    """Return a move as the table keeps it."""
    return np.int64(board.turned[path.symmetry, index_of(cell)]) + 1


@kernel
def look_into(board: Record, threats: Record, own: Cells, other: Cells, mover: int) -> tuple[int, Cells]:
    """Judge a position by wins and threats. Returns the result and the winning move, or the moves to try if open."""
    empty = board.cells & ~(own | other)
    if empty == NO_CELLS:
        return (WON if mover else LOST), NO_CELLS
    wins = winning_cells(board, own, empty)
    if wins:
        return WON, first_of(wins)
    forced = winning_cells(board, other, empty)
    if are_several(forced):
        return LOST, NO_CELLS
    if find_threats(board, threats, own, other):
        return WON, threats.moves[0]
    if forced:
        return OPEN, forced
    if not find_threats(board, threats, other, own):
        return OPEN, empty
    moves = NO_CELLS
    left = empty
    while left:
        cell = first_of(left)
        left ^= cell
        if not still_wins(board, threats, other, own, cell):
            moves |= cell
    return (OPEN if moves else LOST), moves


@inlined
def _first_guess(board: Record, path: Record, cell: Cells) -> tuple[int, int]:
    """Return phi and delta of the position after a move that was never tried.

    Neither side can win at once: if the other could, the only move that is tried prevents it.
    """
    forced = winning_cells_after(board, path.groups, path.own, cell, board.cells & ~(path.own | path.other | cell))
    if are_several(forced):
        return INFINITE, 0
    return (_FORCED_PHI, 1) if forced else (1, _FRESH_DELTA)


@kernel
def search_root(
    boards: np.ndarray, threats: np.ndarray, table: np.ndarray, paths: np.ndarray, counts: np.ndarray,
    white: Cells, black: Cells, mover: int,
) -> tuple[int, Cells]:  # fmt: skip
    """Return whether the player to move has won, has lost or neither is proven, and a move that wins."""
    board, path = boards[0], paths[0]
    for s in range(SYMMETRIES):
        path.keys[s] = 0
    for color in range(2):
        left = black if color else white
        while left:
            cell = first_of(left)
            left ^= cell
            for s in range(SYMMETRIES):
                path.keys[s] += board.keys[color, index_of(cell), s]
    for s in range(SYMMETRIES):  # after a swap it is not the number of stones that says who moves
        path.keys[s] = path.keys[s] & (BLACK_MOVES - np.uint64(1)) | (BLACK_MOVES if mover else NO_CELLS)
    path.key, path.symmetry = _least(path.keys)
    path.mover = mover
    path.own, path.other = (black, white) if mover else (white, black)
    path.most_phi = path.most_delta = INFINITE
    path.n = -1
    known = find(table, path.key)
    if known < 0 or (table[known].phi and table[known].delta):
        _prove(board, threats[0], table, paths, counts)
    entry = table[find(table, path.key)]
    winning = NO_CELLS
    if entry.winning:
        winning = _turn_back(board, np.uint64(1) << np.uint64(entry.winning - 1), path.symmetry)
    return (WON if entry.phi == 0 else LOST if entry.delta == 0 else OPEN), winning


@kernel
def _prove(board: Record, threats: Record, table: np.ndarray, paths: np.ndarray, counts: np.ndarray) -> None:
    """Search from the first position of ``paths`` until its phi or delta, in the table, reaches its threshold.

    It is not recursive, because numba does not cache recursive functions on disk.
    """
    depth = 0
    while depth >= 0:
        path = paths[depth]
        if path.n < 0:
            counts[0].visited += 1
            path.began = counts[0].visited
            if not _enter(board, threats, table, path, counts):
                depth -= 1
                continue
        else:
            _read_again(table, path)
        phi, delta, best, second, others = _sum_up(path)
        is_out = counts[0].visited >= counts[0].limit
        if phi == 0 or delta == 0 or phi >= path.most_phi or delta >= path.most_delta or is_out:
            winning = _turned_bit(board, path, path.cell[best]) if phi == 0 else 0
            store(table, path.key, path.known_moves, phi, delta, counts[0].visited - path.began + 1, winning)
            depth -= 1
            continue
        depth += 1
        below = paths[depth]
        path.tried = best
        cell = path.cell[best]
        for s in range(SYMMETRIES):
            below.keys[s] = path.keys[s] + board.keys[path.mover, index_of(cell), s]
        below.own, below.other, below.mover = path.other, path.own | cell, 1 - path.mover
        below.key, below.symmetry = path.next_key[best], path.next_symmetry[best]
        below.most_phi = max(path.most_delta - others, path.phi[best] + 1)
        below.most_delta = max(min(path.most_phi, second + second // 4 + 1), path.delta[best] + 1)
        below.n = -1


@kernel
def _enter(board: Record, threats: Record, table: np.ndarray, path: Record, counts: np.ndarray) -> bool:
    """Judge a position and list its moves. Returns False if that proves it; then the table has the result."""
    at = find(table, path.key)
    if at >= 0 and table[at].moves:
        path.known_moves = table[at].moves
        moves = _turn_back(board, path.known_moves, path.symmetry)
    else:
        result, moves = look_into(board, threats, path.own, path.other, path.mover)
        if result != OPEN:
            if path.own | path.other == board.cells:
                counts[0].full_boards += 1
            if result == WON:
                winning = _turned_bit(board, path, moves) if moves else 0
                store(table, path.key, NO_CELLS, 0, INFINITE, 1, winning)
            else:
                store(table, path.key, NO_CELLS, INFINITE, 0, 1, 0)
            return False
        path.known_moves = _turn(board, moves, path.symmetry)
    path.n = 0
    list_groups(board, path.groups, path.own)
    while moves:
        cell = first_of(moves)
        moves ^= cell
        for s in range(SYMMETRIES):
            path.next_keys[s] = path.keys[s] + board.keys[path.mover, index_of(cell), s]
        key, symmetry = _least(path.next_keys)
        _add_move(board, table, path, cell, key, symmetry)
    return True


@inlined
def _add_move(board: Record, table: np.ndarray, path: Record, cell: Cells, key: np.uint64, symmetry: int) -> None:
    """Add a move, unless it leads to a position that is symmetric to that of another move."""
    n = path.n
    for i in range(n):
        if path.next_key[i] == key:
            return
    at = find(table, key)
    if at >= 0:
        path.phi[n] = table[at].phi
        path.delta[n] = table[at].delta
    else:
        path.phi[n], path.delta[n] = _first_guess(board, path, cell)
    path.cell[n] = cell
    path.next_key[n] = key
    path.next_symmetry[n] = symmetry
    path.n = n + 1


@inlined
def _read_again(table: np.ndarray, path: Record) -> None:
    """Read from the table what is now known of the position after the move that was tried.

    Positions after the other moves have as many stones, so that the search below did not reach them.
    """
    entry = table[find(table, path.next_key[path.tried])]  # it was stored just now
    path.phi[path.tried] = entry.phi
    path.delta[path.tried] = entry.delta


@inlined
def _sum_up(path: Record) -> tuple[int, int, int, int, int]:
    """Return phi, delta, the move to try, the delta of the next best, and what the other moves add to delta."""
    phi = second = INFINITE
    hardest = n_open = best = 0
    for i in range(path.n):
        if path.phi[i]:
            n_open += 1
            hardest = max(hardest, path.phi[i])
        if path.delta[i] < phi:
            phi, second, best = path.delta[i], phi, i
        elif path.delta[i] < second:
            second = path.delta[i]
    if phi == 0:
        return 0, INFINITE, best, second, 0
    if n_open == 0:
        return INFINITE, 0, best, second, 0
    return phi, min(INFINITE, hardest + n_open - 1), best, second, n_open - 1

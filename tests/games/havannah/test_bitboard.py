"""Bitboards agree with the ordinary board."""

import numpy as np
import pytest

from semeai.games.havannah.kernels.bitboard import (
    BITBOARD,
    BLACK_MOVES,
    GROUPS,
    STRIDE,
    SYMMETRIES,
    around,
    list_groups,
    make_bitboard,
    winning_cells,
    winning_cells_after,
)
from semeai.games.havannah.position import HavannahPosition
from semeai.jit import kernel


@kernel
def wins_of(boards, own, empty):
    return winning_cells(boards[0], own, empty)


@kernel
def wins_after_each(boards, groups, own, empty, found):
    """By bit, for each empty cell."""
    list_groups(boards[0], groups[0], own)
    for bit in range(64):
        cell = np.uint64(1) << np.uint64(bit)
        if empty & cell:
            found[bit] = winning_cells_after(boards[0], groups[0], own, cell, empty ^ cell)


def word(position, color):
    """The cells of a colour, 0 for empty ones."""
    found = 0
    for y in range(2 * position.size - 1):
        for x in range(2 * position.size - 1):
            if abs(x - y) < position.size and position.color_at(x, y) == color:
                found |= 1 << STRIDE * y + x
    return np.uint64(found)


@pytest.mark.parametrize(("base", "games"), [(2, 100), (3, 150), pytest.param(4, 150, marks=pytest.mark.slow)])
def test_winning_cells_agree_with_the_board(base, games):
    rng = np.random.default_rng(base)
    boards = make_bitboard(base)
    n = 0
    for _ in range(games):
        position = HavannahPosition(base)
        while not position.is_over:
            for player in (0, 1):
                expected = sum(
                    1 << STRIDE * (p // (2 * base) - 1) + p % (2 * base) - 1
                    for p in map(int, position.winning_cells(player))
                )
                assert int(wins_of(boards, word(position, player + 1), word(position, 0))) == expected
                n += 1
            quiet = [m for m in position.legal_moves() if m not in position.winning_cells(position.to_move)]
            position.play(int(rng.choice(quiet or position.legal_moves())))
    assert n > 500


@pytest.mark.parametrize(("base", "games"), [(2, 100), (3, 150), pytest.param(4, 150, marks=pytest.mark.slow)])
def test_winning_cells_after_a_move_are_those_of_the_new_position(base, games):
    rng = np.random.default_rng(base)
    boards, groups = make_bitboard(base), np.zeros(1, GROUPS)
    n = n_won = 0
    for _ in range(games):
        left = np.flatnonzero(int(boards[0]["cells"]) >> np.arange(64) & 1)
        rng.shuffle(left)
        own, empty = np.uint64(0), boards[0]["cells"]
        for bit in left:  # own stones and others at random, up to the first win
            cell = np.uint64(1) << np.uint64(bit)
            if wins_of(boards, own, empty):
                break
            found = np.zeros(64, np.uint64)
            wins_after_each(boards, groups, own, empty, found)
            for b in (b for b in range(64) if int(empty) >> b & 1):
                after = np.uint64(1) << np.uint64(b)
                assert found[b] == wins_of(boards, own | after, empty ^ after)
                n += 1
                n_won += found[b] != 0
            own, empty = (own | cell if rng.random() < 0.6 else own), empty ^ cell
    assert n > 500
    assert n_won > 200


@pytest.mark.parametrize("base", [2, 3, 4])
def test_symmetries_keep_neighbours_corners_and_sides(base):
    board = make_bitboard(base)[0]
    bits = [b for b in range(64) if int(board["cells"]) >> b & 1]
    for turned in board["turned"][:, :]:
        assert sorted(turned[bits]) == bits

        def moved(cells, turned=turned):
            return sum(1 << int(turned[b]) for b in bits if int(cells) >> b & 1)

        assert {moved(c) for c in board["corners"]} == {int(c) for c in board["corners"]}
        assert {moved(s) for s in board["sides"]} == {int(s) for s in board["sides"]}
        for b in bits:
            beside = around(np.uint64(1 << b)) & board["cells"]
            assert moved(beside) == int(around(np.uint64(1 << int(turned[b]))) & board["cells"])
    assert len({tuple(t[bits]) for t in board["turned"]}) == SYMMETRIES
    assert board.dtype == BITBOARD


@pytest.mark.parametrize("base", [2, 3, 4])
def test_a_key_tells_every_cell_and_who_moves(base):
    board = make_bitboard(base)[0]
    bits = [bit for bit in range(64) if int(board["cells"]) >> bit & 1]
    rng = np.random.default_rng(base)
    for s in range(SYMMETRIES):
        n = int(rng.integers(len(bits) + 1))
        stones = [(int(bit), k % 2) for k, bit in enumerate(rng.permutation(bits)[:n])]
        key = sum(int(board["keys"][color, bit, s]) for bit, color in stones) % (1 << 64)
        assert key // int(BLACK_MOVES) == n % 2
        digits = key % int(BLACK_MOVES)
        turned = {int(board["turned"][s, bit]): color + 1 for bit, color in stones}
        assert [digits // 3**i % 3 for i in range(len(bits))] == [turned.get(bit, 0) for bit in sorted(bits)]
        assert digits < 3 ** len(bits)

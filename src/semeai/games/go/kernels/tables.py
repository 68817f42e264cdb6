"""Facts about a point by its eight neighbours, for all 65,536 neighbourhoods.

A neighbourhood is coded by two bits per neighbour, the colours of N W E S NW NE SW SE from the lowest bits up; the
board keeps the code of every point. The 3x3 shapes are those of MoGo's playouts (Gelly et al. 2006, "Modification of
UCT with patterns in Monte-Carlo Go", figure 3) in michi's notation.
"""

import numpy as np
from numpy.typing import NDArray

from semeai.jit import inlined

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3

# Bits of TRAITS[code]. An eye or a shape has one bit a colour: EYE << 0 for Black, << 1 for White, and so on.
EYE, SHAPE = 1, 4
HAS_LIBERTY, HAS_TWO_LIBERTIES = 16, 32
CROWDED = 64
"""At most four of the eight neighbours are empty: the point may lie in a small region."""
ROOM = 128
"""Crowded, beside an empty point, and not beside both colours: the point may lie in a small room of one of them."""

SLOT_OFFSETS = ((0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
"""The neighbours of a code as (dx, dy), from its lowest bits up."""
_LOW_BITS = np.uint16(0x5555)

OPEN = 2
"""Value of OWNER for a point whose neighbours do not decide whose it is."""

# X: the one colour, O: the other, x: not X, o: not O, '.': empty, '_': off the board, ?: anything.
# A final X: only the player whose stones are X may play the middle.
SHAPES = (
    "XOX ... ??? both",  # hane, enclosing
    "XO. ... ?.? both",  # hane, not cutting
    "XO? X.. x.? both",  # magari
    "XOO ... ?.? X",  # thin hane
    ".O. X.. ... both",  # diagonal attachment
    "XO? O.o ?o? both",  # cut, unprotected
    "XO? O.X ??? both",  # cut, peeped
    "?X? O.O ooo both",  # de
    "OX? o.O ??? both",  # keima cut
    "X.? O.? ___ both",  # edge: chase
    "OX? X.O ___ both",  # edge: block the side cut
    "?X? x.O ___ both",  # edge: block the side connection
    "?XO x.x ___ both",  # edge: sagari
    "?OX X.O ___ both",  # edge: cut
)

_SLOTS = ((4, 0, 5), (1, -1, 2), (6, 3, 7))


def _colors_by_slot() -> NDArray[np.uint8]:
    codes = np.arange(65536, dtype=np.uint32)
    return np.stack([(codes >> 2 * slot & 3).astype(np.uint8) for slot in range(8)])


def _matches(letter: str, color: NDArray[np.uint8], own: int, other: int) -> NDArray[np.bool_]:
    tests = {"X": color == own, "O": color == other, ".": color == EMPTY, "_": color == BORDER}
    tests |= {"x": color != own, "o": color != other, "?": color == color}
    return tests[letter]


def _shape_bits(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    bits = np.zeros(65536, np.uint8)
    cells = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    for *rows, who in map(str.split, SHAPES):
        for symmetry in range(8):
            for own in (BLACK, WHITE):
                found = np.ones(65536, np.bool_)
                for r, c in cells:
                    r2 = 2 - r if symmetry & 1 else r
                    c2 = 2 - c if symmetry & 2 else c
                    slot = _SLOTS[c2][r2] if symmetry & 4 else _SLOTS[r2][c2]
                    found &= _matches(rows[r][c], colors[slot], own, 3 - own)
                bits[found] |= SHAPE * own if who == "X" else SHAPE * 3
    return bits


def _make_traits() -> NDArray[np.uint8]:
    colors = _colors_by_slot()
    traits = _shape_bits(colors)
    sides, corners = colors[:4], colors[4:]
    for color in (BLACK, WHITE):
        surrounded = ((sides == color) | (sides == BORDER)).all(axis=0)
        at_edge = (corners == BORDER).any(axis=0).astype(int)
        enemies = (corners == 3 - color).sum(axis=0)
        traits[surrounded & (enemies + at_edge < 2)] |= EYE * color
    liberties = (sides == EMPTY).sum(axis=0)
    traits[liberties >= 1] |= HAS_LIBERTY
    traits[liberties >= 2] |= HAS_TWO_LIBERTIES
    crowded = (colors == EMPTY).sum(axis=0) <= 4
    traits[crowded] |= CROWDED
    both = (sides == BLACK).any(axis=0) & (sides == WHITE).any(axis=0)
    traits[crowded & (liberties >= 1) & ~both] |= ROOM
    return traits


def _make_owner() -> NDArray[np.int8]:
    """Return, by code of the four sides, +1 if all are Black or border, -1 for White, OPEN if one is empty."""
    sides = _colors_by_slot()[:4, :256]
    black, white = (((sides == c) | (sides == BORDER)).all(axis=0).astype(np.int8) for c in (BLACK, WHITE))
    return np.where((sides == EMPTY).any(axis=0), np.int8(OPEN), black - white).astype(np.int8)


def _make_sides() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return, by code of the four sides, how many are empty, and the colours of stones as bits."""
    sides = _colors_by_slot()[:4, :256]
    colors = sum(color * (sides == color).any(axis=0).astype(np.uint8) for color in (BLACK, WHITE))
    return (sides == EMPTY).sum(axis=0).astype(np.uint8), np.asarray(colors, np.uint8)


TRAITS = _make_traits()
EMPTY_SIDES, SIDES = _make_sides()
OWNER = _make_owner()


@inlined
def seen_by(code: np.uint16, color: int) -> np.uint64:
    """Return a code as a player sees it: with exchanged colours for White."""
    if color == BLACK:
        return np.uint64(code)
    return np.uint64((code & _LOW_BITS) << np.uint16(1) | (code >> np.uint16(1)) & _LOW_BITS)

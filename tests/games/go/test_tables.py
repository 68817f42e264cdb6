"""Eyes and shapes, for every neighbourhood that can occur on a board."""

from itertools import product

import pytest
from reference.go import BLACK, WHITE, Board, empty_cells, is_shape

from semeai.games.go.kernels.tables import CROWDED, EYE, HAS_LIBERTY, HAS_TWO_LIBERTIES, SHAPE, TRAITS
from tests.games.go.faces import CELLS, CODE_ORDER

FRAMES = {
    "inside": (1, 1), "top": (0, 1), "bottom": (2, 1), "left": (1, 0), "right": (1, 2),
    "top left": (0, 0), "top right": (0, 2), "bottom left": (2, 0), "bottom right": (2, 2),
}  # fmt: skip


def boards(middle):
    """Every 3x3 board with an empty ``middle``."""
    row, column = middle
    around = [(r, c) for r, c in empty_cells(3) if abs(r - row) <= 1 and abs(c - column) <= 1 and (r, c) != middle]
    inside = [point for point in around if empty_cells(3)[point] == "."]
    for cells in product(".XO", repeat=len(inside)):
        yield Board(3, empty_cells(3) | dict(zip(inside, cells, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("middle", FRAMES.values(), ids=[*FRAMES])
def test_traits_agree_with_the_reference(middle):
    for board in boards(middle):
        cells = board.neighbourhood(middle)
        traits = int(TRAITS[sum(CELLS[cells[cell]] << 2 * i for i, cell in enumerate(CODE_ORDER))])
        for k, color in enumerate((BLACK, WHITE)):
            assert bool(traits & EYE << k) == board.is_eye(middle, color), (color, board)
            assert bool(traits & SHAPE << k) == is_shape(cells, color), (color, board)
        liberties = sum(cells[cell] == "." for cell in (1, 3, 5, 7))
        assert bool(traits & HAS_LIBERTY) == (liberties >= 1)
        assert bool(traits & HAS_TWO_LIBERTIES) == (liberties >= 2)
        assert bool(traits & CROWDED) == ([*cells].count(".") - 1 <= 4)  # the middle is empty too

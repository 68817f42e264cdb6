"""Kernels behind ``HavannahPosition``. Each one takes an array of HAVANNAH_STATE records, as Python code holds it."""

from typing import Any

from numpy.typing import NDArray

from semeai.games.havannah.kernels import board
from semeai.games.havannah.kernels.moves import play_move
from semeai.jit import kernel


@kernel
def reset(states: NDArray[Any], base: int, swap: int) -> None:
    """Make ``states[0]`` an empty board."""
    board.reset(states[0], base, swap)


@kernel
def play(states: NDArray[Any], move: int, color: int) -> None:
    """Play a legal move in ``states[0]``."""
    play_move(states[0], move, color)

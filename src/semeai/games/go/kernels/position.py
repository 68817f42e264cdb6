"""Kernels behind ``GoPosition``. Each one takes an array of GO_STATE records, as Python code holds it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.games.go.kernels import board
from semeai.games.go.kernels.board import MAX_POINTS, State, copy_board, is_legal, play_move
from semeai.games.go.kernels.tables import BLACK, WHITE
from semeai.jit import kernel

_ZOBRIST = np.random.default_rng(20100407).integers(1, 2**63, size=(3, MAX_POINTS), dtype=np.uint64)


@kernel
def reset(states: NDArray[Any], size: int, komi: float) -> None:
    """Make ``states[0]`` an empty board."""
    board.reset(states[0], size, komi)


@kernel
def play(states: NDArray[Any], move: int, color: int) -> None:
    """Play a legal move in ``states[0]``."""
    play_move(states[0], move, color)


@kernel
def is_legal_move(states: NDArray[Any], move: int, color: int) -> bool:
    """Return whether ``color`` may play on an empty point of ``states[0]``; kernels know only the simple ko."""
    return is_legal(states[0], move, color)


@kernel
def position_key(state: State) -> np.uint64:
    """Return the Zobrist hash of the stones alone, for positional superko."""
    key = np.uint64(0)
    for p in range(state.points):
        color = state.color[p]
        if color == BLACK or color == WHITE:
            key ^= _ZOBRIST[color, p]
    return key


@kernel
def hash_stones(states: NDArray[Any]) -> np.uint64:
    """Return ``position_key`` of ``states[0]``."""
    return position_key(states[0])


@kernel
def list_legal_points(states: NDArray[Any], color: int, keys: NDArray[np.uint64], found: NDArray[np.int64]) -> int:
    """Write the points where ``color`` may play without repeating a position of ``keys`` into ``found``.

    ``states[1]`` is used for trying moves. Returns the number of points.
    """
    n = 0
    state, trial = states[0], states[1]
    for i in range(state.n_empty):
        p = np.int64(state.empties[i])
        if not is_legal(state, p, color):
            continue
        copy_board(trial, state)
        play_move(trial, p, color)
        key = position_key(trial)
        repeats = False
        for k in range(len(keys)):
            repeats |= keys[k] == key
        if not repeats:
            found[n] = p
            n += 1
    return n

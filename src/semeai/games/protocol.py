"""The kernels that every game gives the search.

The search is compiled once per game. It calls the generic functions below on the game's state, which is one NumPy
record; a game defines them for its record with ``semeai.jit.implements``. A move is an integer in ``[0, MAX_CODES)``
that names the same action wherever it is legal, because RAVE relies on it. Players are 0 and 1. In a one-player game it
is always the turn of player 0; where chance moves, ``mover`` is ``CHANCE``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.jit import optional

PLAYER_ONE, CHANCE = 0, 2

MAX_CODES = 1024
MAX_DEPTH = 1024
MAX_PLAYED = 4096
MAX_WORDS = 16384
MAX_KEPT = 90112
MAX_SOLVER = 131072

SCRATCH = np.dtype(
    [
        ("rng", np.uint64),  # see rng_kernels.below
        ("n_played", np.int64),
        ("played", np.uint16, MAX_PLAYED),  # the moves of a simulation, tree and playout
        ("played_by", np.uint8, MAX_PLAYED),  # and who played them
        # What `expand` finds, one entry per legal move:
        ("moves", np.uint16, MAX_CODES),
        ("prior_visits", np.float32, MAX_CODES),
        ("prior_wins", np.float32, MAX_CODES),
        ("heuristic", np.float32, MAX_CODES),
        # Room for the game's and the search's own use:
        ("candidates", np.uint16, MAX_CODES),
        ("distance", np.uint8, MAX_CODES),
        ("remoteness", np.uint8, MAX_CODES),
        ("marked", np.uint8, MAX_CODES),
        ("first_by", np.uint8, MAX_CODES),
        ("path", np.int32, MAX_DEPTH),
        ("values", np.float32, MAX_CODES),
        ("words", np.uint64, MAX_WORDS),  # bitboards
        # What a game keeps from one expansion to the next:
        ("kept", np.uint64, MAX_KEPT),
        ("kept_board", np.uint8, MAX_CODES),
        ("kept_counts", np.uint8, 2 * MAX_CODES),
        ("kept_size", np.int64),
        # Replies that playouts have learned, by player and previous move; 0 if there is none. Kept as long as the tree.
        ("replies", np.uint16, (2, MAX_CODES)),
        ("solver", np.int64, MAX_SOLVER),  # the memory of a game's local solver
    ],
    align=True,
)
"""The working memory of one searching thread."""

Record = Any
"""A NumPy record, as kernels see it."""


def copy_state(target: Record, source: Record) -> None:
    """Make ``target`` equal to ``source``."""
    raise NotImplementedError


def mover(state: Record) -> int:
    """Return whose turn it is: 0, 1 or CHANCE."""
    raise NotImplementedError


def is_over(state: Record) -> bool:
    """Return whether the game has ended."""
    raise NotImplementedError


def reward(state: Record) -> float:
    """Return the reward of player 0, in [0, 1], at the end of a game or of a playout; player 1 gets the rest."""
    raise NotImplementedError


def play(state: Record, move: int) -> None:
    """Play a legal move."""
    raise NotImplementedError


def expand(state: Record, spare: Record, policy: Record, scratch: Record) -> int:
    """List the moves worth a node in ``scratch.moves`` with their priors. Returns their number, at least one.

    ``prior_visits`` and ``prior_wins`` are virtual visits. ``heuristic`` is H, the order of progressive widening and
    the weight of progressive bias; where chance moves, it holds the probabilities. All three arrays have to be written.
    ``spare`` is a state for trying moves.
    """
    raise NotImplementedError


def playout(state: Record, policy: Record, scratch: Record) -> None:
    """Play to the end by the game's playout policy, and add each move to ``scratch.played`` and ``played_by``."""
    raise NotImplementedError


def write_features(
    state: Record, spare: Record, scratch: Record, ids: NDArray[np.uint16], keys: NDArray[np.uint32], at: int
) -> int:
    """Write the features of all moves that a move model judges, from row ``at`` on. Returns the row after the last one.

    The moves are in ``scratch.moves``. Only games with a move model need this.
    """
    raise NotImplementedError


@optional
def look_at_root(state: Record, policy: Record, scratch: Record) -> None:
    """Do what the game does once per search: ``state`` is its root, and each thread has a ``scratch`` of its own."""


@optional
def predict(state: Record, policy: Record, scratch: Record) -> int:
    """Return how often the playout from here may be replayed if it contradicts what the game knows; 0 if it may not.

    Conditioning: the game may note in ``scratch`` what the playout has to end with; ``contradicts`` reads it.
    """
    return 0


@optional
def contradicts(state: Record, policy: Record, scratch: Record) -> bool:
    """Return whether the end of a playout contradicts what ``predict`` noted."""
    return False

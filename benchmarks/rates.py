"""Measure the rates of two programs in turn, so that a busy moment of the machine affects both."""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from semeai.games.position import Position
from semeai.games.protocol import SCRATCH
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.kernels.playouts import run_playouts
from semeai.table import Cell

SEED = 88172645463325252
ROUNDS = 9

Rate = Callable[[], float]


def compare(name: str, ours: Rate, theirs: Rate | None) -> tuple[Cell, ...]:
    """Return a row: our best rate, their best rate, the ratio of the two, and the median ratio within a round."""
    mine, other = _measure(ours, theirs, ROUNDS)
    if not other:
        return name, round(max(mine)), None, None, None
    return name, round(max(mine)), round(max(other)), max(mine) / max(other), _median(mine, other)


def median_ratio(ours: Rate, theirs: Rate, rounds: int) -> float:
    """Return the median ratio of the rates within a round."""
    return _median(*_measure(ours, theirs, rounds))


def _measure(ours: Rate, theirs: Rate | None, rounds: int) -> tuple[list[float], list[float]]:
    ours()
    mine, other = [], []
    for _ in range(rounds):
        mine.append(ours())
        if theirs:
            other.append(theirs())
    return mine, other


def _median(mine: Sequence[float], other: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(mine, other, strict=True))


def playouts(position: Position, preset: str, n: int) -> Rate:
    """Return a function that measures playouts per CPU second from ``position``, by the policy of a preset."""
    policy = PlayerConfig.from_preset(preset, position.game).policy.to_record()
    states = np.concatenate([position.states] * 2)
    scratch, results = np.zeros(1, SCRATCH), np.zeros(2, np.int64)
    scratch[0]["rng"] = SEED

    def measure() -> float:
        start = time.thread_time()
        run_playouts(states, policy, scratch, n, results)
        return n / (time.thread_time() - start)

    return measure


def simulations(position: Position, player_text: str, n: int) -> Rate:
    """Return a function that measures simulations per CPU second from ``position``, by a player such as ``default``."""
    player = MctsPlayer(PlayerConfig.from_text(player_text, position.game).with_changes({"memory_mb": 700}))

    def measure() -> float:
        player.start(position, seed=1)
        player.think(1)
        start = time.thread_time()
        player.think(n)
        return n / (time.thread_time() - start)

    return measure

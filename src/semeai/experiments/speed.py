"""How fast the kernels are here: playouts and simulations per CPU second, by game and size."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.experiments.table import Cell, ResultTable
from semeai.games.catalog import new_position
from semeai.games.protocol import SCRATCH
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.playouts import run_playouts

Progress = Callable[[str], object]
ROUNDS = 5


def run(
    size: Sequence[int] = (9, 13, 19), seconds: float = 1.0, progress: Progress = lambda text: None
) -> list[ResultTable]:
    """Every measure a few times in turn, so that a busy moment of the machine hits all alike; the best counts."""
    rows: list[tuple[Cell, ...]] = []
    for s in size:
        progress(f"measuring {s}x{s} …")
        measures = {
            "light": _playouts(s, "uct"),
            "mogo": _playouts(s, "mogo"),
            "default": _playouts(s, "default"),
            "rave": _simulations(s, "rave"),
            "player": _simulations(s, "default"),
        }
        best = dict.fromkeys(measures, 0.0)
        for _ in range(ROUNDS):
            for name, measure in measures.items():
                best[name] = max(best[name], measure(seconds / ROUNDS))
        rows.append((f"go {s}x{s}", *(round(rate) for rate in best.values())))
    return [
        ResultTable(
            "Speed from the empty board, per CPU second on one thread",
            ("game", "light playouts", "MoGo playouts", "default playouts", "UCT + RAVE simulations", "default player"),
            tuple(rows),
            "MoGo playouts: capture, save and shapes (preset mogo). UCT + RAVE: preset rave, light playouts. Default "
            "player: all its playout rules, priors and tactics.",
        )
    ]


def _playouts(size: int, preset: str) -> Callable[[float], float]:
    policy = PlayerConfig.from_preset(preset).policy.to_record()
    states: NDArray[Any] = np.concatenate([new_position("go", size).states] * 2)
    scratch = np.zeros(1, SCRATCH)
    scratch[0]["rng"] = 88172645463325252
    results = np.zeros(2, np.int64)
    return _rate(lambda n: run_playouts(states, policy, scratch, n, results), 100)


def _simulations(size: int, preset: str) -> Callable[[float], float]:
    player = MctsPlayer(PlayerConfig.from_preset(preset))

    def search(n: int) -> None:
        player.start(new_position("go", size), seed=1)
        player.think(n)

    return _rate(search, 1000)


def _rate(work: Callable[[int], object], n: int) -> Callable[[float], float]:
    work(10)

    def measure(seconds: float) -> float:
        done, start = 0, time.thread_time()
        while (spent := time.thread_time() - start) < seconds:
            work(n)
            done += n
        return done / spent

    return measure

"""Measure the speed of the kernels on this machine: playouts and simulations per CPU second, by game and size."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from semeai.games.catalog import game_named
from semeai.games.protocol import SCRATCH
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.kernels.playouts import run_playouts
from semeai.table import Cell, ResultTable

Progress = Callable[[str], object]
ROUNDS = 5


@dataclass(frozen=True)
class Measure:
    """A measured rate: one column of the table."""

    title: str
    kind: Literal["playouts", "simulations"]
    player: str


@dataclass(frozen=True)
class Speed:
    sizes: tuple[int, ...]
    measures: tuple[Measure, ...]
    note: str


GAMES = {
    "go": Speed(
        (9, 13, 19),
        (
            Measure("light playouts", "playouts", "uct"),
            Measure("MoGo playouts", "playouts", "mogo"),
            Measure("default playouts", "playouts", "default"),
            Measure("UCT + RAVE simulations", "simulations", "rave"),
            Measure("default player", "simulations", "default"),
        ),
        "MoGo playouts: capture, save and shapes (preset mogo). UCT + RAVE: preset rave, light playouts. Default "
        "player: all its playout rules, priors and tactics.",
    ),
    "havannah": Speed(
        (4, 5, 8, 10),
        (
            Measure("fast playouts", "playouts", "fast"),
            Measure("slow playouts", "playouts", "slow"),
            Measure("UCT simulations", "simulations", "uct"),
            Measure("UCT + RAVE simulations", "simulations", "fast"),
            Measure("default player", "simulations", "default"),
        ),
        "Fast playouts are uniform, slow ones follow the rules of the policy. UCT and UCT + RAVE: presets uct and "
        "fast, fast playouts.",
    ),
}


def run(
    game: str = "go", size: Sequence[int] = (), seconds: float = 1.0, progress: Progress = lambda text: None
) -> list[ResultTable]:
    """Measure all rates in turn, a few times, so that a busy moment of the machine affects all; the best counts."""
    rules, speed = game_named(game), GAMES[game]
    rows: list[tuple[Cell, ...]] = []
    for s in size or speed.sizes:
        name = f"{game} {rules.board_name(s)}"
        progress(f"measuring {name} …")
        works = [_start(game, s, measure) for measure in speed.measures]
        best = [0.0] * len(works)
        for _ in range(ROUNDS):
            best = [max(b, work(seconds / ROUNDS)) for b, work in zip(best, works, strict=True)]
        rows.append((name, *map(round, best)))
    return [
        ResultTable(
            "Speed from the empty board, per CPU second on one thread",
            ("game", *(measure.title for measure in speed.measures)),
            tuple(rows),
            speed.note,
        )
    ]


def _start(game: str, size: int, measure: Measure) -> Callable[[float], float]:
    config = PlayerConfig.from_text(measure.player, game)
    position = game_named(game).new_position(size)
    if measure.kind == "playouts":
        states: NDArray[Any] = np.concatenate([position.states] * 2)
        policy, scratch, results = config.policy.to_record(), np.zeros(1, SCRATCH), np.zeros(2, np.int64)
        scratch[0]["rng"] = 88172645463325252
        return _rate(lambda n: run_playouts(states, policy, scratch, n, results), 100)
    player = MctsPlayer(config)

    def search(n: int) -> None:
        player.start(position, seed=1)
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

"""Go's kernels against the C++ program of benchmarks/limit: the same playouts, interleaved, per CPU second."""

import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from semeai.experiments.table import Cell, ResultTable
from semeai.games.go.position import GoPosition
from semeai.games.protocol import SCRATCH
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.playouts import run_playouts

SOURCE = Path(__file__).parent / "limit" / "go_playouts.cpp"
SEED = 88172645463325252
ROUNDS = 9


def build() -> Path | None:
    """The C++ program, compiled; None where there is no compiler."""
    if shutil.which("g++") is None:
        return None
    program = Path("build") / "go_playouts"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(
        ["g++", "-O3", "-march=native", "-std=c++20", "-pthread", "-o", program, SOURCE], check=True, timeout=300
    )
    return program


def run() -> list[ResultTable]:
    program = build()
    rows: list[tuple[Cell, ...]] = []
    for size, n_playouts, n_simulations in ((9, 20_000, 20_000), (19, 4_000, 5_000)):
        for heavy, preset in ((0, "uct"), (1, "mogo")):
            name = f"{size}x{size} {'MoGo-style' if heavy else 'light'} playouts"
            arguments = ["--size", str(size), "--heavy", str(heavy), "--playouts", str(n_playouts), "--reps", "1"]
            rows.append(compare(name, _playouts(size, preset, n_playouts), program, arguments))
        arguments = ["--size", str(size), "--uct", str(n_simulations), "--reps", "1"]
        rows.append(compare(f"{size}x{size} UCT + RAVE", _simulations(size, "rave", n_simulations), program, arguments))
        rows.append(compare(f"{size}x{size} default player", _simulations(size, "default", 3000), None, []))
    note = (
        f"{ROUNDS} rounds in turn, one thread; the best of each, and the median of the ratios within a round. Playouts "
        "draw the same random numbers in both programs and are the same move for move. UCT + RAVE is the preset `rave`."
    )
    columns = ("what", "semeai, per CPU second", "C++ (g++ -O3)", "ratio of the best", "median ratio")
    return [ResultTable("Go against C++", columns, tuple(rows), note)]


def compare(name: str, ours: Callable[[], float], program: Path | None, arguments: list[str]) -> tuple[Cell, ...]:
    """One row: our rate, theirs, and the ratio."""
    ours()
    mine, theirs = [], []
    for _ in range(ROUNDS):
        mine.append(ours())
        if program and arguments:
            theirs.append(_limit(program, arguments))
    if not theirs:
        return name, round(max(mine)), None, None, None
    median = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
    return name, round(max(mine)), round(max(theirs)), max(mine) / max(theirs), median


def _limit(program: Path, arguments: list[str]) -> float:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=300)
    found = re.search(r"best=(\d+)", done.stdout)
    assert found, done.stdout
    return float(found.group(1))


def _playouts(size: int, preset: str, n: int) -> Callable[[], float]:
    policy = PlayerConfig.from_preset(preset).policy.to_record()
    states = np.concatenate([GoPosition(size).states] * 2)
    scratch, results = np.zeros(1, SCRATCH), np.zeros(2, np.int64)
    scratch[0]["rng"] = SEED

    def measure() -> float:
        start = time.thread_time()
        run_playouts(states, policy, scratch, n, results)
        return n / (time.thread_time() - start)

    return measure


def _simulations(size: int, preset: str, n: int) -> Callable[[], float]:
    player = MctsPlayer(PlayerConfig.from_preset(preset).with_changes({"memory_mb": 700}))

    def measure() -> float:
        player.start(GoPosition(size), seed=1)
        player.think(1)
        start = time.thread_time()
        player.think(n)
        return n / (time.thread_time() - start)

    return measure

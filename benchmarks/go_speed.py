"""Compare the speed of the Go kernels with the C++ program of benchmarks/limit on the same playouts."""

import re
import shutil
import subprocess
from pathlib import Path

from benchmarks.rates import ROUNDS, Rate, compare, playouts, simulations
from semeai.games.go.position import GoPosition
from semeai.table import Cell, ResultTable

SOURCE = Path(__file__).parent / "limit" / "go_playouts.cpp"


def build() -> Path | None:
    """Compile the C++ program. Returns its path; None without a compiler."""
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
        start = GoPosition(size)
        for heavy, preset in ((0, "uct"), (1, "mogo")):
            name = f"{size}x{size} {'MoGo-style' if heavy else 'light'} playouts"
            theirs = _limit(program, "--size", size, "--heavy", heavy, "--playouts", n_playouts)
            rows.append(compare(name, playouts(start, preset, n_playouts), theirs))
        theirs = _limit(program, "--size", size, "--uct", n_simulations)
        rows.append(compare(f"{size}x{size} UCT + RAVE", simulations(start, "rave", n_simulations), theirs))
        rows.append(compare(f"{size}x{size} default player", simulations(start, "default", 3000), None))
    note = (
        f"{ROUNDS} rounds in turn, one thread; the best of each, and the median of the ratios within a round. Both "
        "programs draw the same random numbers and play the same playouts, move for move. UCT + RAVE is the preset "
        "`rave`."
    )
    columns = ("what", "semeai, per CPU second", "C++ (g++ -O3)", "ratio of the best", "median ratio")
    return [ResultTable("Go against C++", columns, tuple(rows), note)]


def _limit(program: Path | None, *arguments: object) -> Rate | None:
    """Return a function that runs the C++ program and returns the rate that it prints."""
    if program is None:
        return None
    command = [program, *map(str, arguments), "--reps", "1"]

    def measure() -> float:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        found = re.search(r"best=(\d+)", done.stdout)
        assert found, done.stdout
        return float(found.group(1))

    return measure

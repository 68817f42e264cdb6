"""Write the pages of docs/benchmarks: ``make bench``, or ``python benchmarks/run.py NAME``."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
os.chdir(ROOT)

from benchmarks import (  # noqa: E402
    against_hyperfine,
    bold,
    chess_race,
    cluster_overhead,
    cluster_scale,
    go_speed,
    havannah_speed,
    ledger_load,
    looking,
    mixtures,
    overhead,
    pages,
    parallel_speed,
    pattern_speed,
    proposers,
    race_solver,
    solved_havannah,
)
from benchmarks.faults import report  # noqa: E402
from semeai.experiments import guarantee  # noqa: E402
from semeai.jit import compile_kernels  # noqa: E402
from semeai.table import ResultTable  # noqa: E402

PAGES: dict[str, tuple[str, str, Callable[[], list[ResultTable]]]] = {
    "guarantee": (
        "Cost and error rates of every method",
        "semeai reproduce guarantee --races 20000",
        lambda: guarantee.run(races=20_000),
    ),
    "overhead": (
        "Overhead of the racing machinery",
        "make bench",
        lambda: [overhead.run()],
    ),
    "compare": (
        "compare beside hyperfine",
        "python benchmarks/run.py compare",
        against_hyperfine.run,
    ),
    "chess-race": (
        "A race of chess engines, killed and resumed",
        "python benchmarks/run.py chess-race",
        chess_race.run,
    ),
    "sprt": (
        "Races of chess engines beside SPRT",
        "python benchmarks/run.py sprt",
        chess_race.run_beside_sprt,
    ),
    "mixtures": (
        "Stakes of the gamblers",
        "python benchmarks/run.py mixtures",
        mixtures.run,
    ),
    "bold": (
        "Raised stakes",
        "python benchmarks/run.py bold",
        bold.run,
    ),
    "cluster-overhead": (
        "What a cluster costs",
        "python benchmarks/run.py cluster-overhead",
        cluster_overhead.run,
    ),
    "cluster-scale": (
        "Races on one to ten thousand workers",
        "python benchmarks/run.py cluster-scale",
        cluster_scale.run,
    ),
    "ledger-load": (
        "Looking at a large ledger",
        "python benchmarks/run.py ledger-load",
        ledger_load.run,
    ),
    "looking": (
        "What it costs to look",
        "python benchmarks/run.py looking",
        looking.run,
    ),
    "faults": (
        report.TITLE,
        report.COMMAND,
        report.run,
    ),
    "go-speed": (
        "Speed of the Go kernels",
        "python benchmarks/run.py go-speed",
        go_speed.run,
    ),
    "semeai-solver": (
        "The solver of capturing races beside exhaustive search",
        "python benchmarks/run.py semeai-solver",
        race_solver.run,
    ),
    "semeai-speed": (
        "What the solver of capturing races costs",
        "python benchmarks/run.py semeai-speed",
        race_solver.run_speed,
    ),
    "havannah-speed": (
        "Speed of the Havannah kernels",
        "python benchmarks/run.py havannah-speed",
        havannah_speed.run,
    ),
    "pattern-speed": (
        "What patterns cost",
        "python benchmarks/run.py pattern-speed",
        pattern_speed.run,
    ),
    "proposers": (
        "What an accepted pattern costs",
        "python benchmarks/run.py proposers",
        proposers.run,
    ),
    "solved-havannah": (
        "Openings of Havannah on base 4",
        "python benchmarks/run.py solved-havannah",
        solved_havannah.run,
    ),
    "parallel-speed": (
        "Speed of parallel search",
        "python benchmarks/run.py parallel-speed",
        parallel_speed.run,
    ),
}


def main(names: list[str]) -> None:
    compile_kernels(print)
    for name in names or PAGES:
        title, command, make = PAGES[name]
        print(f"{name} …", flush=True)
        pages.write(name, title, command, make())


if __name__ == "__main__":
    main(sys.argv[1:])

"""Check that evolutions accept the planted good pattern and no bad one: ``python benchmarks/planted.py [SEEDS]``.

The patterns are those of ``tests/evolve/test_evolution.py``. 20 seeds take some minutes.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.evolve.test_evolution import PLANTED, grow_planted  # noqa: E402


def main(seeds: int) -> None:
    n_right = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            history = grow_planted(Path(folder), seed).history
            accepted = [str(change) for _, change in history.accepted()]
            n_right += accepted == [PLANTED["good"]]
            print(f"seed {seed}: accepted {accepted}, {history.n_games} games", flush=True)
    print(f"{n_right} of {seeds} seeds: the good pattern was accepted and no bad one")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)

"""Check that a GTP engine does not leak memory: ``python benchmarks/gtp_memory.py [GAMES] [SIMULATIONS]``.

One ``semeai gtp`` process plays whole 9x9 games against itself, with an analysis, a score and an undo in each. Its
resident memory is printed. The exit code is 1 if it grows by more than 5 MB after the first tenth of the games.
"""

import subprocess
import sys
import time
from pathlib import Path

LIMIT_MB = 5.0


class Engine:
    """A ``semeai gtp`` process, connected by pipes."""

    def __init__(self, simulations: int) -> None:
        command = [sys.executable, "-m", "semeai", "gtp", "--simulations", str(simulations), "--analysis-simulations"]
        self._process = subprocess.Popen(
            [*command, str(2 * simulations)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        lines: list[str] = []
        while not lines or lines[-1] != "\n":
            lines.append(self._process.stdout.readline())
            if not lines[-1]:
                raise SystemExit(f"the engine died at {line!r}")
        if not lines[0].startswith("="):
            raise SystemExit(f"{line!r} was answered by {lines[0].strip()!r}")
        return "".join(lines)[1:].strip()

    @property
    def pid(self) -> int:
        return self._process.pid

    def resident_mb(self) -> float:
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * 4096 / 1e6

    def quit(self) -> int:
        self.ask("quit")
        with self._process as process:  # which closes its pipes
            return process.wait(30)


def play_game(engine: Engine) -> int:
    """Play until both sides pass or one resigns. Returns the number of moves."""
    engine.ask("clear_board")
    passes = moves = 0
    while passes < 2 and moves < 250:
        answer = engine.ask(f"genmove {'bw'[moves % 2]}")
        if answer == "resign":
            break
        passes = passes + 1 if answer == "pass" else 0
        moves += 1
    engine.ask("final_score")
    engine.ask("undo")
    engine.ask("lz-genmove_analyze b 10")
    return moves


def main(games: int = 200, simulations: int = 50) -> int:
    engine = Engine(simulations)
    engine.ask("boardsize 9")
    began, n_moves, first = time.monotonic(), 0, 0.0
    for game in range(1, games + 1):
        n_moves += play_game(engine)
        if game == max(1, games // 10):
            first = engine.resident_mb()
        if game % max(1, games // 10) == 0:
            seconds = time.monotonic() - began
            print(f"{game:4d} games, {n_moves:6d} moves, {seconds:5.0f} s: {engine.resident_mb():7.1f} MB", flush=True)
    growth = engine.resident_mb() - first
    print(f"grew by {growth:.1f} MB; exit code of the engine {engine.quit()}")
    return int(growth > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

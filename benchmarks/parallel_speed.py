"""What parallel search costs: simulations of two threads beside those of one, and of ranks that share beside those of
ranks that do not, in turn.

``mpiexec -n 8 python -m benchmarks.parallel_speed`` is the part that runs on all ranks; ``run`` starts it.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from semeai.games.catalog import game_named
from semeai.parallel.program import Budget
from semeai.parallel.ranks import make_team, on_rank_0
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer, team_settings
from semeai.table import Cell, ResultTable

ROUNDS = 15
RANKS, SECONDS, PERIOD = 8, 2.0, 0.05


def threads_row(game: str, size: int, n: int) -> tuple[Cell, ...]:
    """Simulations a second of one thread and of two, and how many times as many two are in the median round."""
    players = [MctsPlayer(PlayerConfig(game=game, threads=threads, memory_mb=400)) for threads in (1, 2)]
    position = game_named(game).new_position(size)
    wall, cpu = [], []
    for _ in range(ROUNDS + 1):
        rates = [_rates(player, position, n) for player in players]
        wall.append([rate for rate, _ in rates])
        cpu.append([rate for _, rate in rates])
    for player in players:
        player.close()
    one, two = zip(*wall[1:], strict=True)
    times = statistics.median(b / a for a, b in wall[1:])
    kept = statistics.median(b / a for a, b in cpu[1:])
    board = game_named(game).board_name(size)
    return f"{game.capitalize()} {board}", round(max(one)), round(max(two)), times, f"{100 * kept:.0f}%"


def _rates(player: MctsPlayer, position: object, n: int) -> tuple[float, float]:
    """A second of the clock, and a second of CPU time."""
    player.start(position, seed=1)  # type: ignore[arg-type]
    player.think(1)
    wall, cpu = time.monotonic(), time.process_time()
    player.think(n)
    return n / (time.monotonic() - wall), n / (time.process_time() - cpu)


def _measure_ranks() -> None:
    """On rank 0: simulations of all ranks in a search that shares, and in one that shares only at its end."""
    teams = []
    for words in (
        f"parallel.scheme=slow_tree,parallel.share_unit=seconds,parallel.share_period={PERIOD}",
        "parallel.scheme=voting",
    ):
        config = PlayerConfig.from_text(f"default,{words},parallel.ranks={RANKS},reuse_tree=false,memory_mb=100")
        teams.append(make_team(team_settings(config)))
    counts = []
    for _ in range(ROUNDS + 1):
        counts.append([])
        for team in teams:
            team.seed(1)
            team.set_position(game_named("go").new_position(9))
            team.run(Budget(seconds=SECONDS))
            counts[-1].append(team.simulations)
    for team in teams:
        team.close()
    print(json.dumps(counts[1:]), flush=True)


def ranks_row() -> tuple[Cell, ...]:
    mpiexec = Path(sys.executable).parent / "mpiexec"
    command = [str(mpiexec), "-n", str(RANKS), sys.executable, "-m", "benchmarks.parallel_speed"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts = json.loads(done.stdout.strip().splitlines()[-1])
    shared, silent = zip(*counts, strict=True)
    kept = statistics.median(a / b for a, b in counts)
    return RANKS, round(max(shared) / SECONDS), round(max(silent) / SECONDS), f"{100 * kept:.0f}%"


def run() -> list[ResultTable]:
    threads = ResultTable(
        "Two threads on one tree",
        (
            "game",
            "one thread, simulations a second",
            "two threads",
            "times as many (median round)",
            "kept a CPU second",
        ),
        (threads_row("go", 9, 20_000), threads_row("go", 19, 6_000), threads_row("havannah", 8, 30_000)),
        f"{ROUNDS} rounds in turn, from the empty board, on {os.cpu_count()} cores; rates are the best of each.",
    )
    ranks = ResultTable(
        "Ranks that share and ranks that do not",
        ("ranks", "sharing, simulations a second", "not sharing", "kept (median round)"),
        (ranks_row(),),
        f"9x9 Go, slow tree, a share every {1000 * PERIOD:g} ms by MPI, beside ranks that say nothing before the end "
        f"of {SECONDS:g} seconds; {ROUNDS} rounds in turn, {RANKS} ranks on {os.cpu_count()} cores.",
    )
    return [threads, ranks]


if __name__ == "__main__":
    on_rank_0(_measure_ranks)

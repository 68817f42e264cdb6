"""Measure the cost of parallel search: two threads compared with one, and ranks that share with ranks that do not.

``run`` starts the part that runs on all ranks: ``mpiexec -n 8 python -m benchmarks.parallel_speed``.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from semeai.games.catalog import game_named
from semeai.games.position import Position
from semeai.parallel.program import Budget
from semeai.parallel.ranks import make_team, on_rank_0
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer, team_settings
from semeai.table import Cell, ResultTable

ROUNDS = 9
RANKS, SECONDS, PERIOD = 8, 0.5, 0.05
"""``SECONDS`` are CPU seconds per rank: on two cores eight ranks need four times as long."""


def threads_row(game: str, size: int, n: int) -> tuple[Cell, ...]:
    """Return simulations per second of one thread, of two threads on one tree, and of two threads with a tree each.

    The last rate is the machine's limit for two independent threads. Ratios are those of the median round.
    """
    one, other = (MctsPlayer(PlayerConfig.from_text("default,memory_mb=400", game)) for _ in range(2))
    two = MctsPlayer(PlayerConfig.from_text("default,memory_mb=400,threads=2", game))
    position = game_named(game).new_position(size)
    rounds = [[_rate(players, position, n) for players in ([one], [two], [one, other])] for _ in range(ROUNDS + 1)][1:]
    for player in (one, other, two):
        player.close()
    alone, shared, apart = (max(rates) for rates in zip(*rounds, strict=True))
    board = game_named(game).board_name(size)
    return (
        f"{game.capitalize()} {board}",
        round(alone),
        round(shared),
        round(apart),
        statistics.median(b / a for a, b, _ in rounds),
        statistics.median(c / a for a, _, c in rounds),
    )


def _rate(players: list[MctsPlayer], position: Position, n: int) -> float:
    """Return the simulations per second of players that think at the same time, ``n`` simulations in all."""
    for player in players:
        player.start(position, seed=1)
        player.think(1)
    with ThreadPoolExecutor(len(players)) as pool:
        began = time.monotonic()
        thinking = [pool.submit(player.think, n // len(players)) for player in players]
        total = sum(thought.result() for thought in thinking)
        return total / (time.monotonic() - began)


def _measure_ranks() -> None:
    """Print on rank 0 the simulations of all ranks in a search that shares, and in one that shares only at its end."""
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
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    counts = json.loads(done.stdout.strip().splitlines()[-1])
    shared, silent = zip(*counts, strict=True)
    kept = statistics.median(a / b for a, b in counts)
    return RANKS, round(max(shared) / RANKS / SECONDS), round(max(silent) / RANKS / SECONDS), f"{100 * kept:.0f}%"


def run() -> list[ResultTable]:
    threads = ResultTable(
        "Two threads on one tree",
        (
            "game",
            "one thread, simulations per second",
            "two threads, one tree",
            "two threads, two trees",
            "one tree: times one thread",
            "two trees: times one thread",
        ),
        (threads_row("go", 9, 20_000), threads_row("go", 19, 6_000), threads_row("havannah", 8, 30_000)),
        f"{ROUNDS} rounds in turn, from the empty board, on {os.cpu_count()} cores; rates are the best of "
        "each, ratios those of the median round. Two trees show the machine's limit.",
    )
    ranks = ResultTable(
        "Ranks that share and ranks that do not",
        ("ranks", "sharing, simulations per rank and CPU second", "not sharing", "kept (median round)"),
        (ranks_row(),),
        f"9x9 Go, slow tree, a share every {1000 * PERIOD:g} ms by MPI, compared with ranks that share only at the end "
        f"of {SECONDS:g} CPU seconds each; {ROUNDS} rounds in turn, {RANKS} ranks on {os.cpu_count()} cores.",
    )
    return [threads, ranks]


if __name__ == "__main__":
    on_rank_0(_measure_ranks)

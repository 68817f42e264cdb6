"""Measure the cost of parallel search: two threads compared with one thread and with two processes that share nothing,
and ranks that share with ranks that do not.

``run`` starts the part that runs on all ranks: ``mpiexec -n 8 python -m benchmarks.parallel_speed``.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, wait
from multiprocessing import get_context
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

_player: MctsPlayer
_board: Position
"""What a process of ``_process`` thinks about."""


def threads_row(game: str, size: int, n: int) -> tuple[Cell, ...]:
    """Compare the simulations per second of one thread, two threads on one tree, and two processes that share nothing.

    The two processes show how much of its second core the machine gives. Ratios are those of the median round.
    """
    one, other, two = (_process(f"default,memory_mb=400,threads={threads}", game, size) for threads in (1, 1, 2))
    rounds = [[_rate(processes, n) for processes in ([one], [two], [one, other])] for _ in range(ROUNDS + 1)][1:]
    for process in (one, other, two):
        process.shutdown()
    alone, shared, apart = (max(rates) for rates in zip(*rounds, strict=True))
    return (
        f"{game.capitalize()} {game_named(game).board_name(size)}",
        round(alone),
        round(shared),
        round(apart),
        statistics.median(b / a for a, b, _ in rounds),
        statistics.median(c / a for a, _, c in rounds),
        f"{100 * statistics.median(b / c for _, b, c in rounds):.1f}%",
    )


def _process(words: str, game: str, size: int) -> ProcessPoolExecutor:
    """Return a process that holds a player."""
    return ProcessPoolExecutor(1, get_context("spawn"), _open_player, (words, game, size))


def _open_player(words: str, game: str, size: int) -> None:
    global _player, _board
    _player, _board = MctsPlayer(PlayerConfig.from_text(words, game)), game_named(game).new_position(size)


def _begin() -> None:
    _player.start(_board, seed=1)
    _player.think(1)


def _think(n: int) -> int:
    return _player.think(n)


def _rate(processes: list[ProcessPoolExecutor], n: int) -> float:
    """Return the simulations per second of processes that think at the same time, ``n`` simulations in all."""
    wait([process.submit(_begin) for process in processes])
    began = time.monotonic()
    thinking = [process.submit(_think, n // len(processes)) for process in processes]
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
            "two processes",
            "two threads: times one thread",
            "two processes: times one thread",
            "two threads, of two processes",
        ),
        (threads_row("go", 9, 20_000), threads_row("go", 19, 6_000), threads_row("havannah", 8, 30_000)),
        f"{ROUNDS} rounds in turn, from the empty board, on {os.cpu_count()} cores; rates are the best of each, ratios "
        "those of the median round. Two processes share nothing, not even memory: what they reach is the limit of the "
        "machine, and the last column is the part of it that two threads on one tree reach.",
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

"""Compare the speed of the Havannah kernels with OpenSpiel's C++: playouts and searches per CPU second."""

import time

from benchmarks.rates import ROUNDS, Rate, compare, playouts, simulations
from semeai.games.havannah.position import HavannahPosition
from semeai.table import Cell, ResultTable

N = {4: 20_000, 5: 10_000, 8: 3_000, 10: 2_000}
"""Playouts and simulations per round, by base."""


def run() -> list[ResultTable]:
    return [_against_openspiel(), _slow_against_fast()]


def _slow_against_fast() -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for base, n in N.items():
        start = HavannahPosition(base)
        rows.append(compare(f"base {base}", playouts(start, "fast", n), playouts(start, "slow", n)))
    columns = ("board", "fast playouts, per CPU second", "slow playouts", "ratio of the best", "median ratio")
    return ResultTable("Fast against slow playouts", columns, tuple(rows), f"{ROUNDS} rounds in turn, as above.")


def _against_openspiel() -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for base, n in N.items():
        start = HavannahPosition(base)
        rollouts = _openspiel(base, 1, n // 4)
        searched = _openspiel(base, n // 4, 1)
        rows.append(compare(f"base {base}, fast playouts", playouts(start, "fast", n), rollouts))
        rows.append(compare(f"base {base}, slow playouts", playouts(start, "slow", n), rollouts))
        rows.append(compare(f"base {base}, UCT, fast", simulations(start, "uct", n), searched))
        rows.append(compare(f"base {base}, RAVE, fast", simulations(start, "fast", n), searched))
        rows.append(compare(f"base {base}, default player", simulations(start, "default", n), searched))
    note = (
        f"{ROUNDS} rounds in turn from the empty board, one thread; the best of each, and the median of the ratios "
        "within a round. OpenSpiel: the rollouts of its RandomRolloutEvaluator for playouts, its MCTSBot with one "
        "rollout per simulation for searches. Slow playouts win, block and keep bridges; the default player's do not "
        "block."
    )
    columns = ("what", "semeai, per CPU second", "OpenSpiel (C++)", "ratio of the best", "median ratio")
    return ResultTable("Havannah against OpenSpiel", columns, tuple(rows), note)


def _openspiel(base: int, n_simulations: int, n_rollouts: int) -> Rate | None:
    """Return a function that measures OpenSpiel's bot from the empty board; None if OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(f"havannah(board_size={base})")
    state = game.new_initial_state()

    def measure() -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, n_simulations, 1000, False, 1, False)
        start = time.thread_time()
        bot.step(state)
        return n_simulations * n_rollouts / (time.thread_time() - start)

    return measure

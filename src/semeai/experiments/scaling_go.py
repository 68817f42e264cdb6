"""Table 1 of "Scalability and parallelization of Monte-Carlo Tree Search": 2N simulations a move against N."""

from collections.abc import Sequence

from semeai.experiments.matches import Pairing, Progress, play_all, rate_and_interval
from semeai.experiments.table import ResultTable
from semeai.match.settings import MatchSettings

PAPER = {
    (9, 1_000): "71.1 ± 0.1%",
    (9, 4_000): "68.7 ± 0.2%",
    (9, 16_000): "66.5 ± 0.9%",
    (9, 256_000): "61.0 ± 0.2%",
    (19, 1_000): "90.5 ± 0.3%",
    (19, 4_000): "84.5 ± 0.3%",
    (19, 16_000): "80.2 ± 0.4%",
    (19, 256_000): "58.5 ± 1.7%",
}
SIMULATIONS = (125, 250, 500, 1_000, 2_000, 4_000)
GAMES = 400
OPENING_MOVES = 2


def run(
    games: int = GAMES,
    size: Sequence[int] = (9,),
    simulations: Sequence[int] = SIMULATIONS,
    seed: int = 1,
    workers: int | None = None,
    ledger: str | None = None,
    progress: Progress = lambda text: None,
) -> list[ResultTable]:
    """One table a board size; ``simulations`` are the values of N."""
    return [_table(s, games, simulations, seed, workers, ledger, progress) for s in size]


def _table(
    size: int,
    games: int,
    simulations: Sequence[int],
    seed: int,
    workers: int | None,
    ledger: str | None,
    progress: Progress,
) -> ResultTable:
    settings = MatchSettings(size=size, opening_moves=OPENING_MOVES, scoring="area")
    pairings = [
        Pairing(f"{size}x{size}, {2 * n:,} against {n:,}", _player(2 * n), _player(n), settings, games)
        for n in simulations
    ]
    tallies = play_all(pairings, seed, ledger, workers, progress)
    rows = tuple(
        (n, rate_and_interval(tally), PAPER.get((size, n), ""), tally.n_games)
        for n, tally in zip(simulations, tallies, strict=True)
    )
    return ResultTable(
        f"Table 1, {size}x{size} Go: 2N simulations a move against N",
        ("N", "win rate of 2N, 95% Wilson", "MoGo, the paper", "games"),
        rows,
        f"Komi 7.5, pairs with colours swapped from {OPENING_MOVES} random moves, no tree reuse, so that N is all a "
        "move gets. The paper's ± is its standard error.",
    )


def _player(simulations: int) -> str:
    return f"mcts:default,simulations={simulations},reuse_tree=false,resign_below=0.05"

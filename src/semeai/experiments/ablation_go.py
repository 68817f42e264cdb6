"""What each part of the Go player gives: the default player with one part changed, against the default player."""

from collections.abc import Sequence

from semeai.experiments.matches import Pairing, Progress, play_all, rate_and_interval
from semeai.experiments.table import ResultTable
from semeai.match.settings import MatchSettings

GAMES = 400
SIMULATIONS = (500,)
OPENING_MOVES = 2
BASE = "resign_below=0.05,memory_mb=100"

CHANGES = (
    ("no RAVE", "search.rave=off"),
    ("hand-picked RAVE schedule", "search.rave=hand_picked"),
    ("no priors, every move tried first", "policy.prior_even=0"),
    ("no priors, first-play urgency 0.5", "policy.prior_even=0,search.first_play_urgency=0.5"),
    ("light playouts", "policy.playout=light"),
    ("playouts without capture and save", "policy.capture=0,policy.save=0"),
    ("playouts without shapes", "policy.shape=0"),
    ("playouts without nakade", "policy.nakade=0"),
    ("playouts without the rule of two liberties", "policy.two_liberties=0"),
    ("playouts that look for captures anywhere", "policy.capture_anywhere=1"),
    ("playouts that allow self-atari", "policy.refuse_self_atari=0"),
    ("progressive widening, K = 8", "search.widening=8"),
    ("progressive widening, K = 4", "search.widening=4"),
    ("progressive bias, c = 0.1", "search.bias_decay=0.1"),
    ("expansion threshold 4", "search.expansion_threshold=4"),
    ("expansion threshold 16", "search.expansion_threshold=16"),
    ("exploration 0.1", "search.exploration=0.1"),
    ("no tree reuse", "reuse_tree=false"),
    ("Algorithm 1 alone (preset uct)", "uct"),
    ("bare RAVE (preset rave)", "rave"),
)


def run(
    games: int = GAMES,
    size: Sequence[int] = (9,),
    simulations: Sequence[int] = SIMULATIONS,
    seed: int = 1,
    workers: int | None = None,
    ledger: str | None = None,
    progress: Progress = lambda text: None,
) -> list[ResultTable]:
    """One table for each board size and budget."""
    tables = []
    for s in size:
        for n in simulations:
            settings = MatchSettings(size=s, opening_moves=OPENING_MOVES, scoring="area")
            base = f"{BASE},simulations={n}"
            pairings = [
                Pairing(label, _changed(change, base), f"mcts:default,{base}", settings, games)
                for label, change in CHANGES
            ]
            tallies = play_all(pairings, seed, ledger, workers, progress)
            rows = tuple(
                (label, f"`{change}`", rate_and_interval(tally), _speed(tally.simulations, tally.cpu), tally.n_games)
                for (label, change), tally in zip(CHANGES, tallies, strict=True)
            )
            tables.append(_table(s, n, rows))
    return tables


def _changed(change: str, base: str) -> str:
    preset = "=" not in change
    return f"mcts:{change},{base}" if preset else f"mcts:default,{base},{change}"


def _speed(simulations: tuple[int, int], cpu: tuple[float, float]) -> float:
    """Simulations per CPU second, relative to the default player's in the same games."""
    return simulations[0] / max(cpu[0], 1e-9) * cpu[1] / max(simulations[1], 1)


def _table(size: int, simulations: int, rows: tuple[tuple[str | int | float | None, ...], ...]) -> ResultTable:
    return ResultTable(
        f"{size}x{size} Go, {simulations:,} simulations a move: the default player changed, against the default player",
        ("change", "setting", "win rate, 95% Wilson", "relative speed", "games"),
        rows,
        "Below 50%: the default is better. Komi 7.5, pairs with colours swapped from "
        f"{OPENING_MOVES} random moves. Equal simulations, so a slower part has to earn its time: see the speed.",
    )

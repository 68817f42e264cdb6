"""What an accepted pattern costs in games, for candidates drawn at random and for guided ones.

The same evolutions with one proposer or the other: nothing else differs. Their ledgers stay in ``build/proposers``, so
that what was stopped goes on.
"""

from pathlib import Path
from statistics import mean

from semeai.evolve.config import checked_evolution
from semeai.evolve.history import History, ProposerHistory
from semeai.evolve.loop import run_evolution
from semeai.evolve.store import FIRST, PREVIOUS
from semeai.runs.run import Place
from semeai.stats.intervals import wilson_interval
from semeai.table import Cell, ResultTable, percent

SEEDS = 3
STEPS, CANDIDATES = 8, 4
SIZE, SIMULATIONS = 7, 50
RACE = {"throughput": True, "discard_below": 0.53, "max_per_candidate": 1000}
"""As in the demo, where what is not clearly better is discarded early, but with more pairs."""
VALIDATION = 200
FOLDER = Path("build/proposers")


def evolve(proposer: str, seed: int) -> History:
    config = {
        "seed": seed,
        "steps": STEPS,
        "candidates": CANDIDATES,
        "player": {"player": "mcts:rave,search.exploration=0", "simulations": SIMULATIONS},
        "match": {"size": SIZE, "opening_moves": 2, "scoring": "area"},
        "race": RACE,
        "proposers": [{"kind": proposer}],
        "validation": {"games": VALIDATION, "deep_games": 0, "opponent_games": 0},
    }
    name = f"{proposer}-{seed}"
    place = Place(str(FOLDER / f"{name}.sqlite"))
    return run_evolution(checked_evolution(config), FOLDER, place, name=name, output=FOLDER / name).history


def row(proposer: str, histories: list[History]) -> tuple[Cell, ...]:
    total = ProposerHistory()
    for part in (history.by_proposer()[proposer] for history in histories):
        total.candidates += part.candidates
        total.acceptances += part.acceptances
        total.games += part.games
    first = [until_first(history) for history in histories if history.accepting]
    return (
        proposer,
        total.candidates,
        total.acceptances,
        total.games,
        total.games_per_acceptance,
        mean(first) if first else None,
        worth(histories),
    )


def until_first(history: History) -> int:
    """Games of all races up to the first acceptance."""
    return sum(step.n_games for step in history.steps if step.number <= history.accepting[0].number)


def worth(histories: list[History]) -> str:
    """Of the last programs against the first, together; the first that is grown has met it as the one before."""
    last = [history.accepting[-1].matches for history in histories if history.accepting]
    tallies = [(matches.get(FIRST) or matches[PREVIOUS]).tally for matches in last]
    won, games = sum(tally.total for tally in tallies), sum(tally.n_games for tally in tallies)
    return percent(won / games, wilson_interval(won, games)) if games else ""


def run() -> list[ResultTable]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = []
    for proposer in ("random", "guided"):
        rows.append(row(proposer, [evolve(proposer, seed) for seed in range(1, SEEDS + 1)]))
        print(*rows[-1], flush=True)
    columns = (
        "proposer",
        "candidates",
        "acceptances",
        "games",
        "games per acceptance",
        "games until the first",
        "the last program v the first",
    )
    note = (
        f"{SEEDS} evolutions each of {STEPS} steps with |S0| = {CANDIDATES}, on {SIZE}x{SIZE} at {SIMULATIONS} "
        f"simulations per move from RAVE with light playouts. Candidates below {RACE['discard_below']:g} are discarded "
        f"at the first hint (`throughput`), and none gets more than {RACE['max_per_candidate']:,} pairs of games. "
        "The last column is of games with seeds of their own, all evolutions that accepted something together; "
        "Wilson's 95% interval. These settings are the second that were tried: with 300 pairs at most and no early "
        "discards, random had 7 acceptances in 30,720 games, 4,389 each, and guided 6 in 30,656, 5,109 each; until the "
        "first it was 1,843 and 325. So few acceptances say little about which proposer is cheaper after the first."
    )
    return [ResultTable("Games for an accepted pattern", columns, tuple(rows), note)]

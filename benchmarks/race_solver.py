"""Compare the solver of capturing races with exhaustive search, and measure what it costs the player."""

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count, islice

from reference.race_positions import random_positions
from reference.races import mistakes

from benchmarks.rates import Rate, median_ratio
from semeai.experiments.races import SOLVING
from semeai.games.go.position import GoPosition
from semeai.games.go.races import races_of
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.table import Cell, ResultTable

RACES = 5000
SIMULATIONS = {9: 1000, 19: 300}
POSITIONS = 2
ROUNDS = 5
FIRST_MOVE = 20
GAME_SIMULATIONS = 100
"""Per move of the game that the positions are taken from."""


def run(races: int = RACES, seed: int = 1) -> list[ResultTable]:
    """Return the answers of the solver on random races by kind, with the number of wrong ones."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    n_positions = n_answered = 0
    for position in random_positions(seed, (4, 5)):
        n_positions += 1
        for race in races_of(position):
            kind = answers[race.reason or ("open" if race.is_urgent else f"{race.black_first} wins, also after a pass")]
            found = mistakes(position, race)
            kind["races"] += 1
            kind["outcomes"] += bool(found.outcomes)
            kind["told"] += len(race.black_moves) + len(race.white_moves)
            kind["false"] += len(found.false_moves)
            kind["unclear"] += len(race.black_unclear) + len(race.white_unclear)
            kind["left out"] += len(found.left_out)
            n_answered += race.is_known
        if n_answered >= races:
            break
    answers["all"] = sum(answers.values(), Counter())
    total = answers["all"]["races"]
    rows = [
        (kind, n["races"], f"{100 * n['races'] / total:.1f}%", *(n[column] for column in _COUNTED))
        for kind, n in sorted(answers.items(), key=lambda item: (item[0] == "all", -item[1]["races"]))
    ]
    return [
        ResultTable(
            "The solver beside exhaustive search",
            ("answer", "races", "share", "wrong outcomes", "moves told to win", "of these, losing ones",
             "moves told as not known", "winning moves left out"),
            tuple(rows),
            f"Races of {n_positions:,} random positions on boards of 4 and 5 lines, with eyes, shared liberties, "
            f"approach moves and kos, until {races:,} have an answer; each is searched to its end by "
            "`reference/races.py`. Open: who moves first wins. Left out: winning moves that are neither told to "
            "win nor told as not known.",
        )
    ]  # fmt: skip


_COUNTED = ("outcomes", "told", "false", "unclear", "left out")


def run_speed() -> list[ResultTable]:
    """Return the speed of the versions that ask the solver, relative to the default player, by kind of position."""
    rows: list[tuple[Cell, ...]] = []
    for size, n in SIMULATIONS.items():
        pairs = list(islice(_pairs_of_positions(size), POSITIONS))
        for kind, positions in zip(("no race", "a race"), zip(*pairs, strict=True), strict=True):
            ratios: dict[str, list[float]] = {version.label: [] for version in SOLVING}
            for position in positions:
                default = _searches(position, "default", n)
                for version in SOLVING:
                    ours = _searches(position, f"default,{version.settings}", n)
                    ratios[version.label].append(median_ratio(ours, default, ROUNDS))
            rows += [
                (f"{size}x{size}, {kind}", label, statistics.median(found), min(found), max(found))
                for label, found in ratios.items()
            ]
    return [
        ResultTable(
            "Simulations per CPU second with the solver, relative to the default player",
            ("positions", "version", "median", "slowest", "fastest"),
            tuple(rows),
            f"{POSITIONS} positions of each kind, each from another game of the default player against itself with "
            f"{GAME_SIMULATIONS} simulations per move: the first after move {FIRST_MOVE} with a race, and the last one "
            f"before it without. Whole searches of {_said(SIMULATIONS)}, with the solver at the root. Per position the "
            f"median ratio of {ROUNDS} rounds, in which both players search in turn, one thread.",
        )
    ]


def _said(simulations: dict[int, int]) -> str:
    return " and ".join(f"{n:,} simulations on {size}x{size}" for size, n in simulations.items())


def _searches(position: GoPosition, player_text: str, n: int) -> Rate:
    """Return a function that measures simulations per CPU second of a whole search, with what is done at its root."""
    player = MctsPlayer(PlayerConfig.from_text(player_text))

    def measure() -> float:
        start = time.thread_time()
        player.start(position, seed=1)
        player.think(n)
        return n / (time.thread_time() - start)

    return measure


def _pairs_of_positions(size: int) -> Iterator[tuple[GoPosition, GoPosition]]:
    """Yield, per game that has one, the first position with a race and before it the last one without."""
    player = MctsPlayer(PlayerConfig.from_text(f"default,simulations={GAME_SIMULATIONS}"))
    for seed in count(1):
        position = GoPosition(size)
        player.start(position, seed=seed)
        without: GoPosition | None = None
        while not position.is_over:
            move = player.choose().move
            player.observe(move)
            position.play(move)
            if len(position.moves) < FIRST_MOVE:
                continue
            if not races_of(position):
                without = position.copy()
            elif without is not None:
                yield without, position
                break

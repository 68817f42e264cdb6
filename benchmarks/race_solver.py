"""Compare the solver of capturing races with exhaustive search, and measure what it costs the player."""

from collections import Counter

from reference.race_positions import random_positions
from reference.races import mistakes

from benchmarks.rates import ROUNDS, compare, simulations
from semeai.experiments.races import VERSIONS
from semeai.games.go.position import GoPosition
from semeai.games.go.races import races_of
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.table import Cell, ResultTable

RACES = 5000
SIMULATIONS = {9: 4000, 13: 2000, 19: 1000}
GAME_SIMULATIONS = 100
"""Per move of the game that the positions are taken from."""


def run(races: int = RACES, seed: int = 1) -> list[ResultTable]:
    """Return the answers of the solver on random races by kind, with the number of wrong ones."""
    kinds: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    n_positions = 0
    for position in random_positions(seed, (4, 5)):
        n_positions += 1
        for race in races_of(position):
            kind = race.reason or ("open" if race.is_urgent else f"{race.black_first} wins, also after a pass")
            kinds[kind] += 1
            wrong[kind] += bool(mistakes(position, race))
        if kinds.total() >= races:
            break
    rows = [(kind, n, f"{100 * n / kinds.total():.1f}%", wrong[kind]) for kind, n in kinds.most_common()]
    rows.append(("all", kinds.total(), "100%", wrong.total()))
    return [
        ResultTable(
            "The solver beside exhaustive search", ("answer", "races", "share", "wrong answers"), tuple(rows),
            f"Races of {n_positions:,} random positions on boards of 4 and 5 lines, with eyes, shared liberties, "
            "approach moves and kos, each searched to its end by `reference/races.py`. Wrong: an outcome differs, or "
            "a move that is told as necessary is not, or a necessary move is left out.",
        )
    ]  # fmt: skip


def run_speed() -> list[ResultTable]:
    """Return the speed of the versions that ask the solver, relative to the default player, by kind of position."""
    rows: list[tuple[Cell, ...]] = []
    for size, n in SIMULATIONS.items():
        for kind, position in zip(("no race", "a race"), _positions(size), strict=True):
            default = simulations(position, "default", n)
            for version in VERSIONS[2:]:
                ours = simulations(position, f"default,{version.settings}", n)
                _, mine, other, best, median = compare(version.label, ours, default)
                rows.append((f"{size}x{size}, {kind}", version.label, mine, other, best, median))
    return [
        ResultTable(
            "Simulations per CPU second with the solver",
            ("position", "version", "this version", "default player", "ratio of the best", "median ratio"),
            tuple(rows),
            f"{ROUNDS} rounds in turn, one thread. The positions are from a game of the default player against itself "
            f"with {GAME_SIMULATIONS} simulations per move: the first with a race, and the one before it.",
        )
    ]


def _positions(size: int) -> tuple[GoPosition, GoPosition]:
    """Return the last position of a game without a race, and the one after it."""
    position = GoPosition(size)
    player = MctsPlayer(PlayerConfig.from_text(f"default,simulations={GAME_SIMULATIONS}"))
    player.start(position, seed=1)
    while True:
        before = position.copy()
        move = player.choose().move
        player.observe(move)
        position.play(move)
        if races_of(position):
            return before, position

"""Measure the cost of matching patterns: the same search with and without them, in turn, per CPU second.

The effect of the patterns is switched off, so that both searches do the same and only the matching differs.
"""

import statistics
import time

import numpy as np

from semeai.games.go.position import GoPosition
from semeai.patterns.geometry import SQUARE
from semeai.patterns.pattern import Cell, Pattern
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.table import Cell as TableCell
from semeai.table import ResultTable

ROUNDS = 61
NO_EFFECT = {"policy.pattern_visits": 0.0, "policy.pattern_heuristic": 0.0}
_KINDS = (Cell.BLACK, Cell.WHITE, Cell.EMPTY, Cell.STONE, Cell.OFF_BOARD)
_SHARES = (0.3, 0.3, 0.3, 0.05, 0.05)


def random_patterns(n: int, radius: int, seed: int = 1) -> list[str]:
    """Return ``n`` different patterns of exactly this radius, with two or three cells each."""
    draw = np.random.default_rng(seed)
    around = SQUARE.around(radius)
    found: dict[str, str] = {}
    while len(found) < n:
        offsets = draw.choice(len(around), int(draw.integers(2, 4)), replace=False)
        pattern = Pattern(tuple((around[i], _KINDS[int(draw.choice(5, p=_SHARES))]) for i in offsets))
        if pattern.radius == radius:
            found.setdefault(pattern.shape, pattern.text)
    return list(found.values())


def middle_game(size: int) -> GoPosition:
    """Return a random position with stones played on a third of the points."""
    draw = np.random.default_rng(2)
    position = GoPosition(size)
    for _ in range(size * size // 3):
        position.play(int(draw.choice(position.sensible_moves())))
    return position


def rate(player: MctsPlayer, position: GoPosition, n: int) -> float:
    player.start(position, seed=1)
    player.think(1)
    start = time.thread_time()
    player.think(n)
    return n / (time.thread_time() - start)


def row(size: int, preset: str, n_patterns: int, radius: int, n: int) -> tuple[TableCell, ...]:
    """Return simulations per CPU second without and with patterns, and the cost in the median round."""
    base = PlayerConfig.from_preset(preset).with_changes({"memory_mb": 200, "reuse_tree": False, **NO_EFFECT})
    bare = MctsPlayer(base)
    grown = MctsPlayer(base.with_changes({"policy.patterns": random_patterns(n_patterns, radius)}))
    position = middle_game(size)
    pairs = [(rate(bare, position, n), rate(grown, position, n)) for _ in range(ROUNDS + 1)][1:]
    cost = statistics.median(1 - b / a for a, b in pairs)
    best = [round(max(side)) for side in zip(*pairs, strict=True)]
    return f"{size}x{size}", preset, n_patterns, radius, *best, f"{100 * cost:.1f}%"


def run() -> list[ResultTable]:
    cases = [(9, "default", 1000), (9, "rave", 4000), (19, "default", 300)]
    rows = [
        row(size, preset, n_patterns, radius, n)
        for size, preset, n in cases
        for radius in (1, 2)
        for n_patterns in (10, 100)
    ]
    columns = ("board", "preset", "patterns", "radius", "without, per CPU second", "with", "cost (median round)")
    note = (
        f"{ROUNDS} short rounds in turn on one thread, from a position with a third of the board filled; rates are the "
        "best of each side. Patterns have two or three cells that are not jokers and no effect, so that both sides do "
        "the same search. The preset `rave` has light playouts and no priors: a simulation costs least there."
    )
    return [ResultTable("What patterns cost", columns, tuple(rows), note)]

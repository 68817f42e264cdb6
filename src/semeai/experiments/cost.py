"""Expected CPU time of experiments, from rates that were measured once. They are rough: within a factor of two."""

from collections.abc import Sequence

from semeai.experiments.matches import Pairing
from semeai.games.catalog import game_named
from semeai.players.catalog import parse_spec
from semeai.players.specs import MctsSpec

POINTS_PER_SECOND = {"go": 3.0e6, "havannah": 1.1e7}
"""Simulations of the default player per CPU second, times the points of the board: nearly the same on all boards.

See docs/benchmarks/go-speed.md and havannah-speed.md.
"""
MOVES_PER_POINT = 0.6
"""Moves of a game, as a part of the points of its board."""


def seconds_of_games(game: str, size: int, simulations: float, games: int) -> float:
    """Return the CPU seconds of games with ``simulations`` per move, the mean of both sides."""
    points = game_named(game).n_points(size)
    return games * MOVES_PER_POINT * points * simulations * points / POINTS_PER_SECOND[game]


def seconds_of_pairings(pairings: Sequence[Pairing], games: int) -> float:
    """Return the CPU seconds of ``games`` games per pairing; players that are not MCTS players cost nothing."""
    total = 0.0
    for pairing in pairings:
        settings = pairing.settings
        simulations = sum(simulations_of(words, settings.game) for words in (pairing.a, pairing.b)) / 2
        size = settings.size or game_named(settings.game).default_size
        total += seconds_of_games(settings.game, size, simulations, games)
    return total


def simulations_of(words: str, game: str) -> int:
    """Return the simulations per move of a player, over all its ranks."""
    spec = parse_spec(words, game=game)
    if not isinstance(spec, MctsSpec):
        return 0
    return (spec.config.simulations or 0) * spec.config.parallel.ranks


def in_words(seconds: float) -> str:
    """Return a duration that is rough, such as ``50 s``, ``7 min`` or ``9 h``."""
    for limit, unit, divisor in ((90, "s", 1), (5400, "min", 60), (float("inf"), "h", 3600)):
        if seconds < limit:
            return f"{max(1, round(seconds / divisor)):,} {unit}"
    raise AssertionError("the last limit is infinite")

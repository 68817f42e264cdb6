"""``semeai warmup``: compile the kernels now, so that later commands start at once."""

from semeai.cli.output import say

VARIANTS = (
    {"threads": 2},
    {"parallel.scheme": "slow_tree", "parallel.ranks": 2},
    {"parallel.scheme": "fast_tree", "parallel.ranks": 2},
)
"""Player settings that need additional kernels."""


def warmup() -> None:
    """Compile all kernels and keep them on disk.

    This takes a minute or two; later commands then start at once.

    Examples:
        semeai warmup
    """
    from semeai.experiments import simulated_race  # noqa: F401 - registers the kernels of races
    from semeai.games.catalog import GAMES
    from semeai.games.havannah import solver  # noqa: F401 - registers the kernels of proofs
    from semeai.jit import cache_directory
    from semeai.players.config import PlayerConfig
    from semeai.players.mcts import compile_players

    players = [PlayerConfig(game=game).with_changes(changes) for game in GAMES for changes in VARIANTS]
    for family, seconds in compile_players(tuple(GAMES), say, players).items():
        say(f"{family}: ready in {seconds:.1f} s")
    place = cache_directory()
    say(f"kept in {place}" if place else "no writable folder was found: every start compiles again")

"""semeai: race changes of a stochastic program against a baseline, with a proven bound on the risk.

>>> from semeai import run_race
>>> result = run_race(play, [{"name": "a", "x": 1}, {"name": "b", "x": 2}])  # play(params, seed) -> reward in [0, 1]
>>> result.accepted
"""

TYPE_CHECKING = False  # not from typing: until semeai.cli.main is loaded, Ctrl-C prints a traceback
if TYPE_CHECKING:
    from semeai.errors import SemeaiError
    from semeai.games.catalog import new_position, register_game
    from semeai.match.match import MatchResult
    from semeai.match.run import play_match
    from semeai.players.analysis import search_position
    from semeai.players.base import Player
    from semeai.players.catalog import make_player
    from semeai.race.candidate import Candidate, Verdict
    from semeai.race.race import Batch, Decision, Race
    from semeai.race.settings import RaceSettings
    from semeai.runs.race import RaceResult, run_race
    from semeai.runs.race_file import run_race_file
    from semeai.runs.run import Observer
    from semeai.stats.betting import MixtureBetting
    from semeai.stats.bounds import Bounds, compute_bounds
    from semeai.stats.counts import RewardCounts
    from semeai.stats.deviations import bernstein_deviation, hoeffding_deviation
    from semeai.stats.information import information_bound
    from semeai.stats.intervals import wilson_interval
    from semeai.store.ledger import Ledger

__all__ = [
    "Batch",
    "Bounds",
    "Candidate",
    "Decision",
    "Ledger",
    "MatchResult",
    "MixtureBetting",
    "Observer",
    "Player",
    "Race",
    "RaceResult",
    "RaceSettings",
    "RewardCounts",
    "SemeaiError",
    "Verdict",
    "bernstein_deviation",
    "compute_bounds",
    "hoeffding_deviation",
    "information_bound",
    "make_player",
    "new_position",
    "play_match",
    "register_game",
    "run_race",
    "run_race_file",
    "search_position",
    "wilson_interval",
]

_MODULES = {
    "errors": ("SemeaiError",),
    "games.catalog": ("new_position", "register_game"),
    "match.match": ("MatchResult",),
    "match.run": ("play_match",),
    "players.analysis": ("search_position",),
    "players.base": ("Player",),
    "players.catalog": ("make_player",),
    "race.candidate": ("Candidate", "Verdict"),
    "race.race": ("Batch", "Decision", "Race"),
    "race.settings": ("RaceSettings",),
    "runs.race": ("RaceResult", "run_race"),
    "runs.race_file": ("run_race_file",),
    "runs.run": ("Observer",),
    "stats.betting": ("MixtureBetting",),
    "stats.bounds": ("Bounds", "compute_bounds"),
    "stats.counts": ("RewardCounts",),
    "stats.deviations": ("bernstein_deviation", "hoeffding_deviation"),
    "stats.information": ("information_bound",),
    "stats.intervals": ("wilson_interval",),
    "store.ledger": ("Ledger",),
}
"""Modules and the public names in them; a module is imported when one of its names is first used (PEP 562)."""

if not TYPE_CHECKING:  # type checkers read the imports above, so they still notice a name that does not exist

    def __getattr__(name):
        from importlib import import_module

        for module, names in _MODULES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(f"semeai.{module}"), name)
                return value
        raise AttributeError(f"module 'semeai' has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})

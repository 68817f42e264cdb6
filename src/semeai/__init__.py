"""semeai: race changes of a stochastic program against a baseline, with a proven bound on the risk.

>>> from semeai import run_race
>>> result = run_race(play, [{"name": "a", "x": 1}, {"name": "b", "x": 2}])  # play(params, seed) -> reward in [0, 1]
>>> result.accepted
"""

from semeai.errors import SemeaiError
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Batch, Decision, Race
from semeai.race.settings import RaceSettings
from semeai.runs.race import RaceResult, run_race
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
    "MixtureBetting",
    "Observer",
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
    "run_race",
    "wilson_interval",
]

"""Races for Optuna's studies: a pruner that may look after every step, and a race of a study's best trials.

It needs the extra ``optuna``: ``pip install 'semeai[optuna]'``.
"""

from collections.abc import Callable, Mapping
from typing import Any

from semeai.errors import ConfigError
from semeai.race.settings import RaceSettings
from semeai.runs.race import RaceResult, run_race
from semeai.stats.signs import is_proven_worse
from semeai.work.evaluators import Better

try:
    from optuna.pruners import BasePruner
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError:
    raise ConfigError("semeai.optuna needs the package optuna: pip install 'semeai[optuna]'") from None

__all__ = ["RacingPruner", "race_study"]

_OPPONENT = "semeai:opponent"


class RacingPruner(BasePruner):
    """Prunes a trial when it is proven worse than the best trial on the same steps, by an always-valid sign test.

    A step is a seed, a fold or an instance, as for Optuna's WilcoxonPruner: ``trial.report(value, step)``. All trials
    report the same steps, in any order. A trial that is better than its opponent at least as often as worse is pruned
    with probability at most ``risk``, however often ``should_prune`` is called. The opponent is the best trial at the
    first call, and stays it. The best of many equal trials was lucky, so the trials that were complete then share the
    risk: each of them could have been the opponent.
    """

    def __init__(self, risk: float = 0.1, n_startup_steps: int = 2) -> None:
        if not 0 < risk < 1:
            raise ConfigError(f"risk must lie between 0 and 1, not {risk}")
        if n_startup_steps < 0:
            raise ConfigError(f"n_startup_steps must be at least 0, not {n_startup_steps}")
        self._risk = risk
        self._n_startup_steps = n_startup_steps

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        found = _opponent(study, trial)
        if found is None:
            return False
        opponent, n_rivals = found
        sign = 1 if study.direction == StudyDirection.MAXIMIZE else -1
        theirs = opponent.intermediate_values
        gaps = [sign * (value - theirs[step]) for step, value in trial.intermediate_values.items() if step in theirs]
        n_worse, n_better = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)  # NaN is neither
        return len(gaps) >= self._n_startup_steps and is_proven_worse(n_worse, n_better, self._risk / n_rivals)


def _opponent(study: Study, trial: FrozenTrial) -> tuple[FrozenTrial, int] | None:
    """Return the trial that this one is compared with, and among how many it was the best one at the first call."""
    trials = study.get_trials(deepcopy=False)
    if _OPPONENT in trial.system_attrs:
        number, n_rivals = trial.system_attrs[_OPPONENT]
        return trials[number], n_rivals
    try:
        best = study.best_trial
    except ValueError:
        return None
    if not best.intermediate_values:
        return None
    n_rivals = sum(other.state == TrialState.COMPLETE for other in trials)
    study._storage.set_trial_system_attr(trial._trial_id, _OPPONENT, [best.number, n_rivals])
    return best, n_rivals


def race_study(
    study: Study,
    evaluate: Callable[[dict[str, Any], int], Any] | str,
    *,
    top: int = 10,
    incumbent: Mapping[str, Any] | int = 0,
    settings: RaceSettings | Mapping[str, Any] | None = None,
    **options: Any,
) -> RaceResult:
    """Race the best trials of a study against the incumbent on new seeds: which of them are really better?

    The best of many noisy trials looks better than it is. ``evaluate(params, seed)`` returns the number that the study
    optimises, for new seeds. ``incumbent`` has the parameters in use, or is the number of their trial (default: the
    first one). Each of the ``top`` trials gets its own verdict; the risk of any wrong one is that of ``settings``,
    over all trials and all looks. ``options`` are those of ``run_race``, such as ``workers`` and ``ledger``.
    """
    if len(study.directions) != 1:
        raise ConfigError(f"race_study needs a study with one objective, not {len(study.directions)}")
    done = [trial for trial in study.get_trials(deepcopy=False) if trial.state == TrialState.COMPLETE]
    if not done:
        raise ConfigError(f"study {study.study_name!r} has no complete trial")
    if top < 1:
        raise ConfigError(f"top must be at least 1, not {top}")
    higher = study.direction == StudyDirection.MAXIMIZE
    baseline = dict(incumbent) if isinstance(incumbent, Mapping) else _numbered(study, incumbent).params
    ranked = sorted(done, key=lambda trial: trial.values[0], reverse=higher)
    chosen: dict[str, dict[str, Any]] = {}
    for trial in ranked:
        if trial.params != baseline and trial.params not in chosen.values():
            chosen[f"trial {trial.number}"] = trial.params
        if len(chosen) == top:
            break
    if not chosen:
        raise ConfigError(f"study {study.study_name!r} has no trial that differs from the incumbent")
    candidates = [{"name": name, **params} for name, params in chosen.items()]
    if settings is None:
        settings = RaceSettings(mode="plain", accept_above=0.5, discard_below=0.55)
    better: Better = "higher" if higher else "lower"
    return run_race(evaluate, candidates, settings, baseline=baseline, better=better, **options)


def _numbered(study: Study, number: int) -> FrozenTrial:
    trials = study.get_trials(deepcopy=False)
    if not 0 <= number < len(trials):
        raise ConfigError(f"incumbent: study {study.study_name!r} has no trial {number}")
    return trials[number]

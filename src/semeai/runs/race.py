"""Plan, run and resume races, and read them back from a ledger. ``semeai.run_race`` is defined here."""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError
from semeai.models import checked, limit_words, merged
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import MAX_CANDIDATES, Decision, Race
from semeai.race.selection import Standing
from semeai.race.settings import RaceSettings
from semeai.runs.baseline import SharedBaseline
from semeai.runs.driver import RaceDriver
from semeai.runs.effects import Effect, race_effects
from semeai.runs.run import Observer, Place, can_be_stored, checked_name, open_run
from semeai.store.identity import RACE
from semeai.table import Cell, ResultTable
from semeai.work.evaluators import (
    DEFAULT_TIMEOUT,
    LONGEST_TIMEOUT,
    AgainstBaseline,
    Better,
    CallableEvaluator,
    Evaluator,
    Params,
    evaluator_identity,
)
from semeai.work.jobs import Failure
from semeai.work.needs import Needs, Say
from semeai.work.packing import pack

if TYPE_CHECKING:
    import pandas
    from sqlalchemy import Table

KIND = RACE
"""Kind of a run in the ledger."""


METHOD_OF_RANGES = "wide_betting"
"""Default method if the range of the numbers is known: their differences vary little, compared with the range."""


FDR_ALONE = "fdr and share_baseline: levels that depend on other candidates need seeds of their own"


@dataclass(frozen=True)
class RacePlan:
    """Everything that determines a race: the same plan gives the same race on any machine."""

    settings: RaceSettings
    evaluator: Evaluator
    candidates: Iterable[Candidate]
    identity: Mapping[str, Any]
    """Configuration that the ledger records and compares when the run is resumed."""
    seed: int = 1
    retries: int = 0
    baseline: Params | None = None
    """Parameters of the baseline that the candidates change, if there is one."""
    strict: bool = False
    """Whether a wrong reward ends the race, instead of being the failure of its candidate."""

    @property
    def setup(self) -> "RaceSetup":
        """What all evaluations have in common. Candidates that are not known yet can add no files to it."""
        known = self.candidates if isinstance(self.candidates, Sequence) else ()
        return RaceSetup(self.evaluator, tuple(candidate.params for candidate in known))


@dataclass(frozen=True)
class RaceSetup:
    """The evaluator and the candidates of a race, for workers on other machines."""

    evaluator: Evaluator
    candidates: tuple[Params, ...]

    def needs(self) -> Needs:
        return self.evaluator.needs(self.candidates)

    def prepare(self, say: Say) -> None:
        self.evaluator.prepare(say)

    def __getstate__(self) -> dict[str, Any]:
        return {"evaluator": self.evaluator, "candidates": ()}  # each job has its own candidate


@dataclass(frozen=True)
class RaceResult:
    """The result of a race."""

    accepted: list[Candidate]
    decisions: list[Decision]
    standings: list[Standing]
    n_evaluations: int
    seconds: float
    finished: bool
    """False if the race was stopped before its end; with a ledger it can be resumed."""
    failures: list[Failure] = field(default_factory=list)
    """Reasons why candidates failed, with the standard error of their programs."""
    digest: str | None = None
    """Digest of the run in its ledger; None without a ledger."""
    n_lost_jobs: int = 0
    warnings: list[str] = field(default_factory=list)
    """What looks like a mistake: a parameter that is never read, a candidate that only ties, equal candidates."""
    effects: dict[str, Effect] = field(default_factory=dict)
    """By how much the numbers of each candidate are above the baseline's, if ``better`` compares them."""
    mode: str = "bgp"

    @property
    def ending(self) -> str:
        """Why the race ended, in words, and what that means for the candidates without a verdict."""
        undecided = sum(standing.verdict == Verdict.UNDECIDED for standing in self.standings)
        if not self.finished:
            return f"stopped before its end, {undecided} undecided"
        if not undecided:
            return "every candidate has a verdict"
        if self.mode == "bgp" and self.accepted:
            return f'it ended with the first acceptance, {undecided} undecided; mode = "plain" decides all'
        return f"it reached its limit of evaluations, {undecided} undecided"

    def verdict(self, name: str) -> Verdict:
        """Return the verdict on the candidate ``name``. Raises ConfigError if there is none."""
        for standing in self.standings:
            if standing.candidate.name == name:
                return standing.verdict
        raise ConfigError(f"no candidate is named {name!r}")

    def to_frame(self) -> "pandas.DataFrame":
        """Return one row per candidate as a frame of pandas: totals, verdict, and the bounds at the verdict."""
        return self._table().to_frame()

    def _table(self) -> ResultTable:
        bounds = {decision.candidate: decision.bounds for decision in self.decisions}
        rows: list[tuple[Cell, ...]] = []
        for s in self.standings:
            found = bounds.get(s.index) if s.verdict != Verdict.UNDECIDED else None
            lower, upper = found if found else (None, None)
            rate = s.win_rate if s.n_evaluations else None
            rows.append((s.candidate.name, s.verdict.value, s.n_evaluations, s.total_reward, rate, lower, upper))
        columns = ("name", "verdict", "n_evaluations", "total_reward", "win_rate", "lower", "upper")
        state = "finished" if self.finished else "not finished"
        accepted = ", ".join(c.name for c in self.accepted[:10]) or "no candidate"
        return ResultTable(f"Race, {state}; accepted: {accepted}", columns, tuple(rows))

    def _repr_html_(self) -> str:
        return self._table().to_html()


def run_plan(plan: RacePlan, name: str, place: Place, observer: Observer | None = None) -> RaceResult:
    """Run the race of the plan as ``name``, or resume it. Returns its result."""
    observer = observer or Observer()
    compared = plan.evaluator if isinstance(plan.evaluator, AgainstBaseline) else None
    shared = SharedBaseline(compared.baseline, compared.judge) if compared and compared.shared else None
    program = compared.program if compared and shared else plan.evaluator
    evaluator = program if place.executor == "inline" else pack(program)
    race = Race(plan.settings, plan.candidates, plan.seed)
    plan.evaluator.prepare(observer.say)
    began = time.perf_counter()
    with open_run(name, KIND, plan.identity, plan.seed, place, observer, _tables(compared, place)) as run:
        if run.writer is not None:
            from semeai.runs.resume import resume

            resume(race, run.writer)
        run.pool.begin(plan.setup)
        driver = RaceDriver(
            race,
            evaluator,
            run,
            plan.retries,
            function=plan.evaluator.function,
            time_limit=plan.evaluator.time_limit,
            baseline=plan.baseline,
            strict=plan.strict,
            shared=shared,
        )
        if run.writer is not None and compared:
            from semeai.store.race_rows import recorded_numbers

            for batch, numbers in recorded_numbers(run.writer.ledger, run.writer.run_id):
                driver.known_numbers(batch, numbers)
        run.drive(driver)
    return RaceResult(
        race.accepted,
        race.decisions,
        race.standings,
        race.n_evaluations,
        time.perf_counter() - began,
        run.state == "finished",
        driver.failures,
        run.digest,
        run.pool.n_lost,
        driver.warnings,
        race_effects(race, plan.identity["evaluator"], driver.differences),
        race.settings.mode,
    )


def _tables(compared: AgainstBaseline | None, place: Place) -> tuple["Table", ...]:
    """Return the additional table of a race that compares numbers."""
    if compared is None or place.ledger is None:
        return ()
    from semeai.store.schema import measurements

    return (measurements,)


def run_race(
    evaluate: Callable[[dict[str, Any], int], Any] | str,
    candidates: Iterable[Candidate | Mapping[str, Any]],
    settings: RaceSettings | Mapping[str, Any] | None = None,
    *,
    mode: str | None = None,
    baseline: Mapping[str, Any] | None = None,
    better: Better | None = None,
    value_range: tuple[float, float] | None = None,
    share_baseline: bool = False,
    seed: int = 1,
    timeout: float | None = None,
    strict: bool = False,
    workers: int = 1,
    executor: str | None = None,
    folder: str | None = None,
    ledger: str | None = None,
    name: str | None = None,
    observer: Observer | None = None,
) -> RaceResult:
    """Race the candidates with the function ``evaluate(params, seed) -> reward``. Returns the result.

    ``evaluate`` is a function or "module:function". With more than one worker it runs in worker processes; a function
    that they cannot import, such as a lambda or one of a notebook, is sent to them with the objects that it uses. With
    ``better`` ("higher" or "lower") it may return any number, which is compared with the number for the ``baseline``'s
    parameters on the same seed; each candidate is then a change of the baseline. If all numbers lie in ``value_range``,
    the mean difference is raced, otherwise how often the candidate is better. With ``share_baseline`` all candidates
    get the same seeds, and the baseline runs once per seed. ``mode`` is that of the settings: by default ("bgp") the
    first acceptance ends the race, and "plain" decides every candidate. ``settings`` may be a mapping. With
    ``ledger`` (a file or a database URL) and ``name`` every result is recorded, and the same call resumes the race
    after an interrupt. An evaluation may take ``timeout`` seconds, by default 60; this needs a worker process, so one
    worker without ``timeout``, which runs in this process, has no limit. A candidate that returns something else than a
    reward has failed; with ``strict`` it ends the race.
    """
    if not callable(evaluate) and not isinstance(evaluate, str):
        raise ConfigError(f"evaluate must be a function or 'module:function', not {evaluate!r}")
    if (baseline is None) != (better is None):
        raise ConfigError("give baseline and better together, or neither")
    if (ledger is None) != (name is None):
        raise ConfigError("give ledger and name together, or neither: a race is kept under its name")
    if better is None and (value_range is not None or share_baseline):
        raise ConfigError("value_range and share_baseline need better and a baseline")
    if settings is None or isinstance(settings, Mapping):
        usual = {} if value_range is None else {"method": METHOD_OF_RANGES}
        settings = checked(RaceSettings, {**usual, **(settings or {})})
    if mode is not None:
        settings = checked(RaceSettings, {**settings.model_dump(), "mode": mode})
    if settings.fdr and share_baseline:
        raise ConfigError(FDR_ALONE)
    if timeout is not None and not 0 < timeout <= LONGEST_TIMEOUT:
        raise ConfigError(f"timeout: {limit_words(gt=0, le=LONGEST_TIMEOUT)}, not {timeout:g}")
    seconds = DEFAULT_TIMEOUT if timeout is None else float(timeout)
    program = CallableEvaluator(evaluate, folder, seconds)
    evaluator: Evaluator = program
    if better is not None and baseline is not None:
        ends = None if value_range is None else (float(value_range[0]), float(value_range[1]))
        evaluator = AgainstBaseline(program, dict(baseline), better, ends, share_baseline)
        evaluator.check("baseline", baseline)
    found: Iterable[Candidate] = (as_candidate(value, f"candidate {i + 1}") for i, value in enumerate(candidates))
    listed = None
    if settings.mode != "stream":  # all are known from the start, so the ledger records the list
        found = list(itertools.islice(found, MAX_CANDIDATES + 1))
        listed = candidate_list(found)
    ends_list = None if value_range is None else [float(end) for end in value_range]
    recorded = evaluator_identity(
        {"callable": target_of(evaluate)},
        better,
        seconds,
        strict=strict,
        range=ends_list,
        share_baseline=share_baseline,
    )
    identity = race_identity(seed, settings, recorded, baseline, listed)
    changes = checked_changes(evaluator, baseline, found)
    plan = RacePlan(settings, evaluator, changes, identity, seed, baseline=baseline, strict=strict)
    place = Place(ledger, executor or ("inline" if workers == 1 and timeout is None else "local"), workers)
    return run_plan(plan, "race" if name is None else checked_name(name), place, observer)


def race_identity(
    seed: int, settings: RaceSettings, evaluator: Params, baseline: Params | None, candidates: Params | None
) -> dict[str, Any]:
    """Return the configuration that the ledger records for a race.

    If ``candidates`` is None, each candidate is compared with the ledger when it enters the race.
    """
    return {
        "seed": seed,
        "race": settings.identity(),
        "evaluator": dict(evaluator),
        "baseline": None if baseline is None else dict(baseline),
        "candidates": None if candidates is None else dict(candidates),
    }


def candidate_list(candidates: Iterable[Candidate]) -> dict[str, Any]:
    """Return a list of candidates as the ledger records it: in the form of a race file's table."""
    return {"list": [{**c.params, "name": c.name} for c in candidates], "grid": None, "generator": None, "limit": None}


def target_of(evaluate: Callable[..., Any] | str) -> str:
    """Return the name of a function as ``module:function``."""
    if isinstance(evaluate, str):
        return evaluate
    function: Any = evaluate if hasattr(evaluate, "__qualname__") else type(evaluate)
    return f"{function.__module__}:{function.__qualname__}"


def as_candidate(value: Any, place: str) -> Candidate:
    """Return the candidate of a table. Its name is the key ``name``, or is made from the parameters.

    Raises ConfigError with a message that begins with ``place`` if the table is not a valid candidate.
    """
    if isinstance(value, Candidate):
        value = {**value.params, "name": value.name}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{place}: {value!r} is not a table of parameters")
    params = {str(key): item for key, item in value.items() if key != "name"}
    name = str(value.get("name") or ", ".join(f"{k}={v}" for k, v in params.items()))
    if not name:
        raise ConfigError(f"{place}: a candidate needs a name or parameters")
    if not can_be_stored(name):
        raise ConfigError(f"{place}: the name {name[:100]!r} cannot be written as UTF-8 text, or has NUL characters")
    candidate = Candidate(name, params)
    try:
        return Candidate.from_json(candidate.to_json())
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{place}: parameters must be numbers, texts, lists or tables: {error}") from None


def checked_changes(
    evaluator: Evaluator, baseline: Params | None, candidates: Iterable[Candidate]
) -> Iterator[Candidate]:
    """Yield each candidate as a change of the baseline, with the contents of its files, once it is known to run."""
    if baseline is not None and "name" in baseline:
        raise ConfigError("baseline: must have parameters only, no name")
    for change in candidates:
        params = evaluator.complete(merged(baseline or {}, change.params))
        evaluator.check(f"candidate {change.name!r}", params)
        yield Candidate(change.name, params)

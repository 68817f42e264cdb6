"""Plan, run and resume races, and read them back from a ledger. ``semeai.run_race`` is defined here."""

import itertools
import json
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError, LedgerError, RunNotFound
from semeai.models import checked, merged
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import MAX_CANDIDATES, Decision, Race
from semeai.race.selection import Standing
from semeai.race.settings import RaceSettings
from semeai.runs.driver import RaceDriver
from semeai.runs.run import Observer, Place, checked_name, open_run
from semeai.work.evaluators import AgainstBaseline, Better, CallableEvaluator, Evaluator, Params, evaluator_identity
from semeai.work.jobs import Failure

if TYPE_CHECKING:
    from semeai.store.ledger import Ledger

KIND = "race"


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

    def verdict(self, name: str) -> Verdict:
        """Return the verdict on the candidate ``name``. Raises ConfigError if there is none."""
        for standing in self.standings:
            if standing.candidate.name == name:
                return standing.verdict
        raise ConfigError(f"no candidate is named {name!r}")


def run_plan(plan: RacePlan, name: str, place: Place, observer: Observer | None = None) -> RaceResult:
    """Run the race of the plan as ``name``, or resume it. Returns its result."""
    observer = observer or Observer()
    if place.executor != "inline":
        check_picklable(plan.evaluator)
    race = Race(plan.settings, plan.candidates, plan.seed)
    plan.evaluator.prepare(observer.say)
    began = time.perf_counter()
    with open_run(name, KIND, plan.identity, plan.seed, place, observer) as run:
        driver = RaceDriver(race, plan.evaluator, run, plan.retries)
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
    )


def run_race(
    evaluate: Callable[[dict[str, Any], int], Any] | str,
    candidates: Iterable[Candidate | Mapping[str, Any]],
    settings: RaceSettings | Mapping[str, Any] | None = None,
    *,
    baseline: Mapping[str, Any] | None = None,
    better: Better | None = None,
    seed: int = 1,
    workers: int = 1,
    executor: str | None = None,
    folder: str | None = None,
    ledger: str | None = None,
    name: str | None = None,
    observer: Observer | None = None,
) -> RaceResult:
    """Race the candidates with the function ``evaluate(params, seed) -> reward``. Returns the result.

    ``evaluate`` is a function or "module:function". With more than one worker it runs in worker processes, so it must
    be importable. With ``better`` ("higher" or "lower") it may return any number, which is compared with the number for
    the ``baseline``'s parameters on the same seed; each candidate is then a change of the baseline. ``settings`` may be
    a mapping. With ``ledger`` (a file or a database URL) and ``name`` every result is recorded, and the same call
    resumes the race after an interrupt.
    """
    if not callable(evaluate) and not isinstance(evaluate, str):
        raise ConfigError(f"evaluate must be a function or 'module:function', not {evaluate!r}")
    if (baseline is None) != (better is None):
        raise ConfigError("give baseline and better together, or neither")
    if (ledger is None) != (name is None):
        raise ConfigError("give ledger and name together, or neither: a race is kept under its name")
    if settings is None or isinstance(settings, Mapping):
        settings = checked(RaceSettings, settings or {})
    program = CallableEvaluator(evaluate, folder)
    evaluator: Evaluator = program
    if better is not None and baseline is not None:
        evaluator = AgainstBaseline(program, dict(baseline), better)
    found: Iterable[Candidate] = (as_candidate(value, f"candidate {i + 1}") for i, value in enumerate(candidates))
    listed = None
    if settings.mode != "stream":  # all are known from the start, so the ledger records the list
        found = list(itertools.islice(found, MAX_CANDIDATES + 1))
        listed = candidate_list(found)
    recorded = evaluator_identity({"callable": target_of(evaluate)}, better)
    identity = race_identity(seed, settings, recorded, baseline, listed)
    plan = RacePlan(settings, evaluator, changes_of(baseline, found), identity, seed)
    place = Place(ledger, executor or ("inline" if workers == 1 else "local"), workers)
    return run_plan(plan, "race" if name is None else checked_name(name), place, observer)


def race_identity(
    seed: int, settings: RaceSettings, evaluator: Params, baseline: Params | None, candidates: Params | None
) -> dict[str, Any]:
    """Return the configuration that the ledger records for a race.

    If ``candidates`` is None, each candidate is compared with the ledger when it enters the race.
    """
    return {
        "seed": seed,
        "race": settings.resolved().model_dump(mode="json"),
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


def check_picklable(evaluator: Evaluator) -> None:
    """Raise ConfigError if the evaluator cannot be sent to workers."""
    try:
        pickle.dumps(evaluator)
    except Exception as error:  # whatever a user's object does when it is pickled
        raise ConfigError(
            f"the program cannot be sent to workers ({error}): "
            "use a function of a module, not a lambda or an inner function, or workers=1"
        ) from None


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
    candidate = Candidate(name, params)
    try:
        return Candidate.from_json(candidate.to_json())
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{place}: parameters must be numbers, texts, lists or tables: {error}") from None


def changes_of(baseline: Params | None, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield each candidate with the parameters of the baseline, overridden by its own."""
    if baseline is not None and "name" in baseline:
        raise ConfigError("baseline: must have parameters only, no name")
    for change in candidates:
        yield Candidate(change.name, merged(baseline or {}, change.params))


def replay(ledger: "Ledger", name: str) -> Race | None:
    """Return the current state of a recorded race, computed from the ledger alone; None before its first batch."""
    run = ledger.run(name)
    if run.kind != KIND:
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a race")
    # Batches are read first: a live run may add candidates meanwhile, but every batch read has its candidate.
    batches = list(ledger.batches(run.id))
    found = [Candidate(row["name"], json.loads(row["params"])) for row in ledger.rows("candidates", run.id)]
    if not found:
        return None
    race = Race(RaceSettings.model_validate(run.config["race"]), found, run.seed)
    for recorded in batches:
        if race.ask() != recorded.batch:
            number = recorded.batch.number
            raise LedgerError(f"run {name!r} cannot be replayed by this version of semeai from batch {number}")
        if recorded.counts is None:
            race.fail(recorded.batch.number)
        else:
            race.tell(recorded.batch.number, recorded.counts)
    return race

"""Races: the plan of one, how it is run and resumed, and how it is read back. ``semeai.run_race`` is here."""

import json
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError, LedgerError, RunNotFound
from semeai.models import checked, merged
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Decision, Race
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
    """All that decides what a race does: the same plan gives the same race, wherever it is run."""

    settings: RaceSettings
    evaluator: Evaluator
    candidates: Iterable[Candidate]
    identity: Mapping[str, Any]
    """What a ledger records of it, and compares when the run is resumed."""
    seed: int = 1
    retries: int = 0


@dataclass(frozen=True)
class RaceResult:
    """What a race found, and how."""

    accepted: list[Candidate]
    decisions: list[Decision]
    standings: list[Standing]
    n_evaluations: int
    seconds: float
    finished: bool
    """False: stopped before its end; it can be resumed if a ledger keeps it."""
    failures: list[Failure] = field(default_factory=list)
    """Why candidates failed, with the standard error of their programs."""
    digest: str | None = None
    """Digest of the run in its ledger."""
    n_lost_jobs: int = 0

    def verdict(self, name: str) -> Verdict:
        """Return the verdict on the candidate ``name``."""
        for standing in self.standings:
            if standing.candidate.name == name:
                return standing.verdict
        raise ConfigError(f"no candidate is named {name!r}")


def run_plan(plan: RacePlan, name: str, place: Place, observer: Observer | None = None) -> RaceResult:
    """Start the run ``name`` of the plan, or resume it."""
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
    """Race ``evaluate(params, seed) -> reward`` over the candidates.

    ``evaluate`` is a function or "module:function"; ``settings`` may be a table of them. With more than one worker it
    runs in processes, so it must be importable. With ``better`` ("higher" or "lower") it may return any number, which
    is compared with that of the ``baseline``'s parameters on the same seed; each candidate is then a change of the
    baseline. With ``ledger`` (a file or a database URL) and ``name`` every result is kept, and the same call resumes
    the race after an interrupt.
    """
    if not callable(evaluate) and not isinstance(evaluate, str):
        raise ConfigError(f"what is raced is a function or 'module:function', not {evaluate!r}")
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
    found = (as_candidate(value, f"candidate {i + 1}") for i, value in enumerate(candidates))
    recorded = evaluator_identity({"callable": target_of(evaluate)}, better)
    identity = race_identity(seed, settings, recorded, baseline, None)
    plan = RacePlan(settings, evaluator, changes_of(baseline, found), identity, seed)
    place = Place(ledger, executor or ("inline" if workers == 1 else "local"), workers)
    return run_plan(plan, "race" if name is None else checked_name(name), place, observer)


def race_identity(
    seed: int, settings: RaceSettings, evaluator: Params, baseline: Params | None, candidates: Params | None
) -> dict[str, Any]:
    """Return what a ledger records of a race; without ``candidates`` they are compared only as they enter."""
    return {
        "seed": seed,
        "race": settings.resolved().model_dump(mode="json"),
        "evaluator": dict(evaluator),
        "baseline": None if baseline is None else dict(baseline),
        "candidates": None if candidates is None else dict(candidates),
    }


def target_of(evaluate: Callable[..., Any] | str) -> str:
    """Return a function as ``module:function``."""
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
            "use a function of a module, not a lambda or an inner one, or workers=1"
        ) from None


def as_candidate(value: Any, place: str) -> Candidate:
    """Return a candidate from a table; its ``name`` is taken out, or made from its parameters."""
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
    """Yield each candidate as a change: the baseline's parameters, and its own instead of those it names."""
    if baseline is not None and "name" in baseline:
        raise ConfigError("baseline: it has parameters only, no name")
    for change in candidates:
        yield Candidate(change.name, merged(baseline or {}, change.params))


def replay(ledger: "Ledger", name: str) -> Race | None:
    """Return the race of a recorded run as it stands now, from the ledger alone; None before its first batch."""
    run = ledger.run(name)
    if run.kind != KIND:
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a race")
    # Batches first: a live run may add candidates in between, but no batch whose candidate is not there.
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

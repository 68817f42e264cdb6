"""One run from its configuration to its result: what ``semeai race`` and ``semeai.run_race`` do."""

import contextlib
import json
import pickle
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TypeVar

from semeai.errors import ConfigError, LedgerError, RunNotFound
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Decision, Race
from semeai.race.selection import Standing
from semeai.race.settings import RaceSettings, checked_settings
from semeai.runs.driver import Driver
from semeai.runs.race_file import RaceConfig, as_candidate, changes_of
from semeai.store import schema
from semeai.store.ledger import DEFAULT_LEDGER, Ledger, RunWriter, counts_from_json
from semeai.work.evaluators import AgainstBaseline, Better, CallableEvaluator, Evaluator
from semeai.work.executors import ResilientPool, default_workers, executor_factory
from semeai.work.jobs import Failure


@dataclass(frozen=True)
class RaceResult:
    """What a race found, and how."""

    accepted: list[Candidate]
    decisions: list[Decision]
    standings: list[Standing]
    n_evaluations: int
    seconds: float
    finished: bool  # False: stopped before its end, and it can be resumed
    failures: list[Failure] = field(default_factory=list)  # why candidates failed, with what their programs said
    digest: str | None = None  # of the run in its ledger
    n_lost_jobs: int = 0

    def verdict(self, name: str) -> Verdict:
        for standing in self.standings:
            if standing.candidate.name == name:
                return standing.verdict
        raise ConfigError(f"no candidate is named {name!r}")


@dataclass
class Callbacks:
    """How a run is watched; none of it changes what the run does."""

    on_start: Callable[[Driver], object] = lambda driver: None
    on_decision: Callable[[Decision], object] = lambda decision: None
    on_progress: Callable[[Driver], object] = lambda driver: None
    on_stop: Callable[[Driver], object] = field(default=lambda driver: None)


def run_config(
    config: RaceConfig,
    folder: Path,
    *,
    name: str,
    ledger: str,
    workers: int | None = None,
    callbacks: Callbacks | None = None,
    pool: ResilientPool | None = None,
) -> RaceResult:
    """Start the run ``name`` of ``config``, or resume it, in the ledger at ``ledger``; ``pool``: workers to share."""
    executor_factory(config.executor.name)
    evaluator = config.make_evaluator(folder)
    race = Race(config.race, config.make_candidates(folder), config.seed)
    store = Ledger(ledger)
    try:
        writer = store.open_run(name, "race", config.identity(), config.seed, versions())
        try:
            return _run(
                race,
                evaluator,
                config.executor.name,
                workers or config.executor.workers,
                writer,
                config.evaluator.retries,
                callbacks or Callbacks(),
                pool,
            )
        finally:
            writer.close()
    finally:
        store.close()


def run_race(
    evaluate: Callable[[dict[str, Any], int], Any] | str,
    candidates: Iterable[Candidate | Mapping[str, Any]],
    settings: RaceSettings | Mapping[str, Any] | None = None,
    *,
    baseline: Mapping[str, Any] | None = None,
    better: Better | None = None,
    seed: int = 1,
    workers: int = 1,
    folder: str | None = None,
    callbacks: Callbacks | None = None,
) -> RaceResult:
    """Race ``evaluate(params, seed) -> reward`` over the candidates, in memory.

    ``evaluate`` is a function or "module:function"; ``settings`` may be a table of them. With more than one worker it
    runs in processes, so it must be importable. With ``better`` ("higher" or "lower") it may return any number, which
    is compared with that of the ``baseline``'s parameters on the same seed; each candidate is then a change of the
    baseline.
    """
    if not callable(evaluate) and not isinstance(evaluate, str):
        raise ConfigError(f"what is raced is a function or 'module:function', not {evaluate!r}")
    if (baseline is None) != (better is None):
        raise ConfigError("give baseline and better together, or neither")
    if isinstance(settings, Mapping):
        settings = checked_settings(settings)
    program = CallableEvaluator(evaluate, folder)
    evaluator: Evaluator = program
    if better is not None and baseline is not None:
        evaluator = AgainstBaseline(program, dict(baseline), better)
    found = (as_candidate(value, f"candidate {i + 1}") for i, value in enumerate(candidates))
    race = Race(settings or RaceSettings(), changes_of(baseline, found), seed)
    executor = "inline" if workers == 1 else "local"
    return _run(race, evaluator, executor, workers, None, 0, callbacks or Callbacks())


def _run(
    race: Race,
    evaluator: Evaluator,
    executor: str,
    workers: int | None,
    writer: RunWriter | None,
    retries: int,
    callbacks: Callbacks,
    shared: ResilientPool | None = None,
) -> RaceResult:
    if executor != "inline":
        check_picklable(evaluator)
    state = "error"
    began = time.perf_counter()
    with use_pool(shared, executor, workers) as pool:
        driver = Driver(
            race, evaluator, pool, writer, retries=retries,
            on_decision=callbacks.on_decision, on_progress=callbacks.on_progress,
        )  # fmt: skip
        signals = stopping_on_signals(driver, callbacks.on_stop) if writer else contextlib.nullcontext()
        try:
            if writer:
                writer.set_state("running")
            with signals:
                callbacks.on_start(driver)
                driver.run()
            state = "finished" if race.finished else "interrupted"
        except KeyboardInterrupt:
            if writer is None:  # there is nothing to keep: Ctrl-C is the caller's
                raise
            state = "interrupted"
        finally:
            if writer:
                writer.set_state(state)
    return RaceResult(
        race.accepted,
        race.decisions,
        race.standings,
        race.n_evaluations,
        time.perf_counter() - began,
        state == "finished",
        driver.failures,
        writer.ledger.digest(writer.run_id) if writer else None,
        pool.n_lost,
    )


def use_pool(
    shared: ResilientPool | None, executor: str, workers: int | None
) -> contextlib.AbstractContextManager[ResilientPool]:
    """Workers that stay when a run has ended, or its own, that end with it."""
    if shared is not None:
        return contextlib.nullcontext(shared)
    return ResilientPool(executor_factory(executor), default_workers() if workers is None else workers)


def check_picklable(evaluator: Evaluator) -> None:
    try:
        pickle.dumps(evaluator)
    except Exception as error:  # whatever a user's object does when it is pickled
        raise ConfigError(
            f"the program cannot be sent to workers ({error}): "
            "use a function of a module, not a lambda or an inner one, or workers=1"
        ) from None


class Stoppable(Protocol):
    """What runs until it is told to stop."""

    stopping: bool
    dropping: bool

    def stop(self) -> None: ...


D = TypeVar("D", bound=Stoppable)


@contextlib.contextmanager
def stopping_on_signals(driver: D, on_stop: Callable[[D], object]) -> Iterator[None]:
    """Ctrl-C or SIGTERM: finish what is under way. Once more: drop it. A third time: at once, wherever we are."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals belong to the main thread: whoever runs us elsewhere stops us with driver.stop()
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if driver.dropping:
            raise KeyboardInterrupt
        is_first = not driver.stopping
        driver.stop()
        if is_first:
            on_stop(driver)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def replay(ledger: Ledger, name: str) -> Race | None:
    """The race of a recorded run as it stands now, from the ledger alone; None before its first batch."""
    run = ledger.run(name)
    if run.kind != "race":
        raise RunNotFound(f"run {name!r} is of kind {run.kind!r}, not a race")
    # Batches first: a live run may add candidates in between, but no batch whose candidate is not there.
    batches = list(ledger.rows(schema.batches, run.id))
    found = [Candidate(row["name"], json.loads(row["params"])) for row in ledger.rows(schema.candidates, run.id)]
    if not found:
        return None
    race = Race(RaceSettings.model_validate(run.config["race"]), found, run.seed)
    for row in batches:
        batch = race.ask()
        if batch != (row["number"], row["candidate"], row["start"], row["size"]):
            raise LedgerError(f"run {name!r} cannot be replayed by this version of semeai from batch {row['number']}")
        if row["counts"] is None:
            race.fail(row["number"])
        else:
            race.tell(row["number"], counts_from_json(row["counts"]))
    return race


def versions() -> dict[str, str]:
    names = ("semeai", "numpy", "sqlalchemy", "pydantic")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def default_ledger(config: RaceConfig, folder: Path) -> str:
    """Where a configuration keeps its runs: as it says, or beside the file."""
    if config.ledger is None:
        return str(folder / DEFAULT_LEDGER)
    return config.ledger if "://" in config.ledger else str(folder / config.ledger)

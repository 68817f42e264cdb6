"""Common parts of all kinds of runs: the ledger's row with lock and state, workers, signals, and an observer."""

import contextlib
import platform
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import FrameType
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError
from semeai.models import checked
from semeai.work.cluster.settings import ExecutorTable, is_cluster
from semeai.work.executors import EXECUTORS, default_workers
from semeai.work.parcels import Pool
from semeai.work.pool import ResilientPool

if TYPE_CHECKING:
    from sqlalchemy import Table

    from semeai.race.race import Decision
    from semeai.store.writer import RunWriter

LONGEST_NAME = 200
"""Maximum length of a run's name."""


class Driver(ABC):
    """Executes one run to its end, or until ``stop`` is called."""

    def __init__(self) -> None:
        self.stopping = False
        self.dropping = False
        self.n_resumed = 0
        """Results taken from the ledger."""
        self.n_new = 0
        """Results of this session."""
        self.started = time.perf_counter()

    @property
    @abstractmethod
    def finished(self) -> bool:
        """True if the run has come to its end."""

    @abstractmethod
    def run(self) -> None:
        """Work until the end, or until ``stop`` was called and the work under way is finished."""

    def stop(self) -> None:
        """Start no new work; finish and record the work under way. A second call drops that too.

        It only sets flags, because a signal handler may call it at any moment.
        """
        self.dropping = self.stopping
        self.stopping = True

    @property
    def rate(self) -> float:
        """New results per second."""
        elapsed = time.perf_counter() - self.started
        return self.n_new / elapsed if elapsed > 0 else 0.0


class Observer:
    """Callbacks that watch a run and do not change it. Override the methods that you need."""

    def say(self, text: str) -> None:
        """Called before slow preparations, such as compiling."""

    def start(self, driver: Any) -> None:
        """Called when the run is open, before its first result."""

    def progress(self, driver: Any) -> None:
        """Called several times per second while results come in, and at the end."""

    def decision(self, decision: "Decision") -> None:
        """Called with each verdict of a race, after it was recorded."""

    def warning(self, text: str) -> None:
        """Called once for each thing that looks like a mistake, such as a parameter that the program never reads."""

    def stop(self, driver: Any) -> None:
        """Called when a signal stops the run, before it finishes the work under way."""


@dataclass(frozen=True)
class Place:
    """The ledger and the workers of a run. They are not part of its identity."""

    ledger: str | None = None
    """File or database URL; None records nothing."""
    executor: str = "local"
    """Name of an executor, address of a dask scheduler (``dask://HOST:PORT``), or a batch system (``slurm``)."""
    workers: int | None = None
    """Number of workers; None means one per core, or all of a cluster."""
    pool: Pool | None = None
    """Workers shared with other runs; they stay when the run ends."""
    table: ExecutorTable | None = None
    """Further settings of the executor, such as the queue of a batch system."""

    def open_pool(self, observer: Observer) -> contextlib.AbstractContextManager[Pool]:
        """Return the shared worker pool, or a new one that ends with the run."""
        if self.pool is not None:
            return contextlib.nullcontext(self.pool)
        if is_cluster(self.executor):
            from semeai.work.cluster.connect import connect
            from semeai.work.cluster.pool import ClusterPool

            table = self.table or checked(ExecutorTable, {"name": self.executor}, "executor")
            return ClusterPool(connect(table), self.workers, observer.say, observer.warning)
        return ResilientPool(EXECUTORS[self.executor], default_workers() if self.workers is None else self.workers)


def place_of(table: ExecutorTable, ledger: str | None, executor: str | None, workers: int | None) -> Place:
    """Return the place of a run. ``executor`` and ``workers``, if given, override the table of its file."""
    if executor is not None:
        checked(ExecutorTable, {"name": executor}, "--executor")
    chosen = table.replaced(executor, workers)
    return Place(ledger, chosen.name, chosen.workers, table=chosen)


def place_named(ledger: str | None, executor: str | None = None, workers: int | None = None) -> Place:
    """Return the place of a run that has no file. Raises ConfigError if there is no such executor."""
    return place_of(ExecutorTable(), ledger, executor, workers)


@dataclass
class Run:
    """An open run."""

    pool: Pool
    writer: "RunWriter | None"
    observer: Observer
    state: str = "error"
    """State that is recorded when it ends: finished, interrupted or error."""
    in_process: bool = False
    """Whether the work is done in this process, so that the driver cannot drop it between two steps."""
    digest: str | None = None
    """Digest of the recorded run; None without a ledger, before the end and after an error."""

    def drive(self, driver: Driver) -> None:
        """Run the driver and call the observer. Signals stop the driver if a ledger allows it to resume later.

        A signal that ends it at once is no error either. Without a ledger, KeyboardInterrupt is the caller's.
        """
        if self.writer is not None:
            self.writer.ledger.gives_up = lambda: driver.dropping
        signals = stopping_on_signals(driver, self.observer, self.in_process)
        try:
            with signals if self.writer else contextlib.nullcontext():
                self.observer.start(driver)
                driver.run()
            self.state = "finished" if driver.finished else "interrupted"
        except KeyboardInterrupt:
            if self.writer is None:
                raise
            self.state = "interrupted"


@contextlib.contextmanager
def open_run(
    name: str,
    kind: str,
    identity: Mapping[str, Any],
    seed: int,
    place: Place,
    observer: Observer | None = None,
    tables: Sequence["Table"] = (),
) -> Iterator[Run]:
    """Yield the run, new or resumed, with lock, state and workers; ``tables`` are the additional tables of its kind."""
    with contextlib.ExitStack() as stack:
        writer = None
        if place.ledger is not None:
            from semeai.store.ledger import Ledger

            store = stack.enter_context(contextlib.closing(Ledger(place.ledger)))
            store.say = (observer or Observer()).say
            opened = store.open_run(checked_name(name, "the run's name"), kind, identity, seed, versions(), tables)
            writer = stack.enter_context(contextlib.closing(opened))
        stack.enter_context(_interrupted_by_term())
        pool, in_process = stack.enter_context(place.open_pool(observer or Observer())), place.executor == "inline"
        run = Run(pool, writer, observer or Observer(), in_process=in_process)
        if writer is None:
            yield run
            return
        writer.set_state("running")
        try:
            yield run
        except KeyboardInterrupt:
            run.state = "interrupted"
            raise
        finally:
            writer.set_state(run.state)
        run.digest = store.digest(writer.run_id)


@contextlib.contextmanager
def _interrupted_by_term() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C while a run is open and no driver handles signals, so that it ends its workers."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def stopping_on_signals(driver: Driver, observer: Observer, in_process: bool = False) -> Iterator[None]:
    """Stop on Ctrl-C or SIGTERM: the first finishes the work under way, the second drops it, the third ends at once.

    Work ``in_process`` is dropped by an exception, so the second signal ends at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can set signal handlers; elsewhere the caller uses driver.stop()
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if driver.dropping or (driver.stopping and in_process):
            raise KeyboardInterrupt
        is_first = not driver.stopping
        driver.stop()
        if is_first:
            observer.stop(driver)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def versions() -> dict[str, str]:
    """Return the versions of Python and the libraries that the ledger records with a run."""
    names = ("semeai", "numpy", "sqlalchemy", "pydantic")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def checked_name(name: str, place: str = "name") -> str:
    """Return the name of a run. Raises ConfigError if it is empty or too long, or if no ledger can keep it."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise ConfigError(f"{place}: must have 1 to {LONGEST_NAME} characters, not {len(name)}")
    if not can_be_stored(name):
        raise ConfigError(f"{place}: {name!r} cannot be written as UTF-8 text, or has NUL characters")
    return name


def can_be_stored(text: str) -> bool:
    """Return whether a ledger can keep the text: PostgreSQL takes no NUL, and no database takes half a character."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False

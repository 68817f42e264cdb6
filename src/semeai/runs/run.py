"""What every kind of run has: a row in the ledger with its lock and its state, workers, signals, an observer."""

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
from semeai.work.executors import EXECUTORS, default_workers
from semeai.work.pool import ResilientPool

if TYPE_CHECKING:
    from sqlalchemy import Table

    from semeai.race.race import Decision
    from semeai.store.writer import RunWriter

LONGEST_NAME = 200
"""Maximum length of a run's name."""


class Driver(ABC):
    """Drives one run to its end, or until it is told to stop."""

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
        """Whether the run has come to its end."""

    @abstractmethod
    def run(self) -> None:
        """Work until the end, or until ``stop`` was called and the work under way has come back."""

    def stop(self) -> None:
        """Start nothing new; finish and record what workers have begun. Called again: drop that too.

        It only leaves word, because a signal may call it in the middle of anything.
        """
        self.dropping = self.stopping
        self.stopping = True

    @property
    def rate(self) -> float:
        """New results per second."""
        elapsed = time.perf_counter() - self.started
        return self.n_new / elapsed if elapsed > 0 else 0.0


class Observer:
    """Watches a run; nothing here changes what the run does. Override what you need."""

    def say(self, text: str) -> None:
        """Called before slow preparations, such as compiling."""

    def start(self, driver: Any) -> None:
        """Called once the run is open and before its first result."""

    def progress(self, driver: Any) -> None:
        """Called several times per second while results come in, and at the end."""

    def decision(self, decision: "Decision") -> None:
        """Called with each verdict of a race, after it was kept."""

    def stop(self, driver: Any) -> None:
        """Called when the run was told to stop and finishes the work under way."""


@dataclass(frozen=True)
class Place:
    """Where a run is kept and who works for it: no part of what the run is."""

    ledger: str | None = None
    """File or URL; None keeps nothing."""
    executor: str = "local"
    workers: int | None = None
    """Default: the cores."""
    pool: ResilientPool | None = None
    """Workers to share with other runs; they stay when the run ends."""

    def open_pool(self) -> contextlib.AbstractContextManager[ResilientPool]:
        """Return the shared workers, or new ones that end with the run."""
        if self.pool is not None:
            return contextlib.nullcontext(self.pool)
        return ResilientPool(EXECUTORS[self.executor], default_workers() if self.workers is None else self.workers)


@dataclass
class Run:
    """A run under way."""

    pool: ResilientPool
    writer: "RunWriter | None"
    observer: Observer
    state: str = "error"
    """How it is recorded when it ends: finished, interrupted or error."""
    digest: str | None = None
    """Digest of what the ledger has of it, once it has ended without an error."""

    def drive(self, driver: Driver) -> None:
        """Run the driver, under the eyes of the observer; signals stop it if there is something to resume later."""
        signals = stopping_on_signals(driver, self.observer) if self.writer else contextlib.nullcontext()
        with signals:
            self.observer.start(driver)
            driver.run()
        self.state = "finished" if driver.finished else "interrupted"


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
    """Create the run, or resume it, with its lock, its state and its workers; ``tables`` hold rows of its kind.

    An interrupt by the third signal ends the block quietly if a ledger keeps the run; else it is the caller's.
    """
    with contextlib.ExitStack() as stack:
        writer = None
        if place.ledger is not None:
            from semeai.store.ledger import Ledger

            store = stack.enter_context(contextlib.closing(Ledger(place.ledger)))
            opened = store.open_run(name, kind, identity, seed, versions(), tables)
            writer = stack.enter_context(contextlib.closing(opened))
        run = Run(stack.enter_context(place.open_pool()), writer, observer or Observer())
        if writer is None:
            yield run
            return
        writer.set_state("running")
        try:
            yield run
        except KeyboardInterrupt:
            run.state = "interrupted"
        finally:
            writer.set_state(run.state)
        run.digest = store.digest(writer.run_id)


@contextlib.contextmanager
def stopping_on_signals(driver: Driver, observer: Observer) -> Iterator[None]:
    """Stop on Ctrl-C or SIGTERM: first finish the work under way, then drop it, the third time end at once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals belong to the main thread: whoever runs us elsewhere stops us with driver.stop()
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if driver.dropping:
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
    """Return the versions that a ledger records with a run."""
    names = ("semeai", "numpy", "sqlalchemy", "pydantic")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def checked_name(name: str, place: str = "name") -> str:
    """Return a run's name. Raises ConfigError if it is empty or too long."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise ConfigError(f"{place}: must have 1 to {LONGEST_NAME} characters, not {len(name)}")
    return name

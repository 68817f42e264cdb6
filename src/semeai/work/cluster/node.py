"""The worker's side of a cluster: what runs inside a ``dask worker`` process.

The dask worker itself only supervises. The work is done in a process of its own, by the same pool as on one machine: so
a program that crashes or hangs costs that process and not the worker, and time limits hold.
"""

import contextlib
import fcntl
import functools
import hashlib
import importlib
import multiprocessing
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semeai import mirror
from semeai.errors import ConfigError, SemeaiError, WorkersLost
from semeai.fingerprint import difference, fingerprint
from semeai.work.cluster.messages import Answer, Contents, Greeting, NodeReport, Offer, Order, Outcome
from semeai.work.deaths import Death
from semeai.work.executors import local_processes
from semeai.work.jobs import Task
from semeai.work.needs import Setup, digests, missing_programs
from semeai.work.packing import loaded
from semeai.work.pool import ResilientPool

LOOK_SECONDS = 0.1  # between two looks whether the work is still wanted
IDLE_SECONDS = 120.0  # after which a process without work ends
KEPT_SETUPS = 16
KEPT_SECONDS = 86_400.0  # after which copies of files that no worker of this machine needs are removed
RATE_TASKS = 256  # tasks over which the rate is measured
RATE_SECONDS = 60.0

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""The cores of a machine are used by several workers, each with one thread."""


class Unfit(SemeaiError):
    """This machine cannot do the work."""


# -- in the process that does the work --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready:
    """A setup that this machine has accepted."""

    digest: str
    setup: bytes = field(compare=False, repr=False)
    modules: tuple[str, ...] = field(compare=False)
    folder: str = field(compare=False)
    root: str = field(compare=False)
    """Folder with copies of the setup's files; empty if they are where their paths say."""


@dataclass(frozen=True)
class OnNode:
    """A task with its setup, which is prepared before the first task."""

    task: Task
    ready: Ready

    @property
    def label(self) -> str:
        return self.task.label

    @property
    def time_limit(self) -> float | None:
        return self.task.time_limit

    @property
    def retries(self) -> int:
        return self.task.retries

    def run(self) -> Any:
        _enter(self.ready)
        return self.task.run()

    def lost(self, death: Death) -> Any:
        return _Lost(self.task.lost(death))


@dataclass(frozen=True)
class _Lost:
    """The result of a task that failed with its process, to count it."""

    result: Any


_entered: Ready | None = None


def _enter(ready: Ready) -> None:
    """Make this process ready for the tasks of a setup."""
    global _entered
    if ready != _entered:
        mirror.use(ready.root)
        with contextlib.suppress(OSError):  # it may have no such folder, and most programs need none
            os.chdir(mirror.located(ready.folder))
        _prepare(ready)
        _entered = ready


@functools.lru_cache(maxsize=8)
def _prepare(ready: Ready) -> None:
    """Import, load and compile. One process of a machine does it first; then the others find the compiled code."""
    try:
        for name in ready.modules:
            importlib.import_module(name)
        setup: Setup = loaded(ready.setup, "the program")
        marker = _marker(ready.digest)
        with contextlib.nullcontext() if _is_prepared(ready.digest) else _alone(marker):
            setup.prepare(lambda text: None)
            marker.write_text(_kernel_cache(), encoding="utf-8")
    except (Exception, SystemExit) as error:
        if isinstance(error, SemeaiError):
            raise Unfit(str(error)) from error
        raise Unfit(f"{type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _alone(marker: Path) -> Iterator[None]:
    """Let the other processes of this machine wait until this one is done."""
    with open(marker.with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _kernel_cache() -> str:
    """Return the folder of compiled kernels; empty if this process has none."""
    jit = sys.modules.get("semeai.jit")
    return str(jit.cache_directory() or "") if jit is not None else ""


def _is_prepared(digest: str) -> bool:
    """Return whether a process of this machine has prepared a setup, and the kernels are still there."""
    try:
        cache = _marker(digest).read_text(encoding="utf-8")
    except OSError:
        return False
    return not cache or os.path.isdir(cache)


def _marker(digest: str) -> Path:
    """Return the file that says that a setup is prepared, and where its kernels are."""
    place = os.environ.get("SEMEAI_CACHE_DIR", "")
    return own_folder() / f"ready-{hashlib.sha256(f'{digest} {place}'.encode()).hexdigest()[:16]}"


@functools.cache
def own_folder() -> Path:
    """Return this user's folder on this machine. Raises ConfigError if somebody else has made it."""
    folder = Path(tempfile.gettempdir()) / f"semeai-node-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    stat = folder.lstat()
    if stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        raise ConfigError(f"{folder}: must belong to this user alone")
    return folder


def keep(used: Iterable[str | Path]) -> None:
    """Note which copies and markers are in use, and remove those that were not in use for a long time."""
    for place in used:
        with contextlib.suppress(OSError):
            os.utime(place)
    for place in (*own_folder().glob("files/*"), *own_folder().glob("ready-*")):
        with contextlib.suppress(OSError):  # another worker of this machine may remove it at the same time
            if time.time() - place.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink()


# -- in the dask worker -----------------------------------------------------------------------------------------------


@dataclass
class _Idle:
    pool: ResilientPool
    session: str
    since: float


class Node:
    """All that a dask worker knows: the setups that it has accepted, and its processes."""

    def __init__(self) -> None:
        os.environ.update(_ONE_THREAD)
        # Dask marks its workers as daemons, which may have no child processes. These end with their parent in any case.
        multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
        self.host = socket.gethostname()
        self._lock = threading.Lock()
        self._setups: dict[str, Ready] = {}
        self._held: dict[str, int] = {}
        self._idle: list[_Idle] = []
        self._n_tasks = self._n_failures = self._n_crashes = 0
        self._done: deque[tuple[float, int]] = deque(maxlen=RATE_TASKS)
        self._n_working = self._n_preparing = 0
        threading.Thread(target=self._end_idle, daemon=True, name="semeai-idle").start()

    # -- first contact

    def greet(self, offer: Offer) -> Greeting:
        """Accept an offer, ask for its files, or refuse it."""
        if text := difference(dict(offer.fingerprint), fingerprint()):
            return Greeting(self.host, text)
        if absent := missing_programs(offer.programs):
            return Greeting(self.host, f"it has no program {absent[0]!r}")
        there = digests(offer.places)
        if others := [path for path, digest in offer.places.items() if there[path] != digest]:
            what = "it has another file" if there[others[0]] else "it has no file or folder"
            return Greeting(self.host, f"{what} {others[0]!r}; it does not travel")
        root = ""
        if digests(offer.files) != offer.files:
            root = self._root(offer.digest)
            with contextlib.suppress(OSError):  # it is not there yet, or another worker removes it at this moment
                keep([root])
            copies = {path: mirror.place_of(path, root) for path in offer.files}
            kept = digests(copies.values())
            if any(kept[copy] != offer.files[path] for path, copy in copies.items()):
                return Greeting(self.host, wants_files=True)
        with self._lock:
            self._setups[offer.digest] = Ready(offer.digest, offer.setup, offer.modules, offer.folder, root)
            while len(self._setups) > KEPT_SETUPS:
                del self._setups[next(iter(self._setups))]
        return Greeting(self.host)

    def take_files(self, offer: Offer, found: Contents) -> Greeting:
        """Keep copies of files, and accept the offer."""
        for path, (mode, data) in found.items():
            copy = Path(mirror.place_of(path, self._root(offer.digest)))
            copy.parent.mkdir(parents=True, exist_ok=True)
            part = copy.with_name(f".{copy.name}.{os.getpid()}")  # several workers of a machine may write it
            part.write_bytes(data)
            part.chmod(mode & 0o700)
            part.replace(copy)
        return self.greet(offer)

    def _root(self, digest: str) -> str:
        return str(own_folder() / "files" / digest[:16])

    # -- work

    def hold(self, session: str, generation: int) -> None:
        """Begin no more orders of a session, up to a generation."""
        self._held[session] = max(generation, self._held.get(session, -1))

    def forget(self, session: str) -> None:
        """End the idle processes of a session that is over."""
        self.hold(session, 1 << 62)
        self._close([idle for idle in self._idle if idle.session == session])

    def work_off(self, order: Order, address: str, wanted: Callable[[], bool]) -> Answer:
        """Do the work of an order while it is ``wanted``."""
        if order.generation <= self._held.get(order.session, -1):
            return Answer("held")
        ready = self._setups.get(order.setup)
        if ready is None:
            return Answer("unknown", worker=address, host=self.host)
        pool = self._take(order.session)
        kept = False
        self._n_working += 1
        n_preparing = 0 if _is_prepared(ready.digest) else 1
        self._n_preparing += n_preparing
        began = time.monotonic()
        try:
            results = self._run(pool, order, ready, wanted)
            kept = results is not None
            outcome: Outcome = "done" if kept else "dropped"
            return Answer(outcome, results or [], address, self.host, seconds=time.monotonic() - began)
        except Unfit as error:
            return Answer("unfit", [], address, self.host, str(error))
        except WorkersLost as error:
            return Answer("lost", [], address, self.host, str(error))
        finally:
            self._n_working -= 1
            self._n_preparing -= n_preparing
            self._n_crashes += pool.n_lost
            pool.n_lost = 0
            if kept:
                with self._lock:
                    self._idle.append(_Idle(pool, order.session, time.monotonic()))
            else:
                pool.close()

    def _run(self, pool: ResilientPool, order: Order, ready: Ready, wanted: Callable[[], bool]) -> list[Any] | None:
        """Return the results of an order's tasks; None if they are not wanted any more."""
        try:
            tasks = loaded(order.tasks, "its work")
        except ConfigError as error:
            raise Unfit(str(error)) from error
        pool.submit([OnNode(task, ready) for task in tasks])
        while True:
            for _, results in pool.wait(LOOK_SECONDS):
                self._n_tasks += len(results)
                self._done.append((time.monotonic(), len(results)))
                self._n_failures += sum(isinstance(result, _Lost) for result in results)
                return [result.result if isinstance(result, _Lost) else result for result in results]
            if not wanted():
                return None

    def _take(self, session: str) -> ResilientPool:
        """Return an idle process of this session, or a new one: sessions do not share what they have imported."""
        with self._lock:
            for idle in reversed(self._idle):
                if idle.session == session:
                    self._idle.remove(idle)
                    return idle.pool
        return ResilientPool(local_processes, 1)

    def _end_idle(self) -> None:
        while True:
            time.sleep(IDLE_SECONDS / 4)
            oldest = time.monotonic() - IDLE_SECONDS
            self._close([idle for idle in self._idle if idle.since < oldest])
            with contextlib.suppress(OSError):
                keep([place for r in list(self._setups.values()) for place in (r.root, _marker(r.digest))])

    def _close(self, which: list[_Idle]) -> None:
        with self._lock:
            closing = [idle for idle in which if idle in self._idle]
            self._idle = [idle for idle in self._idle if idle not in closing]
        for idle in closing:
            idle.pool.close()

    def report(self) -> NodeReport:
        now = time.monotonic()
        recent = [(when, n) for when, n in self._done if when > now - RATE_SECONDS]
        rate = sum(n for _, n in recent) / max(now - recent[0][0], 1.0) if recent else 0.0
        state = "preparing" if self._n_preparing else "working" if self._n_working else "idle"
        prepared = any(map(_is_prepared, list(self._setups)))
        return NodeReport(
            self.host, os.getpid(), self._n_tasks, rate, self._n_failures, self._n_crashes, state, prepared,
            fingerprint(),
        )  # fmt: skip


@functools.cache
def this_node() -> Node:
    return Node()


# -- what a driver calls through dask ---------------------------------------------------------------------------------


def greet(offer: Offer) -> Greeting:
    return this_node().greet(offer)


def take_files(offer: Offer, found: Contents) -> Greeting:
    return this_node().take_files(offer, found)


def hold(session: str, generation: int) -> None:
    this_node().hold(session, generation)


def forget(session: str) -> None:
    threading.Thread(target=this_node().forget, args=(session,), daemon=True).start()  # dask's own thread must not wait


def report() -> NodeReport:
    return this_node().report()


def work_off(order: Order) -> Answer:
    """Run an order as a dask task."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        known = worker.state.tasks.get(key)
        leaving = worker.status.name not in ("running", "paused", "closing_gracefully")
        return known is not None and known.state not in ("cancelled", "released", "forgotten") and not leaving

    return this_node().work_off(order, worker.address, wanted)

"""A pool of workers on other machines. It has the interface of the pool on one machine, and keeps the same promises."""

import math
import pickle
import queue
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from semeai.errors import ConfigError, SemeaiError, WorkersLost
from semeai.printable import one_line
from semeai.work.cluster.agent import Agent, Answered, Event, Greeted, Present
from semeai.work.cluster.connect import Connection
from semeai.work.cluster.messages import Answer, Order, offer
from semeai.work.deaths import Death
from semeai.work.executors import PARCELS_PER_WORKER
from semeai.work.needs import Setup
from semeai.work.parcels import Parcel, Results, Running

MOST_TRIES = 5  # of an order, if not its tasks but the cluster fails
ORDER_SECONDS = 0.2  # work of an order that makes the cost of sending it small
SHORT_WAIT = 1.0  # seconds of one look at the events
DEMAND_SECONDS = 0.5  # between two counts of the work that there is
MAY_COME = 1000  # workers that a scheduler may have soon, however few it has now


@dataclass
class _Work:
    """A parcel on its way to its results."""

    id: int
    tasks: Parcel
    answers: dict[int, Any] = field(default_factory=dict)
    alone: bool = False
    """Whether its tasks are sent one by one, because one of them may have killed its workers."""
    n_tries: int = 0
    """Times that it came back without a result, and without a fault of its own."""

    @property
    def open(self) -> list[int]:
        return [i for i in range(len(self.tasks)) if i not in self.answers]


@dataclass(frozen=True)
class _Part:
    """Tasks of a parcel that are under way. An order has one part, or several if their tasks are short."""

    work: _Work
    indices: list[int]


class ClusterPool:
    """Runs parcels of tasks on the workers of a dask scheduler, however many there are at the moment.

    Dask runs the parcels of a lost worker again. A parcel that several workers were lost with is sent task by task; a
    task that then loses workers again has the result ``Task.lost``. Workers that do not fit, for example because they
    run another version of semeai, are named and left out.
    """

    def __init__(
        self,
        connection: Connection,
        most: int | None = None,
        say: Callable[[str], object] = lambda text: None,
        warn: Callable[[str], object] = lambda text: None,
    ) -> None:
        self.name = connection.name
        self.n_lost = 0
        """Workers that were lost, or parcels that came back without a result."""
        self._connection = connection
        self._agent = Agent(connection.client, uuid.uuid4().hex[:12])
        self._most = math.inf if most is None else most
        self._say, self._warn = say, warn
        self._offer = ""  # digest of the present offer
        self._threads: dict[str, int] = {}
        self._accepted: set[str] = set()
        self._n_threads = 0  # of the accepted workers that are present; with many of them, it takes time to count
        self._refused: dict[str, str] = {}  # why, by worker
        self._warned: set[str] = set()
        self._backlog: deque[_Work] = deque()
        self._running: dict[int, list[_Part]] = {}
        self._cost = math.inf  # seconds per task, smoothed
        self._wanted: set[int] = set()
        self._held: set[int] = set()  # parcels that workers were told not to begin
        self._dropping = False
        self._generation = 0
        self._next_id = 0
        self._next_token = 0
        self._is_waiting = False
        self._counted = -math.inf  # when the demand was counted last

    # -- public interface ------------------------------------------------------------------------------------------

    @property
    def slots(self) -> int:
        """Number of parcels that the present workers can run at the same time."""
        return int(min(self._n_threads, self._most))

    @property
    def workers(self) -> int:
        """Number of workers that work is divided among: those that are there, and those that this pool asks for."""
        return max(1, self.slots, int(min(self._connection.n_expected, self._most)))

    @property
    def workers_soon(self) -> int:
        """Number of workers that may come while work of unknown length is under way."""
        return int(min(max(self.workers, MAY_COME), self._most))

    @property
    def state(self) -> str:
        """Words about the workers, for displays."""
        hosts = "1 worker" if self.slots == 1 else f"{self.slots:,} workers"
        return f"{hosts} on {self.name}"

    def begin(self, setup: Setup) -> None:
        """Set what the tasks from now on have in common. Workers get it before their first task."""
        new = offer(setup)
        if new.digest != self._offer:
            self._offer = new.digest
            self._accepted.clear()
            self._refused.clear()
            self._count()
            self._agent.introduce(new)

    def submit(self, parcel: Parcel) -> int:
        """Add ``parcel`` to the work. Returns the id with which ``wait`` returns its results."""
        work = _Work(self._next_id, parcel)
        self._next_id += 1
        self._wanted.add(work.id)
        self._backlog.append(work)
        if self._dropping:
            self._dropping = False
            self._generation += 1
        self._fill()
        return work.id

    def drop_backlog(self) -> set[int]:
        """Forget the parcels that no worker has begun, and begin none before the next ``submit``. Returns their ids.

        Some are known only after the workers have answered: a later call returns their ids.
        """
        if not self._dropping:
            self._dropping = True
            self._agent.hold(self._generation)
        if not self.slots:  # nobody is there to answer
            self._agent.cancel([*self._running])
            self._backlog.extend(part.work for parts in self._running.values() for part in parts)
            self._running.clear()
        dropped = {work.id for work in self._backlog} | self._held
        self._backlog.clear()
        self._held.clear()
        dropped &= self._wanted
        self._wanted -= dropped
        return dropped

    def abandon(self) -> None:
        """Forget all submitted work; later ``wait`` calls do not return it."""
        self.drop_backlog()
        self._agent.cancel([*self._running])
        self._running.clear()
        self._wanted.clear()
        self._ask_for_workers()

    def wait(self, timeout: float | None = None) -> list[tuple[int, Results]]:
        """Return new results by parcel id. Blocks until there are some, at most ``timeout`` seconds."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        finished: list[_Work] = []
        self._fill()
        while True:
            left = deadline - time.monotonic()
            for event in self._events(0.0 if finished else max(0.0, min(left, SHORT_WAIT))):
                finished += self._take(event)
            self._check()
            self._fill()
            self._ask_for_workers()
            if finished or left <= 0 or self._held or not self._wanted:
                break
        results = [(work.id, [work.answers[i] for i in range(len(work.tasks))]) for work in finished]
        found = [(number, answers) for number, answers in results if number in self._wanted]
        self._wanted -= {number for number, _ in found}
        return found

    def slowest(self) -> Running | None:
        """Return None: what a distant worker does at the moment is not known."""
        return None

    def close(self) -> None:
        """Drop everything. The tasks on the scheduler and the processes on the workers end."""
        self._backlog.clear()
        self._running.clear()
        self._agent.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- sending ---------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Send as many parcels as keep the workers busy. The rest can be dropped at once, and other runs get a turn."""
        if self._dropping or not self._backlog:
            return
        limited = self._most < self._n_threads
        most = self.slots if limited else PARCELS_PER_WORKER * self.slots
        only = sorted(self._accepted & self._threads.keys()) if self._refused else None
        orders = {}
        while self._backlog and len(self._running) < most:
            parts = self._next_parts(most)
            tasks = pickle.dumps([part.work.tasks[i] for part in parts for i in part.indices])
            orders[self._next_token] = Order(self._agent.session, self._generation, self._offer, tasks)
            self._running[self._next_token] = parts
            self._next_token += 1
        if orders:
            self._agent.send(orders, only)

    def _next_parts(self, most: int) -> list[_Part]:
        """Return the next parcel, or several short ones if enough are left to keep all workers busy."""
        share = max(1, len(self._backlog) // most)
        parts: list[_Part] = []
        seconds = 0.0
        while self._backlog and len(parts) < share and seconds < ORDER_SECONDS:
            if parts and (self._backlog[0].alone or parts[0].work.alone):
                break
            work = self._backlog.popleft()
            parts.append(_Part(work, work.open[:1] if work.alone else work.open))
            seconds += self._cost * len(parts[-1].indices)
        return parts

    def _ask_for_workers(self) -> None:
        """Say how many workers have something to do. Short tasks are counted by their time."""
        if self._running and time.monotonic() < self._counted + DEMAND_SECONDS:
            return
        self._counted = time.monotonic()
        works = [*self._backlog, *(part.work for parts in self._running.values() for part in parts)]
        orders = self._cost * sum(len(work.tasks) for work in works) / ORDER_SECONDS if works else 0.0
        self._connection.demand(math.ceil(min(orders, len(works), self._most)))

    # -- events ----------------------------------------------------------------------------------------------------

    def _events(self, timeout: float) -> list[Event]:
        """Return all events that are there. Waits for the first one."""
        found: list[Event] = []
        try:
            found.append(self._agent.events.get(timeout=timeout) if timeout else self._agent.events.get_nowait())
            while True:
                found.append(self._agent.events.get_nowait())
        except queue.Empty:
            return found

    def _take(self, event: Event) -> list[_Work]:
        """Take an event in. Returns the parcels that are complete now."""
        match event:
            case Answered(token, outcome):
                parts = self._running.pop(token, [])
                return self._answered(parts, outcome) if parts else []
            case Present(threads):
                gone = self._threads.keys() - threads.keys()
                self.n_lost += len(gone & self._accepted) if self._running else 0
                self._accepted -= gone
                self._refused = {worker: why for worker, why in self._refused.items() if worker in threads}
                self._threads = threads
                self._count()
            case Greeted(digest, greetings):
                if digest == self._offer:
                    for worker, greeting in greetings.items():
                        self._greeted(worker, greeting)
                    self._count()
            case ConfigError():
                raise event
        return []

    def _count(self) -> None:
        """Count the threads of the workers that may be used, after these have changed."""
        self._n_threads = sum(n for worker, n in self._threads.items() if worker in self._accepted)

    def _greeted(self, worker: str, greeting: Any) -> None:
        if isinstance(greeting, BaseException):
            self._refuse(worker, worker, f"it cannot work for semeai ({type(greeting).__name__}: {greeting})")
        elif greeting.refusal or greeting.wants_files:
            self._refuse(worker, greeting.host, greeting.refusal or "it could not keep the files that it was sent")
        else:
            self._refused.pop(worker, None)
            self._accepted.add(worker)

    def _refuse(self, worker: str, host: str, why: str) -> None:
        """Leave a worker out."""
        why = one_line(why)
        self._accepted.discard(worker)
        self._refused[worker] = f"the worker {worker} on {host} does not fit: {why}"
        if (text := f"{host}: {why}") not in self._warned:  # a machine may have many workers
            self._warned.add(text)
            if self._accepted:
                self._warn(f"{self._refused[worker]}; it is left out")

    def _answered(self, parts: list[_Part], outcome: Any) -> list[_Work]:
        """Take in the end of an order. Returns the parcels that are complete now."""
        if isinstance(outcome, Answer):
            return self._take_answer(parts, outcome)
        if type(outcome).__name__ == "KilledWorker":
            self.n_lost += 1
            return self._blame(parts, outcome)
        if isinstance(outcome, SemeaiError):
            raise outcome
        if _is_cancellation(outcome):
            return self._again(parts, "it was cancelled on the scheduler")
        return self._again(parts, f"{type(outcome).__name__}: {outcome}")

    def _take_answer(self, parts: list[_Part], answer: Answer) -> list[_Work]:
        if answer.outcome == "done":
            return self._done(parts, answer)
        if answer.outcome == "held":
            self._held |= {part.work.id for part in parts}
            return []
        if answer.outcome in ("dropped", "lost"):
            return self._again(parts, f"{answer.host}: {answer.message or 'the worker has left'}")
        if answer.outcome == "unfit":
            self._refuse(answer.worker, answer.host, answer.message)
        else:  # the worker has come, or come back, since the last look
            self._agent.forget_greetings(answer.worker)
            self._accepted.discard(answer.worker)
        self._count()
        return self._requeue(parts)

    def _done(self, parts: list[_Part], answer: Answer) -> list[_Work]:
        results = iter(answer.results)
        for part in parts:
            part.work.answers.update((i, next(results)) for i in part.indices)
            part.work.n_tries = 0
        cost = answer.seconds / max(1, len(answer.results))
        self._cost = cost if math.isinf(self._cost) else 0.8 * self._cost + 0.2 * cost
        return self._requeue(parts)

    def _requeue(self, parts: list[_Part]) -> list[_Work]:
        """Queue what is open again, before everything else. Returns the parcels that are complete."""
        self._backlog.extendleft(part.work for part in reversed(parts) if part.work.open)
        return [part.work for part in parts if not part.work.open]

    def _again(self, parts: list[_Part], why: str) -> list[_Work]:
        """Queue parcels again that have no result for reasons of the cluster. Raises WorkersLost after many tries."""
        self.n_lost += 1
        for part in parts:
            part.work.n_tries += 1
            if part.work.n_tries >= MOST_TRIES and self._agent.connected:
                label = part.work.tasks[part.indices[0]].label
                raise WorkersLost(
                    f"{label}: no worker of {self.name} could run it in {MOST_TRIES} tries; the last: {why}"
                )
        return self._requeue(parts)

    def _blame(self, parts: list[_Part], error: Exception) -> list[_Work]:
        """Blame a task that was alone for the loss of workers; send all tasks of other orders one by one."""
        for part in parts:
            if part.work.alone:
                index = part.indices[0]
                n = getattr(error, "allowed_failures", 0) + 1
                reason = f"it kills its worker, or takes longer than one lives: {n} workers were lost with it, twice"
                part.work.answers[index] = part.work.tasks[index].lost(Death(reason))
            part.work.alone = True
        return self._requeue(parts)

    def _check(self) -> None:
        """Raise if there is nobody to work for us, and nobody to wait for."""
        if self._agent.gone:
            raise WorkersLost(
                f"the scheduler {self.name} does not answer any more; all results that came in are kept: "
                "start a scheduler and workers, then the same command continues"
            )
        if self._refused and not self._accepted and self._refused.keys() >= self._threads.keys():
            raise ConfigError(next(iter(self._refused.values())))
        if not self._threads and (why := self._connection.trouble()):
            raise WorkersLost(why)
        waiting = not self.slots and bool(self._wanted)
        if waiting and not self._is_waiting and self._agent.connected and not self._threads:
            look = f"; semeai workers {address} shows them" if (address := self._connection.address) else ""
            self._say(f"waiting for workers: {self.name} has none at the moment{look}")
        self._is_waiting = waiting


def _is_cancellation(error: BaseException) -> bool:
    return "Cancelled" in type(error).__name__

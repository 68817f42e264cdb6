"""The driver's agent on dask's event loop: it sends orders, follows them, and greets workers that come.

It decides nothing. Everything that happens becomes an event, which the pool reads in its own thread.
"""

import asyncio
import contextlib
import queue
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semeai.errors import ConfigError
from semeai.work.cluster import node
from semeai.work.cluster.messages import Greeting, Offer, Order, contents

if TYPE_CHECKING:
    from distributed import Client, Future

WATCH_SECONDS = 0.5  # between two looks at the list of workers
GREET_SECONDS = 60.0  # that a worker has to answer; it may have to import semeai first
CLOSE_SECONDS = 3.0


@dataclass(frozen=True)
class Answered:
    """An order has come to its end."""

    token: int
    outcome: Any
    """An ``Answer``, or the exception that dask gave instead."""


@dataclass(frozen=True)
class Present:
    """The workers that the scheduler has now, with their numbers of threads."""

    threads: dict[str, int]


@dataclass(frozen=True)
class Greeted:
    """Workers have answered an offer."""

    digest: str
    greetings: dict[str, Greeting | BaseException]


Event = Answered | Present | Greeted | ConfigError


class Agent:
    """Talks to a dask scheduler for one session."""

    def __init__(self, client: "Client", session: str) -> None:
        self.client = client
        self.session = session
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._futures: dict[int, Future] = {}
        self._offer: Offer | None = None
        self._greeted: set[str] = set()
        self._closed = False
        self._loop(self._watch)

    def _loop(self, function: Any, *arguments: Any) -> None:
        """Start a coroutine on dask's event loop."""
        self.client.loop.add_callback(function, *arguments)

    @property
    def connected(self) -> bool:
        return bool(self.client.status == "running")

    @property
    def gone(self) -> bool:
        """Whether the scheduler did not come back in time."""
        return self.client.status in ("closing", "closed")

    # -- orders

    def send(self, orders: Mapping[int, Order], workers: Sequence[str] | None) -> None:
        """Give orders to the scheduler, by token. ``workers`` are the only ones that may take them.

        All go in one message: dask needs several times as long for one message per order.
        """
        futures = self.client.map(
            node.work_off,
            list(orders.values()),
            key=[f"semeai-{self.session}-{token}" for token in orders],
            pure=False,
            workers=None if workers is None else list(workers),
        )
        self._futures.update(zip(orders, futures, strict=True))
        self._loop(self._follow_all, dict(zip(orders, futures, strict=True)))

    async def _follow_all(self, futures: dict[int, "Future"]) -> None:
        await asyncio.gather(*(self._follow(token, future) for token, future in futures.items()))

    async def _follow(self, token: int, future: "Future") -> None:
        outcome: Any
        try:
            outcome = await future
        except BaseException as error:  # dask cancels futures with asyncio's CancelledError, which is no Exception
            outcome = error
        self._futures.pop(token, None)
        self.events.put(Answered(token, outcome))

    def cancel(self, tokens: Sequence[int]) -> None:
        """Take orders back. Workers stop those that they have begun."""
        futures = [future for token in tokens if (future := self._futures.pop(token, None)) is not None]
        if futures and self.connected:
            self._loop(self._cancel, futures)

    async def _cancel(self, futures: list["Future"]) -> None:
        with contextlib.suppress(Exception):
            await self.client.cancel(futures, force=True)

    def hold(self, generation: int) -> None:
        """Tell all workers to begin no more orders up to a generation."""
        self._loop(self._tell_all, node.hold, self.session, generation)

    async def _tell_all(self, function: Any, *arguments: Any) -> None:
        with contextlib.suppress(Exception):
            await self.client.run(function, *arguments, on_error="ignore")

    # -- workers

    def introduce(self, offer: Offer) -> None:
        """Offer a new setup to all workers, present and future."""
        self._offer = offer
        self._greeted = set()

    def forget_greetings(self, worker: str) -> None:
        """Greet a worker again: it was restarted under the same address."""
        self._greeted.discard(worker)

    async def _watch(self) -> None:
        """Follow the list of workers, and greet new ones."""
        while not self._closed:
            with contextlib.suppress(Exception):  # the scheduler may be gone; the pool sees that by itself
                if self.connected:
                    threads = dict(await self.client.nthreads())
                    self.events.put(Present(threads))
                    self._greeted &= threads.keys()
                    new = [worker for worker in threads if worker not in self._greeted]
                    if self._offer is not None and new:
                        self._greeted |= set(new)
                        self._loop(self._greet, self._offer, new)
            await asyncio.sleep(WATCH_SECONDS)

    async def _greet(self, offer: Offer, workers: list[str]) -> None:
        found = await self._ask(workers, node.greet, offer)
        wanting = [worker for worker, answer in found.items() if isinstance(answer, Greeting) and answer.wants_files]
        if wanting:
            try:
                files = contents(offer.files)
            except ConfigError as error:
                self.events.put(error)
                return
            found |= await self._ask(wanting, node.take_files, offer, files)
        self.events.put(Greeted(offer.digest, found))

    async def _ask(self, workers: list[str], function: Any, *arguments: Any) -> dict[str, Any]:
        """Call a function on each worker. Returns its answers and errors; a worker that is gone has none."""
        deadline = time.monotonic() + GREET_SECONDS
        try:
            call = self.client.run(function, *arguments, workers=workers, on_error="return")
            return dict(await asyncio.wait_for(call, deadline - time.monotonic()))
        except Exception as error:  # one silent worker must not keep the others from work
            if len(workers) == 1:
                return {workers[0]: error}
        parts = await asyncio.gather(*(self._ask([worker], function, *arguments) for worker in workers))
        return {worker: answer for part in parts for worker, answer in part.items()}

    # -- the end

    def close(self) -> None:
        """Leave no task behind on the scheduler, and no process on the workers."""
        self._closed = True
        with contextlib.suppress(Exception):
            if self.connected:
                self.client.sync(self._leave, callback_timeout=CLOSE_SECONDS)
        with contextlib.suppress(Exception):
            self.client.close(timeout=CLOSE_SECONDS)

    async def _leave(self) -> None:
        futures = list(self._futures.values())
        if futures:
            await self.client.cancel(futures, force=True)
        await self.client.run(node.forget, self.session, on_error="ignore")

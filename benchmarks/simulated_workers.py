"""Executors and races with simulated workers: a thousand of them on a machine that has two cores."""

import heapq
import itertools
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple

from semeai.race.candidate import Candidate
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.rng import derive
from semeai.stats.counts import SCALE, RewardCounts


class SimulatedWorkers(Executor):
    """An executor with many slots whose calls take a random time and no processor time, and then run at once."""

    def __init__(self, slots: int, mean_seconds: float, seed: int = 1) -> None:
        self._free, self._mean = slots, mean_seconds
        self._random = random.Random(seed)
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._running: list[tuple[float, int, Future[Any], Callable[[], Any]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._open = True
        threading.Thread(target=self._run, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        with self._changed:
            self._waiting.append((future, lambda: fn(*args, **kwargs)))
            self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._changed:
            self._open = False
            self._changed.notify()

    def _run(self) -> None:
        while self._open:
            with self._changed:
                now = time.monotonic()
                while self._free and self._waiting:
                    future, call = self._waiting.popleft()
                    end = now + self._random.expovariate(1 / self._mean)
                    heapq.heappush(self._running, (end, next(self._numbers), future, call))
                    self._free -= 1
                if not self._running or self._running[0][0] > now:
                    self._changed.wait(self._running[0][0] - now if self._running else None)
                    continue
                done = []
                while self._running and self._running[0][0] <= now:
                    done.append(heapq.heappop(self._running))
                    self._free += 1
            for _, _, future, call in done:
                future.set_result(call())


class Simulated(NamedTuple):
    """What a race cost on simulated workers."""

    games: int
    wasted: int
    """Games of candidates that had a verdict before the game was told."""
    seconds: float
    utilization: float
    """Part of the workers' time in which they played."""


def simulate(
    settings: RaceSettings, truth: Sequence[float], workers: int, latency: float, seed: int, spread: float = 0.3
) -> Simulated:
    """Race candidates with known efficiencies in virtual time.

    A game takes about one second: it is drawn from a gamma distribution with the standard deviation ``spread``. Each
    game costs its worker ``latency`` seconds more, for the way to the driver and back. Batches are told in order.
    """
    race = Race(settings, [Candidate(f"c{i}", {"i": i}) for i in range(len(truth))], seed)
    draw = random.Random(derive(seed, "durations"))
    free = [0.0] * workers
    heapq.heapify(free)
    chances = [random.Random(derive(seed, "reward", i)) for i in range(len(truth))]
    now, busy = 0.0, 0.0
    under_way: list[tuple[Any, float]] = []
    shape = 1 / spread**2
    while True:
        while (batch := race.ask()) is not None:
            end = now
            for _ in range(batch.size):
                length = draw.gammavariate(shape, 1 / shape)
                start = max(now, heapq.heappop(free))
                heapq.heappush(free, start + length + latency)
                busy += length
                end = max(end, start + length + latency)
            under_way.append((batch, end))
        if not under_way:
            break
        batch, end = under_way.pop(0)
        now = max(now, end)
        chance = chances[batch.candidate - 1]  # told in order, so game i of a candidate has the same result anyhow
        wins = sum(chance.random() < truth[batch.candidate - 1] for _ in range(batch.size))
        counts = {level: n for level, n in ((0, batch.size - wins), (SCALE, wins)) if n}
        race.tell(batch.number, RewardCounts(counts))
    games = race.n_evaluations
    needed = sum(decision.n_evaluations for decision in race.decisions)
    undecided = sum(s.n_evaluations for s in race.standings) - sum(
        race.standings[d.candidate - 1].n_evaluations for d in race.decisions
    )
    return Simulated(games, games - needed - undecided, now, busy / (workers * now))

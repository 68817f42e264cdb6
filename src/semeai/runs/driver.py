"""The driver of a race: a loop of ask, evaluate, record, tell."""

import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Batch, Decision, Race
from semeai.rng import derive
from semeai.runs.doubts import Doubts
from semeai.runs.run import Driver, Run
from semeai.stats.counts import RewardCounts
from semeai.work.evaluators import Evaluator, Params
from semeai.work.jobs import Failure, Job, JobResult

T = TypeVar("T")

JOB_SECONDS = 0.25  # long enough for a small overhead, short enough to stop soon and to keep workers equally busy
PARCEL_SECONDS = 0.002  # less work than this does not justify a message to a worker
POLL_SECONDS = 0.1
LONG_SECONDS, LONG_FACTOR = 10.0, 5.0  # an evaluation that takes longer, and many times longer than usual, is shown
MOST_FAILURES = 20  # failed candidates in a row after which the program itself is taken for broken
FLUSH_SECONDS = 0.1  # finished work that kill -9 of the driver can lose, in addition to the work under way


@dataclass
class _Work:
    """A batch under way, with the results of its jobs so far."""

    batch: Batch
    n_missing: int = 0  # jobs without a result
    results: list[JobResult] = field(default_factory=list)
    dropped: bool = False  # some of its jobs will never have a result

    @property
    def complete(self) -> bool:
        return self.n_missing == 0

    @property
    def failure(self) -> Failure | None:
        """The first failure in the order of evaluations, which does not depend on how the batch was split into jobs."""
        failures = [r.failure for r in self.results if r.failure is not None]
        return min(failures, key=lambda f: f.evaluation, default=None)


class RaceDriver(Driver):
    """Runs one race to its end, or until ``stop`` is called."""

    def __init__(
        self,
        race: Race,
        evaluator: Evaluator,
        run: Run,
        retries: int = 0,
        *,
        function: str = "",
        time_limit: float | None = None,
        baseline: Params | None = None,
        strict: bool = False,
    ) -> None:
        super().__init__()
        self.race = race
        self.evaluator = evaluator
        self.pool = run.pool
        self.writer = run.writer
        self.observer = run.observer
        self.retries = retries
        self.time_limit = time_limit
        self.strict = strict
        self.failures: list[Failure] = []
        self.warnings: list[str] = []
        self._doubts = Doubts(race, function, baseline, self._warn)
        self._n_failed_in_a_row = 0
        self._flushed = self.started
        self._queue: deque[_Work] = deque()
        self._candidates: list[Candidate] = []  # candidates that the ledger has
        self._by_parcel: dict[int, list[_Work]] = {}  # one entry per job of the parcel: the batch that it belongs to
        self._cost = math.nan  # seconds per evaluation, smoothed
        self.n_resumed = race.n_evaluations

    @property
    def finished(self) -> bool:
        return self.race.finished

    @property
    def delayed(self) -> str:
        """Sentence about an evaluation that takes unusually long; empty if there is none."""
        running = self.pool.slowest()
        usual = 0.0 if math.isnan(self._cost) else self._cost
        if running is None or running.seconds < max(LONG_SECONDS, LONG_FACTOR * usual):
            return ""
        job: Job = running.task  # type: ignore[assignment]  # a race submits nothing else
        return f"{job.place(running.step)}: running for {running.seconds:.0f} s"

    def run(self) -> None:
        for decision in self.race.decisions:  # of earlier sessions
            self.observer.decision(decision)
        self._doubts.begin()
        try:
            self._run()
        finally:
            self.pool.abandon()  # other runs may use the pool after this race
        self._flush()
        self.observer.progress(self)

    def _warn(self, text: str) -> None:
        self.warnings.append(text)
        self.observer.warning(text)

    def _run(self) -> None:
        while True:
            if self.stopping:
                self._drop_unbegun()
            else:
                self._hand_out()
            self._take_in()
            if self._queue and not self._queue[0].complete:
                if self.dropping or (self.stopping and self._queue[0].dropped):
                    break
                self._wait()
            elif self.race.finished or (self.stopping and not self._queue):
                break

    def _wait(self) -> None:
        results = self.pool.wait(POLL_SECONDS)
        for parcel_id, answers in results:
            self._collect(parcel_id, answers)
        if not results or time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self._flush()
            self.observer.progress(self)

    def _drop_unbegun(self) -> None:
        for parcel_id in self.pool.drop_backlog():
            for work in self._by_parcel.pop(parcel_id):
                work.dropped = True

    def _flush(self) -> None:
        if self.writer:
            self.writer.flush()
        self._flushed = time.perf_counter()

    def _hand_out(self) -> None:
        jobs: list[tuple[_Work, Job]] = []
        while (batch := self.race.ask()) is not None:
            work = _Work(batch)
            self._queue.append(work)
            jobs += [(work, job) for job in self._jobs(batch)]
        for parcel in pack(jobs, [job.size * self._cost for _, job in jobs], self.pool.workers):
            works = [work for work, _ in parcel]
            for work in works:
                work.n_missing += 1
            self._by_parcel[self.pool.submit([job for _, job in parcel])] = works

    def _jobs(self, batch: Batch) -> Iterator[Job]:
        candidate = self.race.standings[batch.candidate - 1].candidate
        key = derive(self.race.seed, "evaluation", batch.candidate)
        watched = self._doubts.wants_reads(batch.candidate)
        for start, size in split(batch.start, batch.size, self._cost, self.pool.workers):
            yield Job(
                self.evaluator, candidate.name, candidate.params, key, start, size,
                self.race.settings.games_per_seed, self.retries, watched, self.time_limit,
            )  # fmt: skip

    def _collect(self, parcel_id: int, results: list[JobResult]) -> None:
        for work, result in zip(self._by_parcel.pop(parcel_id), results, strict=True):
            work.n_missing -= 1
            work.results.append(result)
            if n := result.counts.n:
                cost = result.seconds / n
                self._cost = cost if math.isnan(self._cost) else 0.8 * self._cost + 0.2 * cost

    def _take_in(self) -> None:
        """Tell the race the results of complete batches, in the order of its requests."""
        while self._queue and self._queue[0].complete:
            self._tell(self._queue[0])
            self._queue.popleft()

    def _tell(self, work: _Work) -> None:
        batch, failure = work.batch, work.failure
        entered = self._entered(batch)
        if failure is not None:
            self.failures.append(failure)
            if self._ends_race(failure):
                if self.writer:
                    self.writer.record_failure(batch, entered, failure)
                    self._flush()
                raise _STOPPING[failure.kind](failure.message)
            counts = None
            made = self.race.fail(batch.number)
        else:
            counts = RewardCounts.merge(r.counts for r in work.results)
            made = self.race.tell(batch.number, counts)
        if self.writer:
            seconds = sum(r.seconds for r in work.results)
            self.writer.record(batch, counts, seconds, entered, made, failure)
        self.n_new += batch.size
        if made:
            self._flush()  # a verdict is announced only after it is recorded
        for decision in made:
            self.observer.decision(decision)
        self._doubts.look(self.race.standings[batch.candidate - 1], work.results)
        self._give_up_on_failures(made, failure)

    def _ends_race(self, failure: Failure) -> bool:
        """Return whether more than one candidate is at fault.

        A wrong reward is nobody's own fault if many candidates, or all, were tried and none has given a right one.
        """
        if failure.kind != "bad_reward":
            return failure.kind != "program"
        if self.strict:
            return True
        if any(standing.n_evaluations for standing in self.race.standings):
            return False
        n_failed = 1 + sum(standing.verdict == Verdict.FAILED for standing in self.race.standings)
        return n_failed >= MOST_FAILURES or (
            self.race.settings.mode != "stream" and n_failed >= len(self.race.standings)
        )

    def _give_up_on_failures(self, made: list[Decision], failure: Failure | None) -> None:
        """Raise ProgramFailed if too many candidates of a stream fail in a row: the program does not work at all."""
        for decision in made:
            failed = decision.verdict == Verdict.FAILED
            self._n_failed_in_a_row = self._n_failed_in_a_row + 1 if failed else 0
        if failure and self.race.settings.mode == "stream" and self._n_failed_in_a_row >= MOST_FAILURES:
            raise ProgramFailed(f"{MOST_FAILURES} candidates in a row have failed; the last: {failure.message}")

    def _entered(self, batch: Batch) -> list[Candidate]:
        """Return the candidates that the ledger has after this batch; those of later batches may still be lost."""
        known = len(self.race.standings) if self.race.settings.mode != "stream" else batch.candidate
        self._candidates += [s.candidate for s in self.race.standings[len(self._candidates) : known]]
        return self._candidates


_STOPPING: dict[str, type[Exception]] = {
    "bad_reward": BadReward,
    "baseline": BaselineFailed,
    "config": ConfigError,
}


def split(start: int, size: int, cost: float, workers: int) -> Iterator[tuple[int, int]]:
    """Yield start and size of each job of a batch. ``cost`` is in seconds per evaluation; no reward depends on it."""
    share = math.ceil(size / workers)
    if math.isnan(cost):
        part = share
    else:
        cost = max(cost, 1e-9)
        part = max(math.ceil(PARCEL_SECONDS / cost), min(share, math.ceil(JOB_SECONDS / cost)))
    for first in range(start, start + size, part):
        yield first, min(part, start + size - first)


def pack(items: Sequence[T], costs: Sequence[float], workers: int) -> Iterator[list[T]]:
    """Yield parcels of items, so that cheap items share a message. ``costs`` are in seconds."""
    total = sum(costs)
    wanted = 0.0 if math.isnan(total) else min(JOB_SECONDS, max(PARCEL_SECONDS, total / (2 * workers)))
    parcel: list[T] = []
    cost = 0.0
    for item, item_cost in zip(items, costs, strict=True):
        parcel.append(item)
        cost += item_cost
        if not cost < wanted:
            yield parcel
            parcel, cost = [], 0.0
    if parcel:
        yield parcel

"""The driver of a race: a loop of ask, evaluate, record, tell."""

import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed
from semeai.race.candidate import Candidate, Verdict
from semeai.race.race import Batch, Decision, Race
from semeai.rng import evaluation_seeds
from semeai.runs.baseline import BaselineResults, SharedBaseline, judged
from semeai.runs.doubts import Doubts
from semeai.runs.effects import difference, evaluation_key
from semeai.runs.run import Driver, Run
from semeai.stats.counts import RewardCounts
from semeai.work.evaluators import Evaluator, Params
from semeai.work.jobs import Failure, Job, JobResult, Numbers
from semeai.work.parcels import Pool

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
    results: dict[int, JobResult] = field(default_factory=dict)
    """Results of its jobs, by the first evaluation of each."""
    dropped: bool = False  # some of its jobs will never have a result
    baseline: list["_Work"] = field(default_factory=list)
    """Work on the shared baseline that it needs."""

    @property
    def complete(self) -> bool:
        return self.n_missing == 0 and all(work.complete for work in self.baseline)

    @property
    def is_lost(self) -> bool:
        """True if it will never be complete."""
        return self.dropped or any(work.dropped for work in self.baseline)

    @property
    def failure(self) -> Failure | None:
        """The first failure in the order of evaluations, which does not depend on how the batch was split into jobs."""
        for works in (self.baseline, [self]):  # without a baseline, no candidate is to blame
            failures = [r.failure for work in works for r in work.results.values() if r.failure is not None]
            if failures:
                return min(failures, key=lambda f: f.evaluation)
        return None


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
        shared: SharedBaseline | None = None,
    ) -> None:
        super().__init__()
        self.race = race
        self.shared = shared
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
        self._by_parcel: dict[int, list[tuple[_Work, int]]] = {}  # per job of the parcel: its batch, first evaluation
        self._cost = math.nan  # seconds per evaluation, smoothed
        self._baseline = BaselineResults()
        self._baseline_works: dict[int, _Work] = {}  # under way, by each evaluation that they have
        self.differences: dict[int, list[float]] = {}
        """What the candidate's number was above the baseline's, by candidate, if numbers are compared."""
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
                if self.dropping or (self.stopping and self._queue[0].is_lost):
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
            for work, _ in self._by_parcel.pop(parcel_id):
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
            if self.shared is not None:
                jobs += self._baseline_jobs(work, self.shared)
            jobs += [(work, job) for job in self._jobs(batch)]
        for parcel in pack(jobs, [job.size * self._cost for _, job in jobs], self.pool.workers):
            for work, _ in parcel:
                work.n_missing += 1
            self._by_parcel[self.pool.submit([job for _, job in parcel])] = [(work, job.start) for work, job in parcel]

    def _jobs(self, batch: Batch) -> Iterator[Job]:
        candidate = self.race.standings[batch.candidate - 1].candidate
        watched = self._doubts.wants_reads(batch.candidate)
        for start, size in split(batch.start, batch.size, self._cost, self.pool):
            yield Job(
                self.evaluator, candidate.name, candidate.params, self._key(batch.candidate), start, size,
                self.race.settings.games_per_seed, self.retries, watched, self.time_limit, self.shared is not None,
            )  # fmt: skip

    def _key(self, candidate: int) -> int:
        return evaluation_key(self.race.seed, candidate, shared=self.shared is not None)

    def _baseline_jobs(self, work: _Work, shared: SharedBaseline) -> Iterator[tuple[_Work, Job]]:
        """Yield jobs for what is not known of the baseline, and note all work on it that the batch needs."""
        batch = work.batch
        evaluations = range(batch.start, batch.start + batch.size)
        for start, size in self._baseline.missing(batch.start, batch.size):
            own = _Work(Batch(-1, 0, start, size))
            self._baseline_works.update(dict.fromkeys(range(start, start + size), own))
            for first, part in split(start, size, self._cost, self.pool):
                yield own, Job(
                    self.evaluator, "baseline", shared.params, self._key(0), first, part,
                    self.race.settings.games_per_seed, self.retries, False, self.time_limit, True, True,
                )  # fmt: skip
        found = [self._baseline_works[i] for i in evaluations if i in self._baseline_works]
        work.baseline = list({id(own): own for own in found}.values())

    def _collect(self, parcel_id: int, results: list[JobResult]) -> None:
        for (work, start), result in zip(self._by_parcel.pop(parcel_id), results, strict=True):
            work.n_missing -= 1
            work.results[start] = result
            if n := result.n:
                cost = result.seconds / n
                self._cost = cost if math.isnan(self._cost) else 0.8 * self._cost + 0.2 * cost
            if work.batch.number < 0 and result.failure is None:
                self._baseline.add(start, [numbers.ours for numbers in result.numbers])
                for i in range(start, start + len(result.numbers)):
                    del self._baseline_works[i]

    def _take_in(self) -> None:
        """Tell the race the results of complete batches, in the order of its requests."""
        while self._queue and self._queue[0].complete:
            self._tell(self._queue[0])
            self._queue.popleft()

    def known_numbers(self, batch: Batch, numbers: Sequence[Numbers]) -> None:
        """Take the numbers of a batch, also of an earlier session."""
        found = self.differences.setdefault(batch.candidate, [])
        found += map(difference, numbers)
        if self.shared is not None:
            self._baseline.add(batch.start, [theirs for _, theirs in numbers])
            self._doubts.compare(batch.candidate, found)

    def _judge(self, work: _Work, shared: SharedBaseline) -> None:
        """Compare the candidate's numbers with the baseline's."""
        batch = work.batch
        name = self.race.standings[batch.candidate - 1].candidate.name
        seeds = evaluation_seeds(self._key(batch.candidate), batch.start, batch.size).tolist()
        ours = [numbers for start in sorted(work.results) for numbers in work.results[start].numbers]
        theirs = self._baseline.of(batch.start, batch.size)
        seconds = sum(result.seconds for result in work.results.values())
        compared = judged(shared.judge, name, batch.start, seeds, ours, theirs)
        reads = next((result.reads for result in work.results.values() if result.reads is not None), None)
        work.results = {batch.start: replace(compared, seconds=seconds, reads=reads)}

    def _tell(self, work: _Work) -> None:
        if self.shared is not None and work.failure is None:
            self._judge(work, self.shared)
        batch, failure = work.batch, work.failure
        results = [work.results[start] for start in sorted(work.results)]
        numbers = [pair for result in results for pair in result.numbers] if failure is None else []
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
            counts = RewardCounts.merge(r.counts for r in results)
            made = self.race.tell(batch.number, counts)
        if self.writer:
            self.writer.record(batch, counts, sum(r.seconds for r in results), entered, made, failure, numbers)
        if numbers:
            self.known_numbers(batch, numbers)
        self.n_new += batch.size
        if made:
            self._flush()  # a verdict is announced only after it is recorded
        for decision in made:
            self.observer.decision(decision)
        self._doubts.look(self.race.standings[batch.candidate - 1], results)
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


def split(start: int, size: int, cost: float, pool: Pool) -> Iterator[tuple[int, int]]:
    """Yield start and size of each job of a batch. ``cost`` is in seconds per evaluation; no reward depends on it."""
    if math.isnan(cost):  # the first jobs may take hours, and workers that come meanwhile need some too
        part = math.ceil(size / pool.workers_soon)
    else:
        cost = max(cost, 1e-9)
        share = math.ceil(size / pool.workers)
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

"""Jobs: parts of a batch as picklable data, and the functions with which a worker runs them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from semeai import kills
from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed
from semeai.rng import evaluation_seeds
from semeai.stats.counts import SCALE, RewardCounts, reward_level
from semeai.work import heartbeat
from semeai.work.deaths import Death
from semeai.work.evaluators import Answer, Compared, Evaluator, Params, Play
from semeai.work.parameters import WatchedParams

# "program" gives the candidate the verdict "failed"; the other kinds stop the run.
FailureKind = Literal["program", "bad_reward", "baseline", "config"]


class Task(Protocol):
    """Work for a pool, as picklable data that any worker can run."""

    @property
    def label(self) -> str:
        """What it is, for messages."""

    @property
    def time_limit(self) -> float | None:
        """Seconds that one of its evaluations may take; None if it has no limit, or keeps it itself."""

    @property
    def retries(self) -> int:
        """Number of times that an evaluation which exceeds its time limit is tried again."""

    def run(self) -> Any: ...

    def lost(self, death: Death) -> Any:
        """Return the result that stands for a task which repeatedly killed its worker, or did not end in time."""


@dataclass(frozen=True)
class Job:
    """Evaluation of one candidate on ``size`` seeds of the stream ``key``, from number ``start`` on."""

    evaluator: Evaluator
    name: str
    params: Params
    key: int
    start: int
    size: int
    games_per_seed: int = 1
    retries: int = 0
    watched: bool = False
    """Whether to note which parameters the first evaluation reads."""
    time_limit: float | None = None
    raw: bool = False
    """Whether to return the numbers as they are, because somebody else compares them."""
    is_baseline: bool = False

    @property
    def label(self) -> str:
        return f"{self._who}, evaluations {self.start} to {self.start + self.size - 1}"

    @property
    def _who(self) -> str:
        return "baseline" if self.is_baseline else f"candidate {self.name!r}"

    def seed(self, step: int) -> int:
        """Return the seed of the evaluation with this index in the job."""
        return int(evaluation_seeds(self.key, self.start + step, 1)[0])

    def place(self, step: int) -> str:
        """Return the name of an evaluation for messages; if ``step`` is negative, that of the whole job."""
        return self.label if step < 0 else f"{self._who}, seed {self.seed(step)}"

    def run(self) -> "JobResult":
        return run_job(self)

    def lost(self, death: Death) -> "JobResult":
        of_baseline = self.is_baseline or death.stage == heartbeat.BASELINE
        message = f"{self.place(death.step)}: {'the baseline failed: ' if of_baseline else ''}{death.reason}"
        seed = self.seed(death.step) if death.step >= 0 else -1
        kind: FailureKind = "baseline" if of_baseline else "program"
        return JobResult(RewardCounts(), 0.0, Failure(kind, message, self.start + max(0, death.step), seed))


@dataclass(frozen=True)
class Failure:
    """The reason why a job has no rewards. It is data and not an exception because the ledger records it."""

    kind: FailureKind
    message: str  # one sentence: candidate, seed, what happened
    evaluation: int
    seed: int
    stderr: str = ""


class Numbers(NamedTuple):
    """What candidate and baseline gave on one seed, before it became a reward; empty if it was not asked."""

    ours: tuple[float, ...] = ()
    theirs: tuple[float, ...] = ()


@dataclass(frozen=True)
class JobResult:
    """Rewards of a job; none if it failed."""

    counts: RewardCounts
    seconds: float
    failure: Failure | None = None
    reads: frozenset[str] | None = None
    """Names of parameters that the first evaluation has read; None if it was not watched."""
    numbers: tuple[Numbers, ...] = ()
    """One entry per evaluation if the numbers were compared with the baseline's, or shall be."""

    @property
    def n(self) -> int:
        """Number of evaluations."""
        return max(self.counts.n, len(self.numbers))


def run_job(job: Job) -> JobResult:
    """Return the rewards of a job, or its first failure. The same job gives the same counts on any worker."""
    began = time.perf_counter()
    levels = [0] * (SCALE + 1)
    try:
        play = job.evaluator.open()
    except ConfigError as error:
        return JobResult(RewardCounts(), 0.0, Failure("config", str(error), job.start, -1))
    watched = WatchedParams(job.params) if job.watched else None
    params: Params = job.params if watched is None else watched
    seeds: list[int] = evaluation_seeds(job.key, job.start, job.size).tolist()
    here = heartbeat.here()
    numbers: list[Numbers] = []
    for offset, seed in enumerate(seeds):
        here[heartbeat.STEP] = offset
        try:
            answer = _one_answer(job, play, params, seed)
            if job.raw:
                numbers.append(Numbers(ours=tuple(answer)))
            else:
                levels[reward_of(answer, job.games_per_seed, seed)] += 1
            if isinstance(answer, Compared):
                numbers.append(Numbers(tuple(answer.ours), tuple(answer.theirs)))
        except (BadReward, ProgramFailed, ConfigError) as error:
            seconds = time.perf_counter() - began
            return JobResult(RewardCounts(), seconds, _failure(job, offset, seed, error))
        params = job.params
    counts = RewardCounts({level: n for level, n in enumerate(levels) if n})
    reads = None if watched is None else frozenset(watched.reads)
    return JobResult(counts, time.perf_counter() - began, reads=reads, numbers=tuple(numbers))


def run_tasks(tasks: Sequence[Task]) -> list[Any]:
    """Run several small tasks with one message, which costs more than a cheap evaluation. Returns their results."""
    results = []
    for i, task in enumerate(tasks):
        heartbeat.begin_task(i)
        results.append(task.run())
    return results


def _one_answer(job: Job, play: Play, params: Params, seed: int) -> Answer:
    for attempt in range(job.retries + 1):
        try:
            answer = _try(play, params, seed)
            break
        except ProgramFailed as error:
            if attempt == job.retries or error.killed:
                raise
            heartbeat.here()[heartbeat.ATTEMPT] = attempt + 1
    if len(answer) != job.games_per_seed:
        raise BadReward(f"it gave {len(answer)} rewards for one seed, and games_per_seed is {job.games_per_seed}")
    return answer


def _try(play: Play, params: Params, seed: int) -> Answer:
    """Return an answer. A program that is killed from outside is run again, after longer and longer pauses."""
    for pause in kills.PAUSES:
        try:
            return play(params, seed)
        except ProgramFailed as error:
            if not error.killed:
                raise
        time.sleep(pause)
    try:
        return play(params, seed)
    except ProgramFailed as error:
        if error.killed:
            error.args = (f"{error} {kills.how_often()}",)
        raise


def reward_of(rewards: Answer, games_per_seed: int, seed: int) -> int:
    """Return the reward of an evaluation in thousandths. Raises BadReward if one of its rewards is not in [0, 1]."""
    if games_per_seed == 1:
        return reward_level(rewards[0], seed)
    for reward in rewards:
        reward_level(reward, seed)  # raises if one of them is not a reward, even if their mean is
    return reward_level(sum(rewards) / len(rewards), seed)


_KINDS: dict[type[Exception], FailureKind] = {
    BaselineFailed: "baseline",
    ProgramFailed: "program",
    BadReward: "bad_reward",
    ConfigError: "config",
}


def _failure(job: Job, offset: int, seed: int, error: Exception) -> Failure:
    kind = next(kind for error_class, kind in _KINDS.items() if isinstance(error, error_class))
    message = f"{job.place(offset)}: {error}"
    if job.is_baseline and kind != "config":
        kind, message = "baseline", f"seed {seed}: the baseline failed: {error}"
    return Failure(kind, message, job.start + offset, seed, getattr(error, "stderr", ""))

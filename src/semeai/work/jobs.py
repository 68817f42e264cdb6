"""Jobs: parts of a batch as picklable data, and the functions with which a worker runs them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from semeai.errors import BadReward, BaselineFailed, ConfigError, ProgramFailed
from semeai.rng import evaluation_seeds
from semeai.stats.counts import SCALE, RewardCounts, reward_level
from semeai.work.evaluators import Evaluator, Play

# "program" gives the candidate the verdict "failed"; the other kinds stop the run.
FailureKind = Literal["program", "bad_reward", "baseline", "config"]


class Task(Protocol):
    """Work for a pool, as picklable data that any worker can run."""

    def run(self) -> Any: ...

    def lost(self) -> Any:
        """Return the result that stands for a task that repeatedly killed its worker."""


@dataclass(frozen=True)
class Job:
    """Evaluation of one candidate on ``size`` seeds of the stream ``key``, from number ``start`` on."""

    evaluator: Evaluator
    name: str
    params: Mapping[str, Any]
    key: int
    start: int
    size: int
    games_per_seed: int = 1
    retries: int = 0

    def run(self) -> "JobResult":
        return run_job(self)

    def lost(self) -> "JobResult":
        last = self.start + self.size - 1
        message = f"candidate {self.name!r}, evaluations {self.start} to {last}: it kills its worker"
        return JobResult(RewardCounts(), 0.0, Failure("program", message, self.start, -1))


@dataclass(frozen=True)
class Failure:
    """The reason why a job has no rewards. It is data and not an exception because the ledger records it."""

    kind: FailureKind
    message: str  # one sentence: candidate, seed, what happened
    evaluation: int
    seed: int
    stderr: str = ""


@dataclass(frozen=True)
class JobResult:
    """Rewards of a job; none if it failed."""

    counts: RewardCounts
    seconds: float
    failure: Failure | None = None


def run_job(job: Job) -> JobResult:
    """Return the rewards of a job, or its first failure. The same job gives the same counts on any worker."""
    began = time.perf_counter()
    levels = [0] * (SCALE + 1)
    try:
        play = job.evaluator.open()
    except ConfigError as error:
        return JobResult(RewardCounts(), 0.0, Failure("config", str(error), job.start, -1))
    seeds: list[int] = evaluation_seeds(job.key, job.start, job.size).tolist()
    for offset, seed in enumerate(seeds):
        try:
            levels[_one_reward(job, play, seed)] += 1
        except (BadReward, ProgramFailed, ConfigError) as error:
            seconds = time.perf_counter() - began
            return JobResult(RewardCounts(), seconds, _failure(job, offset, seed, error))
    counts = RewardCounts({level: n for level, n in enumerate(levels) if n})
    return JobResult(counts, time.perf_counter() - began)


def run_task(task: Task) -> Any:
    return task.run()


def run_tasks(tasks: Sequence[Task]) -> list[Any]:
    """Run several small tasks with one message, which costs more than a cheap evaluation. Returns their results."""
    return [task.run() for task in tasks]


def _one_reward(job: Job, play: Play, seed: int) -> int:
    for attempt in range(job.retries + 1):
        try:
            rewards = play(job.params, seed)
            break
        except ProgramFailed:
            if attempt == job.retries:
                raise
    if len(rewards) != job.games_per_seed:
        raise BadReward(f"it gave {len(rewards)} rewards for one seed, and games_per_seed is {job.games_per_seed}")
    if job.games_per_seed == 1:
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
    message = f"candidate {job.name!r}, seed {seed}: {error}"
    return Failure(kind, message, job.start + offset, seed, getattr(error, "stderr", ""))

"""Keep the jobs of a batch system in number: those that have ended, for example at their walltime, are replaced.

dask-jobqueue submits jobs and ends them, but does not look after them: a fixed number of jobs is not filled up again, a
job that ends before its workers answer is waited for without end, and a submission that fails is only logged.
"""

import contextlib
import re
import subprocess
import threading
from typing import Any

LOOK_SECONDS = 5.0
QUERY_SECONDS = 30.0
MOST_FALSE_STARTS = 3
"""Jobs in a row that end before a worker answers, after which the jobs themselves are taken for broken."""
SUBMISSIONS = {"slurm": "sbatch", "oar": "oarsub"}
"""Programs that submit jobs."""
QUERIES = {"slurm": ("squeue", "--me", "--noheader", "--format=%i"), "oar": ("oarstat", "-u")}
"""Commands that list the user's jobs that wait or run, with the number at the beginning of a line."""


class JobKeeper:
    """Looks after the jobs of a ``JobQueueCluster`` of dask-jobqueue, in a thread of its own."""

    def __init__(self, cluster: Any, name: str) -> None:
        self.trouble = ""
        """Why there will be no workers, as a sentence; empty as long as there is hope."""
        self._cluster, self._name = cluster, name
        self._n_false_starts = 0
        self._answered: set[str] = set()  # jobs whose workers have been here
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True, name="semeai-jobs")
        self._thread.start()

    def close(self) -> None:
        """Stop. A submission under way is waited for: otherwise nobody would know its job, and end it."""
        self._closed.set()
        self._thread.join(QUERY_SECONDS)

    def _keep(self) -> None:
        while not self._closed.is_set():
            known = {name: job.job_id for name, job in list(self._cluster.workers.items())}
            alive = alive_jobs(self._name)
            with contextlib.suppress(Exception):  # the cluster is being closed, or its loop is busy
                self._cluster.sync(self._tend, known, alive, callback_timeout=QUERY_SECONDS)
            self._closed.wait(LOOK_SECONDS)

    async def _tend(self, known: dict[str, str | None], alive: set[str] | None) -> None:
        """Forget jobs that have ended, and submit others in their place."""
        present = {self._job_of(worker["name"]) for worker in self._cluster.scheduler_info["workers"].values()}
        self._answered |= present
        if present:
            self._n_false_starts = 0
        for name, job_id in known.items():
            job = self._cluster.workers.get(name)
            ended = job_id is None or (alive is not None and job_id not in alive)
            if job is None or job.job_id != job_id or name in present or not ended:
                continue
            if name not in self._answered:
                self._note_false_start(job_id)
            await self._forget(name)
        if (
            not self._closed.is_set()
            and not self.trouble
            and set(self._cluster.worker_spec) - set(self._cluster.workers)
        ):
            try:
                await self._cluster._correct_state()
            except Exception as error:
                for name in [name for name, job in self._cluster.workers.items() if job.job_id is None]:
                    await self._forget(name)
                self._note_refusal(error)

    async def _forget(self, name: str) -> None:
        """Forget a job that has ended, so that another one takes its place."""
        from distributed import Status

        job = self._cluster.workers.pop(name)
        self._answered.discard(name)
        await job.close()
        job.status = Status.closed  # otherwise the cluster refuses to close

    def _job_of(self, worker: Any) -> str:
        """Return the job of a worker: several workers of a job have its name and a number."""
        name = str(worker)
        return next((job for job in self._cluster.worker_spec if name in (str(job), _grouped(name, str(job)))), name)

    def _note_false_start(self, job_id: str | None) -> None:
        self._n_false_starts += 1
        if job_id is not None and self._n_false_starts >= MOST_FALSE_STARTS:
            self.trouble = (
                f"{self._n_false_starts} jobs of {self._name} in a row have ended before a worker answered, the last "
                f"is job {job_id}: its output should say why"
            )

    def _note_refusal(self, error: Exception) -> None:
        if not self._answered:
            self.trouble = f"{self._name} takes no job: {reason(error)}"


def _grouped(worker: str, job: str) -> str:
    return worker if re.fullmatch(re.escape(job) + r"-\d+", worker) else ""


def alive_jobs(name: str) -> set[str] | None:
    """Return the numbers of this user's jobs that wait or run; None if the batch system does not answer."""
    try:
        done = subprocess.run(QUERIES[name], capture_output=True, text=True, timeout=QUERY_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return set(re.findall(r"^\s*(\d+)", done.stdout, re.MULTILINE))


def reason(error: Exception) -> str:
    """Return what a command of the batch system has written on standard error, in one line."""
    text = str(error).partition("stderr:")[2] or str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[:3]) or type(error).__name__

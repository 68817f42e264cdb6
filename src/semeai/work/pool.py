"""A worker pool that survives the death of its workers, with any executor."""

import concurrent.futures
import math
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from semeai.errors import ConfigError, WorkersLost
from semeai.kills import from_outside, memory_advice, memory_state, signal_name
from semeai.processes import describe_exit
from semeai.registry import main_is_origin
from semeai.work import heartbeat
from semeai.work.deaths import Death, causes
from semeai.work.executors import PARCELS_PER_WORKER, ExecutorFactory, InlineExecutor, LocalExecutor, stop
from semeai.work.heartbeat import Beat
from semeai.work.jobs import Task, run_tasks
from semeai.work.needs import Setup
from semeai.work.packing import run_packed
from semeai.work.parcels import Parcel, Results, Running, Sent, Work

_LOOK_SECONDS = 0.1  # between two looks at what the workers are doing


class ResilientPool:
    """Runs parcels of tasks on workers. If a worker dies, the parcels under way are run again.

    When one worker dies, the whole process pool breaks. Local workers note what they are doing, so the parcel that the
    dead worker ran is known; with other executors all parcels under way are suspected. A parcel that was under
    suspicion ``SUSPICIOUS`` times is run alone, task by task. A task that then crashes its worker ``SUSPICIOUS`` times
    has the result ``Task.lost``, and so has a task that exceeds its time limit.

    A worker that is killed from outside is nobody's fault. Its parcel is run again, after longer and longer pauses. If
    this does not help within ``PATIENCE`` seconds and ``MOST_KILLS`` tries, ``WorkersLost`` is raised.
    """

    SUSPICIOUS = 3
    MOST_KILLS = 6
    PATIENCE = 60.0
    FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

    def __init__(self, factory: ExecutorFactory, workers: int) -> None:
        if workers < 1:
            raise ConfigError(f"there must be at least one worker, not {workers}")
        self._factory = factory
        self._workers = workers
        self._executor: Executor | None = None
        self._alone = False  # whether the executor has one worker, for suspects
        self._backlog: deque[Work] = deque()  # not given to the executor yet
        self._suspects: deque[Work] = deque()  # to be run alone before anything else
        self._running: dict[Future[Results], Sent] = {}
        self._reports: SimpleQueue[Future[Results]] = SimpleQueue()  # futures that have come to their end
        self._wanted: set[int] = set()  # parcel ids without results; abandoned parcels are not in it
        self._next_id = 0
        self._next_token = 1
        self._places: list[int] = []  # free places for beats
        self._dropping = False
        self._seen: dict[int, tuple[Beat, float]] = {}  # token -> last beat, and the seconds since it has changed
        self._late: dict[int, Beat] = {}  # parcels whose worker was ended at a time limit, by token
        self._looked = time.monotonic()
        self._n_breaks = 0  # since the last result
        self._broken_since = math.inf
        self._n_false_starts = 0  # workers that died before their first task, since the last result
        self._resume_at = -math.inf  # no worker is started before
        self._memory = memory_state()
        self._error: WorkersLost | None = None  # raised once the results so far were returned
        self.n_lost = 0  # parcels that had to be run again

    # -- public interface ------------------------------------------------------------------------------------------

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def workers_soon(self) -> int:
        return self._workers

    @property
    def state(self) -> str:
        """Return nothing: the number of workers is what the user has asked for."""
        return ""

    def begin(self, setup: Setup) -> None:
        """Do nothing: workers on this machine have its files, and the driver has prepared what they need."""

    def submit(self, parcel: Parcel) -> int:
        """Add ``parcel`` to the work. Returns the id with which ``wait`` returns its results."""
        work = Work(self._next_id, parcel)
        self._next_id += 1
        self._wanted.add(work.id)
        self._backlog.append(work)
        self._dropping = False
        self._fill()
        return work.id

    def drop_backlog(self) -> set[int]:
        """Forget the parcels that no worker runs, and begin none before the next ``submit``. Returns their ids.

        So a parcel whose worker dies is not run again: a later call returns its id.
        """
        self._dropping = True
        dropped = {work.id for work in (*self._backlog, *self._suspects)}
        self._backlog.clear()
        self._suspects.clear()
        self._wanted -= dropped
        return dropped

    def abandon(self) -> None:
        """Forget all submitted work; later ``wait`` calls do not return it."""
        self.drop_backlog()
        self._wanted.clear()

    def wait(self, timeout: float | None = None) -> list[tuple[int, Results]]:
        """Return new results by parcel id. Blocks until there are some, at most ``timeout`` seconds."""
        if isinstance(self._executor, InlineExecutor):
            self._executor.step()
        if not self._running and (pause := self._resume_at - time.monotonic()) > 0:
            time.sleep(pause if timeout is None else min(pause, timeout))
        lost = []
        finished: list[Work] = []
        for future, sent in self._ended(timeout):
            self._places.append(sent.place)
            if isinstance(future.exception(), BrokenExecutor):
                lost.append(sent)
            else:
                finished += self._take(sent, future.result())
        if lost:
            finished += self._recover(lost)
        if self._error is not None and not finished:
            raise self._error
        self._look()
        self._fill()
        results = [(work.id, work.results) for work in finished if work.id in self._wanted]
        self._wanted -= {work.id for work in finished}
        return results

    def _ended(self, timeout: float | None) -> list[tuple["Future[Results]", Sent]]:
        """Take what has come to its end out of the work under way. Blocks until there is something.

        Futures report themselves: to ask a thousand of them costs more than the results of those that are done.
        """
        found: list[tuple[Future[Results], Sent]] = []
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while self._running:
            try:
                if found:
                    future = self._reports.get_nowait()
                elif math.isinf(deadline):
                    future = self._reports.get()
                else:
                    future = self._reports.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                break
            if (sent := self._running.pop(future, None)) is not None:  # otherwise it was dropped meanwhile
                found.append((future, sent))
        return found

    def slowest(self) -> Running | None:
        """Return what a worker has been doing for the longest time; None if that is not known."""
        found = []
        for sent in self._running.values():
            if sent.token in self._seen and sent.work.id in self._wanted:
                beat, seconds = self._seen[sent.token]
                found.append(Running(sent.work.tasks[_index(sent, beat)], beat.step, seconds))
        return max(found, key=lambda running: running.seconds, default=None)

    def close(self) -> None:
        """End the workers now; work under way is lost."""
        self._backlog.clear()
        self._suspects.clear()
        self._running.clear()
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- sending ---------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Give the executor enough parcels to keep it busy. The rest can be dropped and is not blamed for a crash."""
        alone = bool(self._suspects)
        queue = self._suspects if alone else self._backlog
        most = 1 if alone else PARCELS_PER_WORKER * self.workers
        while queue and len(self._running) < most and self._may_send():
            if alone != self._alone:
                if self._running:
                    return  # a suspect is alone, also after it has left its queue
                self._stop()
            work = queue.popleft()
            if not self._send(work, alone):
                queue.appendleft(work)
                return

    def _may_send(self) -> bool:
        return not self._dropping and self._error is None and time.monotonic() >= self._resume_at

    def _send(self, work: Work, alone: bool) -> bool:
        """Give a parcel to the executor, or its first task only. Returns whether there are workers to take it."""
        indices = work.open[:1] if alone else work.open
        tasks = [work.tasks[i] for i in indices]
        if not self._running:
            self._places = [*reversed(range(PARCELS_PER_WORKER * self.workers))]  # a lone worker has only the first
        place = self._places[-1]
        try:
            if self._executor is None:
                self._executor, self._alone = self._factory(1 if alone else self.workers), alone
                if alone and not isinstance(self._executor, LocalExecutor):
                    self._executor.submit(_no_work).result()  # so that the task is not blamed if no worker can start
            if isinstance(self._executor, InlineExecutor):
                future = self._executor.submit(run_tasks, tasks)
            else:
                future = self._executor.submit(run_packed, pickle.dumps(tasks), place, self._next_token)
        except (BrokenExecutor, EOFError, OSError) as error:
            if not self._running:  # otherwise wait() finds the parcels under way
                self._blame_start(self._stop(), error)
            return False
        self._running[future] = Sent(work, indices, self._places.pop(), self._next_token)
        future.add_done_callback(self._reports.put)
        self._next_token += 1
        return True

    def _take(self, sent: Sent, results: Results) -> list[Work]:
        """Add results to a parcel. Returns the parcel if it is complete."""
        for i, result in zip(sent.indices, results, strict=True):
            sent.work.answer(i, result)
        self._n_breaks = self._n_false_starts = 0
        self._broken_since = math.inf
        self._seen.pop(sent.token, None)
        return self._completed(sent.work)

    def _completed(self, work: Work) -> list[Work]:
        if not work.open:
            return [work]
        self._suspects.appendleft(work)  # only a suspect is sent in parts
        return []

    # -- watching --------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Look where the workers are. End those that have exceeded a time limit."""
        now = time.monotonic()
        # A driver that was suspended itself knows nothing about the time in between.
        passed = min(now - self._looked, 10 * _LOOK_SECONDS)
        if now - self._looked < _LOOK_SECONDS or not isinstance(self._executor, LocalExecutor):
            return
        self._looked = now
        for sent in self._running.values():
            beat = heartbeat.read(self._executor.beats, sent.place)
            if beat.token != sent.token:
                continue
            before, seconds = self._seen.get(sent.token, (None, 0.0))
            self._seen[sent.token] = (beat, seconds + passed if beat == before else 0.0)
            limit = sent.work.tasks[_index(sent, beat)].time_limit
            if limit is not None and beat.step >= 0 and self._seen[sent.token][1] > limit:
                self._end(beat)

    def _end(self, beat: Beat) -> None:
        """End the worker that has exceeded a time limit. This breaks the pool."""
        assert self._executor is not None
        if beat.token not in self._late and beat.pid in (getattr(self._executor, "_processes", None) or {}):
            self._late[beat.token] = beat
            os.kill(beat.pid, signal.SIGKILL)

    # -- recovering ------------------------------------------------------------------------------------------------

    def _recover(self, lost: list[Sent]) -> list[Work]:
        """Stop the broken executor, which fails all its parcels, and queue them again. Returns the complete ones."""
        beats = self._beats([*lost, *self._running.values()])
        codes = self._stop()
        concurrent.futures.wait(self._running, 10)
        finished: list[Work] = []
        for future, sent in self._running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                finished += self._take(sent, future.result())
            else:
                lost.append(sent)
        self._running.clear()
        first = causes(codes)
        for sent in sorted(lost, key=lambda sent: sent.work.id, reverse=True):
            if sent.work.id in self._wanted:
                if beats is None:
                    self._blame(sent, None, _worst(first.values()))
                elif (beat := beats.get(sent.token)) is not None:
                    self._blame(sent, beat, first.get(beat.pid))
                finished += self._requeue(sent.work)
        if beats is not None and not beats:
            self._blame_start(first, None)
        elif not self._late and first and all(map(from_outside, first.values())):
            self._pause()
        self._late.clear()
        self._seen.clear()
        return finished

    def _beats(self, everything: list[Sent]) -> dict[int, Beat] | None:
        """Return the last beat of each parcel that a worker has begun, by token; None if workers do not note it."""
        if not isinstance(self._executor, LocalExecutor):
            return None
        found = [heartbeat.read(self._executor.beats, sent.place) for sent in everything]
        return {beat.token: beat for sent, beat in zip(everything, found, strict=True) if beat.token == sent.token}

    def _blame(self, sent: Sent, beat: Beat | None, code: int | None) -> None:
        """Count the death of a worker against the parcel that it ran. ``code`` is None if others have broken the pool.

        Without a beat the worker may have run another parcel, and ``code`` may be unknown.
        """
        self.n_lost += 1
        work = sent.work
        index = sent.indices[0] if beat is None else _index(sent, beat)
        task = work.tasks[index]
        if beat is not None and beat.token in self._late:
            work.n_late += 1
            if work.n_late > task.retries:
                work.answer(index, task.lost(Death(f"no answer within {task.time_limit:g} s", beat.step, beat.stage)))
        elif code is not None and from_outside(code):
            work.n_kills += 1
            work.killed_since = min(work.killed_since, time.monotonic())
            self._lose_patience(work, task, code)
        elif code is not None or beat is None:
            work.n_crashes += 1
            if self._alone and work.n_crashes >= self.SUSPICIOUS:
                how = "it kills its worker" + ("" if code is None else f" (exit status {describe_exit(code)})")
                work.answer(index, task.lost(Death(how) if beat is None else Death(how, beat.step, beat.stage)))

    def _requeue(self, work: Work) -> list[Work]:
        """Queue a parcel again. Returns it instead if it is complete."""
        if not work.open:
            return [work]
        if self._alone:
            self._suspects.appendleft(work)
        elif max(work.n_crashes, work.n_kills) >= self.SUSPICIOUS:
            work.n_crashes = 0
            self._suspects.appendleft(work)
        else:
            self._backlog.appendleft(work)
        return []

    def _lose_patience(self, work: Work, task: Task, code: int) -> None:
        seconds = time.monotonic() - work.killed_since
        if work.n_kills >= self.MOST_KILLS and seconds >= self.PATIENCE:
            self._error = WorkersLost(
                f"{task.label}: its worker was killed {work.n_kills} times in {seconds:.0f} s by {signal_name(code)}, "
                f"also when it ran alone; {memory_advice(self._memory, memory_state())}"
            )

    def _blame_start(self, codes: dict[int, int], error: Exception | None) -> None:
        """Count workers that have died before their first task, and processes that could not be started."""
        self._n_false_starts += 1
        self._broken_since = min(self._broken_since, time.monotonic())
        outside = isinstance(error, OSError | EOFError) or (codes and all(map(from_outside, codes.values())))
        if not outside and self._n_false_starts >= self.SUSPICIOUS:
            hint = "; a script that registers something must do its work below `if __name__ == '__main__':`"
            raise WorkersLost("workers die as soon as they start" + (hint if main_is_origin() else ""))
        if time.monotonic() - self._broken_since >= self.PATIENCE:
            why = f"{type(error).__name__}: {error}" if error else memory_advice(self._memory, memory_state())
            raise WorkersLost(f"no worker could be started for {self.PATIENCE:g} s ({why})")
        self._pause()

    def _pause(self) -> None:
        """Start no workers for a while: what kills them may end."""
        self._n_breaks += 1
        pause = min(self.LONGEST_PAUSE, self.FIRST_PAUSE * 2 ** min(self._n_breaks - 1, 20))
        self._resume_at = time.monotonic() + pause

    def _stop(self) -> dict[int, int]:
        """End the executor, if there is one. Returns the exit codes of its workers."""
        executor, self._executor = self._executor, None
        return {} if executor is None else stop(executor)


def _index(sent: Sent, beat: Beat) -> int:
    return sent.indices[min(beat.task, len(sent.indices) - 1)]


def _worst(codes: Iterable[int]) -> int | None:
    """Return an exit code of a crash if there is one, otherwise any; None if none is known."""
    return min(codes, key=from_outside, default=None)


def _no_work() -> None:
    """Do nothing. A worker that cannot even do this did not die because of a job."""

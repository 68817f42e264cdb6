"""Executors by name: run jobs in this process, in local worker processes, or with any other PEP 3148 executor."""

import contextlib
import functools
import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import forkserver, spawn
from typing import Any

from semeai.processes import become_worker, end_worker
from semeai.registry import Registry, main_is_origin, origins
from semeai.work import heartbeat

if sys.platform == "win32":
    from multiprocessing.context import SpawnContext as _BaseContext
    from multiprocessing.context import SpawnProcess as _Process
else:  # forking a driver that has threads can deadlock, so workers are forked from a clean server process
    from multiprocessing.context import ForkServerContext as _BaseContext
    from multiprocessing.context import ForkServerProcess as _Process

ExecutorFactory = Callable[[int], Executor]
"""Function that makes an executor with a given number of workers."""

EXECUTORS: Registry[ExecutorFactory] = Registry("executor", "semeai.executors")

PARCELS_PER_WORKER = 2  # one that runs and one that waits, so that the worker never does


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class InlineExecutor(Executor):
    """Runs jobs in this process, one per ``step``. For tests, debugging and programs that cannot be pickled."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self._waiting.append((future, functools.partial(fn, *args, **kwargs)))
        return future

    def step(self) -> None:
        """Run the oldest job."""
        if self._waiting:
            future, call = self._waiting.popleft()
            try:
                with contextlib.redirect_stdout(sys.stderr):  # our output must not contain what a program prints
                    future.set_result(call())
            except Exception as error:
                future.set_exception(error)


class _Worker(_Process):
    """A process that does not run the main module again, unless that has registered something.

    Other processes of multiprocessing do so. Then scripts without a main guard start themselves without end, and
    notebooks have no main module to run.
    """

    def start(self) -> None:
        with contextlib.nullcontext() if main_is_origin() else _leaving_out_main():
            super().start()


class _Context(_BaseContext):
    Process = _Worker


_patching = threading.Lock()
_starting = threading.local()


@contextlib.contextmanager
def _leaving_out_main() -> Iterator[None]:
    """Leave the main module out of what multiprocessing tells the processes that this thread starts."""

    def without_main(name: str) -> dict[str, Any]:
        data = usual(name)
        mine = getattr(_starting, "worker", False)  # other threads may start other processes now
        return {key: value for key, value in data.items() if not (mine and key.startswith("init_main"))}

    with _patching:
        usual, spawn.get_preparation_data = spawn.get_preparation_data, without_main
        _starting.worker = True
        try:
            yield
        finally:
            _starting.worker = False
            spawn.get_preparation_data = usual


class LocalExecutor(ProcessPoolExecutor):
    """Worker processes on this machine, which note in ``beats`` where they are in their work."""

    def __init__(self, workers: int) -> None:
        context = _Context()
        if sys.platform != "win32":
            context.set_forkserver_preload(["semeai.work.packing"])
            _start_server()
        self._server = _server_id()
        self.beats: MutableSequence[int] = context.RawArray("q", heartbeat.FIELDS * PARCELS_PER_WORKER * workers)
        arguments = (origins(), self.beats)
        super().__init__(workers, mp_context=context, initializer=_start_worker, initargs=arguments)

    def lost_server(self) -> bool:
        """Return whether the server that the workers were forked from has died. A new one is started."""
        _start_server()
        return _server_id() != self._server


@EXECUTORS.register("local")
def local_processes(workers: int) -> Executor:
    """Return a pool of worker processes on this machine."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        os._exit(1)  # a new worker runs the main module again, which has no main guard; the driver will say so
    return LocalExecutor(workers)


@EXECUTORS.register("inline")
def inline(workers: int) -> Executor:
    """Return an executor that uses this process only; the number of workers has no effect."""
    return InlineExecutor()


def _start_worker(modules: Sequence[str], beats: MutableSequence[int]) -> None:
    """Set up a new worker: ignore Ctrl-C, end when the driver ends, import the modules that registered something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    become_worker()
    heartbeat.attach(beats)
    os.dup2(2, 1)  # our output must not contain what a program prints
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            end_worker()  # the driver was killed, so this work is no longer needed

    threading.Thread(target=follow, daemon=True, name="follow-driver").start()
    for name in modules:
        with contextlib.suppress(ImportError):  # a job that needs the module will report the error
            importlib.import_module(name)


def _start_server() -> None:
    """Start the server process that workers are forked from, if it does not run. It ignores SIGTERM.

    If the whole process group gets SIGTERM, as from the command `timeout`, the workers end. With the server they can be
    replaced, so the driver can finish its work.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return  # only the main thread can set signal handlers
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # new processes inherit an ignored signal
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGTERM, before)


def _server_id() -> int | None:
    return getattr(getattr(forkserver, "_forkserver", None), "_forkserver_pid", None)


_GRACE = 2.0
"""Seconds that workers get to end themselves and the programs that they run."""
_NO_STATUS = 255  # of multiprocessing, for a process whose server has died


def stop(executor: Executor) -> dict[int, int]:
    """End an executor without waiting for its running jobs. Returns exit codes by process id, if it has processes.

    A worker that has just been forked ignores SIGTERM, as its server does. It could wait for ever for the lock of the
    queue if a worker held this lock when SIGTERM ended it. So workers that do not end in time are killed, and count as
    ended by SIGTERM. On a busy machine this may also be the exit code of a worker that somebody else has killed.
    """
    processes = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + _GRACE
    codes = {}
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()
            codes[process.pid] = -signal.SIGTERM
        else:
            codes[process.pid] = process.exitcode
    if _NO_STATUS in codes.values() and isinstance(executor, LocalExecutor) and executor.lost_server():
        for pid in [pid for pid, code in codes.items() if code == _NO_STATUS]:
            codes[pid] = -signal.SIGKILL
            with contextlib.suppress(ProcessLookupError):  # multiprocessing takes it for dead and did not end it
                os.kill(pid, signal.SIGKILL)
    return codes

"""Executors by name: run jobs in this process, in local worker processes, or with any other PEP 3148 executor."""

import contextlib
import functools
import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import forkserver
from typing import Any

from semeai.processes import become_worker, end_worker
from semeai.registry import Registry, origins

ExecutorFactory = Callable[[int], Executor]
"""Function that makes an executor with a given number of workers."""

EXECUTORS: Registry[ExecutorFactory] = Registry("executor", "semeai.executors")


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


@EXECUTORS.register("local")
def local_processes(workers: int) -> Executor:
    """Return a pool of worker processes on this machine."""
    methods = multiprocessing.get_all_start_methods()
    # Forking a driver that has threads can deadlock, so workers are forked from a clean server process.
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if hasattr(context, "set_forkserver_preload"):
        context.set_forkserver_preload(["semeai.work.jobs"])
        _start_server()
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(origins(),))


@EXECUTORS.register("inline")
def inline(workers: int) -> Executor:
    """Return an executor that uses this process only; the number of workers has no effect."""
    return InlineExecutor()


def _start_worker(modules: Sequence[str]) -> None:
    """Set up a new worker: ignore Ctrl-C, end when the driver ends, import the modules that registered something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    become_worker()
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
    """Start the server process that workers are forked from. It ignores SIGTERM.

    If the whole process group gets SIGTERM, as from the command `timeout`, the workers end. With the server they can be
    replaced, so the driver can finish its work.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread can set signal handlers
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # new processes inherit an ignored signal
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGTERM, before)

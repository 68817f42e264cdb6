"""Programs that this process starts: their command lines, and that nothing of them is left behind."""

import contextlib
import ctypes
import functools
import multiprocessing.util
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from semeai.errors import ConfigError

KEPT_STDERR = 4000  # characters, from the end
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

Process = subprocess.Popen[bytes]
Stream = IO[bytes] | int

_is_worker = False
_groups: dict[int, int] = {}  # process groups of this process's programs -> the process that started them
_default_sigterm: Any = None  # what SIGTERM did before programs were running
_woken_by_signals = False
_ends_with_us = 0  # the process whose exit ends its programs


def fill_in(command: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Replace ``{name}`` in each argument; a value is never split, quoted or interpreted."""

    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            raise ConfigError(f"the command uses {{{name}}}, but the candidate has only {', '.join(sorted(values))}")
        try:
            return str(values[name])
        except ValueError as error:  # an integer of thousands of digits
            raise ConfigError(f"{{{name}}} of the command cannot be written out: {error}") from None

    def one(argument: str) -> str:
        pieces = re.split(r"(\{\{|\}\})", argument)
        return "".join(p[0] if p in ("{{", "}}") else _PLACEHOLDER.sub(value_of, p) for p in pieces)

    return [one(argument) for argument in command]


def placeholders(command: Sequence[str]) -> set[str]:
    """The names a command asks for."""
    return {name for argument in command for name in _PLACEHOLDER.findall(re.sub(r"\{\{|\}\}", "", argument))}


def start_program(
    arguments: Sequence[str],
    *,
    folder: str | None,
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    outlives_thread: bool = False,
) -> Process:
    """Start a program, without a shell, in a process group of its own; whoever starts it calls ``end_program``.

    When a worker is told to end, or its driver dies, so does all this; when the worker is killed, the kernel ends the
    program itself, but not what that has started. ``outlives_thread``: the thread that starts it may end before it.
    """
    # The kernel's parent is a thread: a program that is to outlive it can follow only the main one.
    tied = _LIBC is not None and not (outlives_thread and threading.current_thread() is not threading.main_thread())
    _end_programs_at_exit()
    _take_sigterm()
    try:
        process = subprocess.Popen(
            list(arguments),
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=functools.partial(_die_with_parent, os.getpid()) if tied else None,
        )
    except BaseException:
        _leave_sigterm()
        raise
    _groups[process.pid] = os.getpid()
    return process


def end_program(process: Process) -> None:
    """Kill what is left of the program and its group, and reap it."""
    signal_group(process, signal.SIGKILL)
    process.wait()
    _groups.pop(process.pid, None)
    _leave_sigterm()


def wait_for_program(process: Process, timeout: float) -> int:
    """Its exit status, or TimeoutExpired. Popen.wait sleeps up to 50 ms too long; the kernel can tell at once."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(process.pid)
            try:
                if not select.select([handle], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(process.args, timeout)
                return process.wait()
            finally:
                os.close(handle)
    return process.wait(timeout)


def signal_group(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def describe_exit(code: int) -> str:
    """An exit status, with the signal's name where there was one."""
    if code >= 0:
        return str(code)
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return str(code)


def _die_with_parent(parent: int) -> None:
    # A worker that is killed cannot clean up: the kernel does it.
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def become_worker() -> None:
    """From now on SIGTERM ends this process with the programs that it runs."""
    global _is_worker
    _is_worker = True


def end_worker() -> None:
    """End now, and every program that this process has started and not seen the end of."""
    _end_groups()
    os._exit(1)


def _end_groups() -> None:
    for group, owner in list(_groups.items()):
        if owner == os.getpid():  # a fork inherits the table, not the programs
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)


def _end_programs_at_exit() -> None:
    """Workers do not run atexit's functions, but both they and their driver run multiprocessing's."""
    global _ends_with_us
    if _ends_with_us != os.getpid():
        _ends_with_us = os.getpid()
        finalize: Callable[..., Any] = multiprocessing.util.Finalize
        finalize(None, _end_groups, exitpriority=10)


def _take_sigterm() -> None:
    """While programs run: at other times the signal's default is better, as it does not wait for Python."""
    global _default_sigterm
    if _is_worker and _default_sigterm is None and threading.current_thread() is threading.main_thread():
        _wake_for_signals()
        _default_sigterm = signal.signal(signal.SIGTERM, lambda number, frame: end_worker())


def _leave_sigterm() -> None:
    global _default_sigterm
    if _default_sigterm is not None and not _groups and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _default_sigterm)
        _default_sigterm = None


def _wake_for_signals() -> None:
    """Handlers run in the main thread, which may be deep in a kernel: a thread of its own sees the signal at once."""
    global _woken_by_signals
    if _woken_by_signals:
        return
    _woken_by_signals = True
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def follow() -> None:
        while received := os.read(read, 64):
            if signal.SIGTERM in received:
                end_worker()

    threading.Thread(target=follow, daemon=True, name="follow-signals").start()

"""Programs that this process starts: build their command lines, and end them without leaving processes behind."""

import contextlib
import ctypes
import functools
import multiprocessing.util
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import IO, Any

from semeai.errors import ConfigError
from semeai.mirror import translated

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_TEMPLATE = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")  # read from left to right, once

GAME_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian installs games; PATH may lack them."""

Process = subprocess.Popen[bytes]
Stream = IO[bytes] | int

_is_worker = False
_groups: dict[int, int] = {}  # process group of each running program -> id of the process that started it
_default_sigterm: Any = None  # handler of SIGTERM before a program was started
_woken_by_signals = False
_ends_with_us = 0  # id of the process that ends its programs when it exits


def fill_in(command: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Replace ``{name}`` in each argument; ``{{`` and ``}}`` become single braces.

    Returns the arguments. A value is never split, quoted or interpreted. Raises ConfigError if a value is missing, or
    if an argument cannot be given to a program.
    """

    def replaced(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match[0][0]
        if name not in values:
            raise ConfigError(f"the command uses {{{name}}}, but the candidate has only {', '.join(sorted(values))}")
        try:
            return str(values[name])
        except ValueError as error:  # an integer of thousands of digits
            raise ConfigError(f"{{{name}}} of the command cannot be written out: {error}") from None

    arguments = [_TEMPLATE.sub(replaced, argument) for argument in command]
    for argument in arguments:
        if "\0" in argument or not _can_be_encoded(argument):
            raise ConfigError(f"no program can have the argument {argument[:100]!r}")
    return arguments


def _can_be_encoded(argument: str) -> bool:
    try:
        os.fsencode(argument)
    except UnicodeEncodeError:
        return False
    return True


def placeholders(command: Sequence[str]) -> set[str]:
    """Return the names that ``fill_in`` replaces in a command."""
    return {match["name"] for argument in command for match in _TEMPLATE.finditer(argument) if match["name"]}


def find_program(program: str, folder: str | None = None) -> str | None:
    """Return the path of a program: in PATH, or in the folders of games; None if there is none.

    A program with a slash is a path of its own, from ``folder`` if it is relative.
    """
    if os.sep in program:
        return shutil.which(os.path.join(folder or "", program))
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *GAME_FOLDERS]))


def start_program(
    arguments: Sequence[str],
    *,
    folder: str | None,
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    outlives_thread: bool = False,
    fast: bool = False,
    cpus: Collection[int] = (),
) -> Process:
    """Start a program without a shell in its own process group. The caller must call ``end_program``.

    If a worker gets SIGTERM or its driver dies, the whole group ends. If the worker gets SIGKILL, the operating system
    ends the program, but not the processes that the program started. Set ``outlives_thread`` if the calling thread may
    end before the program. With ``fast`` it starts milliseconds sooner, but the operating system does not end it. If
    ``cpus`` are given, it runs only on these processors.
    """
    # For the operating system the parent is a thread. A program that outlives its thread can only follow the main one.
    in_main_thread = threading.current_thread() is threading.main_thread()
    tied = _LIBC is not None and not fast and (in_main_thread or not outlives_thread)
    _end_programs_at_exit()
    _take_sigterm()
    try:
        words = [translated(word) for word in arguments]
        found = None if os.sep in words[0] else find_program(words[0])
        with _running_on(cpus):  # a new process inherits it
            process = subprocess.Popen(
                words,
                executable=found and os.path.abspath(found),
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


def end_program(process: Process) -> resource.struct_rusage | None:
    """Kill the program and its process group if they still run, and wait for its exit status.

    Returns the time and memory that the program has used, together with the processes that it has waited for; None if
    somebody else has waited for it before.
    """
    signal_group(process, signal.SIGKILL)
    used = None
    if process.returncode is None:
        with contextlib.suppress(ChildProcessError):
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    process.wait()
    _groups.pop(process.pid, None)
    _leave_sigterm()
    return used


def signal_group(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def describe_exit(code: int) -> str:
    """Return an exit status as text, with the name of the signal if one ended the program."""
    if code >= 0:
        return str(code)
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return str(code)


def _die_with_parent(parent: int) -> None:
    # A worker that gets SIGKILL cannot clean up, so the operating system does it.
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


@contextlib.contextmanager
def _running_on(cpus: Collection[int]) -> Iterator[None]:
    """Move this thread to some processors for a moment; to none in particular if none are given."""
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def become_worker() -> None:
    """Mark this process as a worker: SIGTERM then ends it together with the programs that it runs."""
    global _is_worker
    _is_worker = True


def end_worker() -> None:
    """End this process at once, together with all programs that it has started and that still run."""
    end_programs()
    os._exit(128 + signal.SIGTERM)  # as a shell reports it, so that it is not taken for a crash


def end_programs() -> None:
    """End all programs that this process has started and that still run."""
    for group, owner in list(_groups.items()):
        if owner == os.getpid():  # a fork inherits the table, not the programs
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)


def _end_programs_at_exit() -> None:
    """End all programs when this process exits. Workers skip atexit, but run the exit functions of multiprocessing."""
    global _ends_with_us
    if _ends_with_us != os.getpid():
        _ends_with_us = os.getpid()
        finalize: Callable[..., Any] = multiprocessing.util.Finalize
        finalize(None, end_programs, exitpriority=10)


def _take_sigterm() -> None:
    """Handle SIGTERM while programs run. At other times the default action is better: it does not wait for Python."""
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
    """Start a thread that sees SIGTERM at once; signal handlers wait for the main thread, which may run a kernel."""
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

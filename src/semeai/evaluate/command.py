"""Running one program to its end: no shell, a time limit, its stderr kept, nothing left behind."""

import contextlib
import ctypes
import functools
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from semeai.errors import ProgramFailed

KEPT_OUTPUT = 1 << 16  # bytes, from the end
KEPT_STDERR = 4000  # characters, from the end
_PR_SET_PDEATHSIG = 1


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_is_worker = False
_running: set[int] = set()  # process groups of this process's programs


def run_command(arguments: Sequence[str], *, folder: str | None, timeout: float) -> str:
    """The end of the program's standard output. Its whole process group ends with it, and at the time limit.

    When a worker is told to end, or its driver dies, so does all this; when the worker is killed, the kernel ends the
    program itself, but not what that has started.
    """
    # Files, not pipes: a child that a program leaves behind could hold a pipe open for ever.
    with _ending_on_sigterm(), tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(arguments),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=functools.partial(_die_with_parent, os.getpid()) if _LIBC else None,
            )
        except (OSError, ValueError) as error:
            raise ProgramFailed(f"cannot start {arguments[0]!r}: {error}") from None
        _running.add(process.pid)
        try:
            code = _wait(process, timeout)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(f"no answer within {timeout:g} s", _stop_and_read(process, err)) from None
        finally:
            _kill_group(process)
        if code != 0:
            raise ProgramFailed(f"exit status {_describe(code)}", _tail(err))
        return _read(out)


def _wait(process: "subprocess.Popen[bytes]", timeout: float) -> int:
    """Popen.wait with a time limit sleeps up to 50 ms too long; the kernel can tell at once."""
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


def _die_with_parent(parent: int) -> None:
    # A worker that is killed cannot clean up: the kernel does it.
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def become_worker() -> None:
    """From now on SIGTERM ends this process with the program that it runs."""
    global _is_worker
    _is_worker = True


def end_worker() -> None:
    """End now, and every program that this process has started and not seen the end of."""
    for group in list(_running):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    os._exit(1)


@contextlib.contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """While a program runs: at other times the signal's default is better, as it does not wait for a kernel to end."""
    if not _is_worker:
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: end_worker())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _running.discard(process.pid)


def _stop_and_read(process: "subprocess.Popen[bytes]", err: IO[bytes]) -> str:
    _kill_group(process)
    return _tail(err)


def _read(file: IO[bytes]) -> str:
    """The end of what was written: one line of it is wanted, and it may be gigabytes."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - KEPT_OUTPUT))
    return file.read().decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _tail(err: IO[bytes]) -> str:
    return _read(err)[-KEPT_STDERR:]


def _describe(code: int) -> str:
    if code >= 0:
        return str(code)
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return str(code)

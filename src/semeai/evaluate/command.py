"""Running one program to its end: no shell, a time limit, its stderr kept, nothing left behind."""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO

from semeai.errors import ProgramFailed

KEPT_STDERR = 4000  # characters, from the end
_PR_SET_PDEATHSIG = 1


class CommandFailed(ProgramFailed):
    """A program that ended badly, with what it said."""

    def __init__(self, message: str, stderr: str) -> None:
        super().__init__(message)
        self.stderr = stderr


def run_command(arguments: Sequence[str], *, folder: str | None, timeout: float) -> str:
    """The program's standard output. Its whole process group ends with it, at the limit, and when we die."""
    # Files, not pipes: a child that a program leaves behind could hold a pipe open for ever.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(arguments),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        except OSError as error:
            raise CommandFailed(f"cannot start {arguments[0]!r}: {error.strerror}", "") from None
        try:
            code = _wait(process, timeout)
        except subprocess.TimeoutExpired:
            raise CommandFailed(f"no answer within {timeout:g} s", _stop_and_read(process, err)) from None
        finally:
            _kill_group(process)
        if code != 0:
            raise CommandFailed(f"exit status {_describe(code)}", _tail(err))
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


def _die_with_parent() -> None:
    # A worker that is killed cannot clean up: the kernel does it.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _stop_and_read(process: "subprocess.Popen[bytes]", err: IO[bytes]) -> str:
    _kill_group(process)
    return _tail(err)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _tail(err: IO[bytes]) -> str:
    return _read(err)[-KEPT_STDERR:]


def _describe(code: int) -> str:
    if code >= 0:
        return str(code)
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return str(code)

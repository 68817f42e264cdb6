"""Run one program to its end: without a shell, with a time limit, and without leaving processes behind."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

from semeai.errors import ProgramFailed
from semeai.processes import KEPT_STDERR, describe_exit, end_program, start_program, wait_for_program

KEPT_OUTPUT = 1 << 16  # bytes kept from the end of the output


def run_command(arguments: Sequence[str], *, folder: str | None, timeout: float) -> str:
    """Return the end of the program's standard output. Its whole process group ends with it or at the time limit.

    Raises ProgramFailed if it cannot start, exits with an error or takes longer than ``timeout`` seconds.
    """
    # Files instead of pipes: a child process that a program leaves behind could keep a pipe open for ever.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = start_program(arguments, folder=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except (OSError, ValueError) as error:
            raise ProgramFailed(f"cannot start {arguments[0]!r}: {error}") from None
        try:
            code = wait_for_program(process, timeout)
        except subprocess.TimeoutExpired:
            end_program(process)
            raise ProgramFailed(f"no answer within {timeout:g} s", _tail(err)) from None
        finally:
            end_program(process)
        if code != 0:
            raise ProgramFailed(f"exit status {describe_exit(code)}", _tail(err))
        return _read(out)


def _read(file: IO[bytes]) -> str:
    """Return the end of a file. Only its last line is needed, and the file may have gigabytes."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - KEPT_OUTPUT))
    return file.read().decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _tail(err: IO[bytes]) -> str:
    return _read(err)[-KEPT_STDERR:]

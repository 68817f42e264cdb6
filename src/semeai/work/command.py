"""Run one program to its end: without a shell, with limits for time and output, leaving no processes behind."""

import contextlib
import subprocess
import time
from collections.abc import Sequence

from semeai.errors import ProgramFailed
from semeai.processes import describe_exit, end_program, start_program
from semeai.streams import Ends, ErrorTail, Pipes

KEPT_OUTPUT = 1 << 16  # bytes kept from the end of the output
MOST_OUTPUT = 1_000_000_000  # bytes that a program may write to each of its two streams


def run_command(arguments: Sequence[str], *, folder: str | None, timeout: float) -> str:
    """Return the end of the program's standard output. Its whole process group ends with it or at a limit.

    Raises ProgramFailed if it cannot start, exits with an error, takes longer than ``timeout`` seconds or writes more
    than a gigabyte.
    """
    try:
        process = start_program(
            arguments, folder=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except (OSError, ValueError) as error:
        raise ProgramFailed(f"cannot start {arguments[0]!r}: {error}") from None
    out, err = Ends(KEPT_OUTPUT), ErrorTail()
    try:
        with contextlib.closing(Pipes(process, out.add, err.add)) as pipes:
            failure = _run(pipes, out, err, timeout)
    finally:
        end_program(process)
    if failure:
        raise ProgramFailed(failure, err.tail())
    if process.returncode != 0:
        raise ProgramFailed(f"exit status {describe_exit(process.returncode)}", err.tail())
    return out.tail()


def _run(pipes: Pipes, out: Ends, err: Ends, timeout: float) -> str:
    """Read the program's output until it ends or passes a limit. Returns which limit; empty if it has ended."""
    deadline = time.monotonic() + timeout
    in_time = True
    while not pipes.ended:
        if not in_time:
            return f"no answer within {timeout:g} s"
        in_time = pipes.pump(deadline)
        for kept, name in ((out, "output"), (err, "error")):
            if kept.size > MOST_OUTPUT:
                most = f"{MOST_OUTPUT // 10**6:,} MB"
                return f"it wrote more than {most} to standard {name}, beginning with {kept.head()}"
    return ""

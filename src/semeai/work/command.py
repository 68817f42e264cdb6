"""Run one program to its end: without a shell, with limits for time and output, leaving no processes behind."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from semeai.errors import ProgramFailed
from semeai.kills import was_killed
from semeai.processes import describe_exit, end_program, start_program
from semeai.streams import Ends, ErrorTail, Pipes

KEPT_OUTPUT = 1 << 16  # bytes kept from the end of the output
MOST_OUTPUT = 1_000_000_000  # bytes that a program may write to each of its two streams


class Finished(NamedTuple):
    """A program that has ended: what it printed, and what it used."""

    output: str
    """The end of its standard output."""
    beginning: str
    """The beginning of its standard output, as messages show it."""
    status: int
    """Exit status; negative if a signal ended it."""
    errors: str
    """The end of its standard error."""
    seconds: float
    """Wall time, with the start of the process."""
    cpu_seconds: float
    """Processor time of the program and of the processes that it has waited for."""
    memory: float
    """Largest resident memory of one of these processes in bytes. It is at least that of the process that starts it."""


def run_command(arguments: Sequence[str], *, folder: str | None, timeout: float) -> Finished:
    """Run the program to its end. Its whole process group ends with it or at a limit.

    Raises ProgramFailed if it cannot start, exits with an error, takes longer than ``timeout`` seconds or writes more
    than a gigabyte.
    """
    finished = measure_command(arguments, folder=folder, timeout=timeout)
    check_status(finished)
    return finished


def check_status(finished: Finished) -> None:
    """Raise ProgramFailed if the program has ended with an error."""
    if finished.status != 0:
        status = finished.status
        raise ProgramFailed(f"exit status {describe_exit(status)}", finished.errors, was_killed(status))


def measure_command(
    arguments: Sequence[str],
    *,
    folder: str | None,
    timeout: float,
    fast: bool = False,
    cpus: Collection[int] = (),
) -> Finished:
    """Run the program to its end, with any exit status; ``fast`` and ``cpus`` are those of ``start_program``.

    Raises ProgramFailed if it cannot start or exceeds a limit.
    """
    began = time.perf_counter()
    try:
        process = start_program(
            arguments,
            folder=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            fast=fast,
            cpus=cpus,
        )
    except (OSError, ValueError) as error:
        raise ProgramFailed(f"cannot start {arguments[0]!r}: {error}") from None
    out, err = Ends(KEPT_OUTPUT), ErrorTail()
    used = None
    try:
        with contextlib.closing(Pipes(process, out.add, err.add)) as pipes:
            failure = _run(pipes, out, err, timeout)
        seconds = time.perf_counter() - began
    finally:
        used = end_program(process)
    if failure:
        raise ProgramFailed(failure, err.tail())
    cpu = used.ru_utime + used.ru_stime if used else 0.0
    memory = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) if used else 0
    return Finished(out.tail(), out.head(), process.returncode, err.tail(), seconds, cpu, memory)


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

"""Metrics of a command: what one run of it took, or what it printed."""

import sys
from collections.abc import Collection, Sequence
from typing import Literal

from semeai.errors import BadReward
from semeai.work.command import Finished, check_status, measure_command

Metric = Literal["time", "cpu", "memory", "stdout"]
"""Wall time in seconds, processor time in seconds, largest resident memory in bytes, or the last line printed."""

# A new process has the memory of the process that starts it, until it becomes another program, and the system counts
# the largest memory over both. So a small process starts the command and prints the command's memory.
_MEMORY_LAUNCHER = """
import os, sys
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print("\\n%d" % used.ru_maxrss)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
"""
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes


def run_metric(
    metric: Metric,
    arguments: Sequence[str],
    *,
    folder: str | None,
    timeout: float,
    cpus: Collection[int] = (),
    any_status: bool = False,
) -> tuple[list[float], Finished]:
    """Run a command once. Returns its numbers by this metric, and everything else that was measured.

    The memory of a command that needs less than an empty Python process is reported as that of such a process. Raises
    ProgramFailed if the command fails, BadReward if it prints no number where one is needed. Exit statuses other than 0
    are failures unless ``any_status``.
    """
    if metric == "memory":
        arguments = [sys.executable, "-I", "-S", "-c", _MEMORY_LAUNCHER, *arguments]
    finished = measure_command(arguments, folder=folder, timeout=timeout, fast=True, cpus=cpus)
    if not any_status:
        check_status(finished)
    if metric == "time":
        return [finished.seconds], finished
    if metric == "cpu":
        return [finished.cpu_seconds], finished
    numbers = printed_numbers(finished)
    return ([_RSS_UNIT * numbers[0]] if metric == "memory" else numbers), finished


def printed_numbers(finished: Finished) -> list[float]:
    """Return the numbers on the last line that a program has printed. Raises BadReward if there are none."""
    try:
        return parse_numbers(finished.output)
    except BadReward as error:
        if len(finished.output.strip().splitlines()) < 2:
            raise
        raise BadReward(f"{error}; its output begins with {finished.beginning}") from None


def parse_numbers(output: str) -> list[float]:
    """Return the numbers on the last line of a program's output. Raises BadReward if there are none."""
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    try:
        return [float(word) for word in last.replace(",", " ").split()] or _no_number(last)
    except ValueError:
        return _no_number(last)


def _no_number(text: str) -> list[float]:
    shown = text if len(text) <= 200 else f"{text[:100]} … {text[-100:]}"
    raise BadReward(f"the last line it printed is {shown!r}, not a number")

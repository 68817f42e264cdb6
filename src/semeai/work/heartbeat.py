"""Where workers are in their work: numbers in shared memory that a worker writes and its driver reads.

A parcel has a place of its own in the memory while it is under way. So the driver knows which task a dead worker was
running, and since when an evaluation runs, also if its code never returns to Python.
"""

import os
from collections.abc import MutableSequence
from typing import NamedTuple

TOKEN, PID, TASK, STEP, ATTEMPT, STAGE = range(6)
FIELDS = 6
BASELINE = 1
"""Stage in which the baseline runs; otherwise it is 0."""

_Numbers = MutableSequence[int]
_memory: _Numbers | None = None
_here: _Numbers = [0] * FIELDS  # outside worker processes nobody reads it


class Beat(NamedTuple):
    """The place in the work that a worker has noted."""

    token: int
    pid: int
    task: int
    """Index of the task in its parcel."""
    step: int
    """Index of the evaluation in its job; -1 before the first one."""
    attempt: int
    stage: int


def attach(memory: _Numbers) -> None:
    """Let this worker write to the memory that it shares with its driver."""
    global _memory
    _memory = memoryview(memory).cast("B").cast("q")  # type: ignore[arg-type, assignment]  # faster than ctypes


def begin(place: int, token: int) -> None:
    """Note that this worker begins the parcel ``token``, which has been given a place in the memory."""
    global _here
    _here = [0] * FIELDS if _memory is None else _memory[FIELDS * place : FIELDS * (place + 1)]
    begin_task(0)
    _here[PID] = os.getpid()
    _here[TOKEN] = token


def begin_task(index: int) -> None:
    _here[STEP], _here[ATTEMPT], _here[STAGE] = -1, 0, 0
    _here[TASK] = index


def end() -> None:
    """Note that the parcel is done."""
    global _here
    _here[TOKEN] = 0
    _here = [0] * FIELDS


def here() -> _Numbers:
    """Return the numbers of the parcel that this process runs, to write to."""
    return _here


def read(memory: _Numbers, place: int) -> Beat:
    """Return the last beat at a place."""
    return Beat(*memory[FIELDS * place : FIELDS * (place + 1)])

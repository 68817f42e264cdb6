"""How workers die: by a crash of the program that they run, by its time limit, or by a kill from outside."""

from dataclasses import dataclass

from semeai.kills import TERMS


@dataclass(frozen=True)
class Death:
    """The reason why a task has no result: it ended its worker, or did not end in time."""

    reason: str
    step: int = -1
    """Index of the evaluation that was running; -1 if it is not known."""
    stage: int = 0


def causes(codes: dict[int, int]) -> dict[int, int]:
    """Return the workers that died first, as exit codes by process id.

    When one worker dies, an executor terminates the others.
    """
    return {pid: code for pid, code in codes.items() if code not in TERMS} or codes

"""How workers die: by a crash of the program that they run, by its time limit, or by a kill from outside."""

import contextlib
import re
import signal
from dataclasses import dataclass
from pathlib import Path

TERMINATED = 128 + signal.SIGTERM
"""Exit status of a worker that has ended its programs because of SIGTERM (``processes.end_worker``)."""
_TERMS = {-signal.SIGTERM, TERMINATED}
_KILLS = {-getattr(signal, name) for name in ("SIGKILL", "SIGHUP") if hasattr(signal, name)}


@dataclass(frozen=True)
class Death:
    """The reason why a task has no result: it ended its worker, or did not end in time."""

    reason: str
    step: int = -1
    """Index of the evaluation that was running; -1 if it is not known."""
    stage: int = 0


def from_outside(code: int) -> bool:
    """Return whether a signal ended a worker that programs do not send to themselves."""
    return code in _TERMS or code in _KILLS


def causes(codes: dict[int, int]) -> dict[int, int]:
    """Return the workers that died first, as exit codes by process id.

    When one worker dies, an executor terminates the others.
    """
    return {pid: code for pid, code in codes.items() if code not in _TERMS} or codes


def signal_name(code: int) -> str:
    """Return the name of the signal that an exit code from outside stands for."""
    return signal.Signals(-code if code < 0 else code - 128).name


# -- memory -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """What the operating system says about memory."""

    n_kills: int
    """Processes that were killed because memory was used up."""
    limit: int | None
    """Bytes that this process and its workers may use together; None if there is no limit but the machine's."""


def memory_state(root: Path = Path("/")) -> Memory:
    """Return the count of kills and the limit of this process's control group, or of the machine if it has none."""
    for group, events, limit in _groups(root):
        kills = _number(r"^oom_kill (\d+)", group / events)
        bytes_ = _number(r"^(\d+)$", group / limit)
        if kills is not None and bytes_ is not None and bytes_ < 1 << 60:  # version 1 writes a huge number for "none"
            return Memory(kills, bytes_)
    return Memory(_number(r"^oom_kill (\d+)", root / "proc/vmstat") or 0, None)


def _groups(root: Path) -> list[tuple[Path, str, str]]:
    """Return the folders of this process's control group and those above it, with the names of their files."""
    found = []
    with contextlib.suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                top = root / "sys/fs/cgroup" / controllers
                names = ("memory.oom_control", "memory.limit_in_bytes") if controllers else _VERSION_2
                own = top / path.lstrip("/")
                found += [(place, *names) for place in (own, *own.parents) if place.is_relative_to(top)]
    return found


_VERSION_2 = ("memory.events", "memory.max")


def _number(pattern: str, file: Path) -> int | None:
    with contextlib.suppress(OSError):
        if match := re.search(pattern, file.read_text(), re.MULTILINE):
            return int(match[1])
    return None


def memory_advice(before: Memory, after: Memory) -> str:
    """Return the end of a sentence about killed workers: whether memory was used up."""
    limit = f" (the limit is {after.limit / 2**30:.2g} GB)" if after.limit else ""
    if (n := after.n_kills - before.n_kills) > 0:
        return f"memory was used up {n} times{limit}: use fewer workers, or a program that needs less"
    return f"somebody or a batch system has sent it, or memory was used up{limit}"

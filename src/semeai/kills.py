"""Kills from outside: how they are told from crashes, whether memory was used up, and when to try again."""

import contextlib
import re
import signal
from dataclasses import dataclass
from pathlib import Path

TERMINATED = 128 + signal.SIGTERM
"""Exit status of a worker that has ended its programs because of SIGTERM (``processes.end_worker``)."""
TERMS = frozenset((-signal.SIGTERM, TERMINATED))
_KILLS = frozenset(code for sent in (signal.SIGKILL, signal.SIGHUP) for code in (-sent, 128 + sent))
PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0)
"""Seconds before each new try of a program that was killed from outside: what kills it may end."""


def from_outside(code: int) -> bool:
    """Return whether a process was ended by a signal that programs do not send to themselves.

    ``code`` is its exit status: negative, or above 128 as a shell reports it.
    """
    return code in TERMS or code in _KILLS


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


_first = _before = memory_state()


def was_killed(status: int) -> bool:
    """Return whether a program that failed was killed from outside, so that another try may succeed.

    It was if a signal from outside has ended it, or if memory was used up since the last failure: then one of its own
    processes may have been killed.
    """
    global _before
    before, _before = _before, memory_state()
    return from_outside(status) or _before.n_kills > before.n_kills


def how_often() -> str:
    """Return the end of a sentence about a program that was killed in every try."""
    return f"in {len(PAUSES) + 1} tries; {memory_advice(_first, memory_state())}"


def memory_advice(before: Memory, after: Memory) -> str:
    """Return the end of a sentence about killed workers: whether memory was used up."""
    limit = f" (the limit is {after.limit / 2**30:.2g} GB)" if after.limit else ""
    if (n := after.n_kills - before.n_kills) > 0:
        return f"memory was used up {n} times{limit}: use fewer workers, or a program that needs less"
    return f"somebody or a batch system has sent it, or memory was used up{limit}"

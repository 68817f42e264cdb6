"""What a piece of work needs on the machine that runs it: files, programs, and preparations such as compiling."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from semeai.processes import find_program

MOST_BYTES = 256_000_000
"""Largest total size of the files that travel to a worker."""

Say = Callable[[str], object]


@dataclass(frozen=True)
class Needs:
    """Files by absolute path, which may be copied to a worker, and programs, which must be installed there."""

    files: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    """Names of programs, or their paths, as ``processes.find_program`` takes them."""

    def __or__(self, other: "Needs") -> Self:
        return type(self)(self.files | other.files, self.programs | other.programs)


class Setup(Protocol):
    """The common part of all tasks of a run, as picklable data."""

    def needs(self) -> Needs:
        """Return the files and programs that its tasks use."""

    def prepare(self, say: Say) -> None:
        """Do work that every worker would need first, such as compiling kernels."""


def needs_of_command(command: Sequence[str], folder: str | None) -> Needs:
    """Return what a command needs: files of its folder that it names, and a program that lies elsewhere."""
    home = os.path.realpath(folder or os.curdir)
    files, programs = set(), set()
    for i, word in enumerate(command):
        path = os.path.join(home, word)
        is_inside = os.path.realpath(path).startswith(home + os.sep)
        is_path = os.sep in word or i > 0  # a bare first word is searched in PATH
        if is_path and is_inside and os.path.isfile(path):
            files.add(os.path.abspath(path))
        elif i == 0 and "{" not in word:
            programs.add(word)
    return Needs(frozenset(files), frozenset(programs))


def needs_of_folder(folder: str | None) -> Needs:
    """Return the modules of a folder that this process has imported: a program of the folder consists of them."""
    if folder is None:
        return Needs()
    inside = os.path.realpath(folder) + os.sep
    paths = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    found = [path for path in paths if path and os.path.realpath(path).startswith(inside)]
    return Needs(frozenset(os.path.abspath(path) for path in found if f"{os.sep}site-packages{os.sep}" not in path))


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file's contents; empty for a file that cannot be read."""
    return {path: _digest(path) for path in sorted(paths)}


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def missing_programs(programs: Iterable[str]) -> list[str]:
    """Return the programs that this machine does not have."""
    return [program for program in sorted(programs) if find_program(program) is None]

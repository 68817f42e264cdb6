"""What a piece of work needs on the machine that runs it: files, programs, and preparations such as compiling."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from semeai.mirror import names_in
from semeai.processes import find_program

MOST_BYTES = 256_000_000
"""Largest total size of the files that travel to a worker."""

Say = Callable[[str], object]


@dataclass(frozen=True)
class Needs:
    """Files by absolute path, which may be copied to a worker, and what must be there already."""

    files: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    """Names of programs, or their paths, as ``processes.find_program`` takes them."""
    places: frozenset[str] = frozenset()
    """Absolute paths of files that must be the same on the worker, and of folders that it must have."""

    def __or__(self, other: "Needs") -> Self:
        return type(self)(self.files | other.files, self.programs | other.programs, self.places | other.places)


class Setup(Protocol):
    """The common part of all tasks of a run, as picklable data."""

    def needs(self) -> Needs:
        """Return the files and programs that its tasks use."""

    def prepare(self, say: Say) -> None:
        """Do work that every worker would need first, such as compiling kernels."""


def needs_of_command(command: Sequence[str], folder: str | None) -> Needs:
    """Return what a command needs: files of its folder that it names, and programs and files that lie elsewhere."""
    home = os.path.realpath(folder or os.curdir)
    program, *arguments = command
    found = needs_of_words(arguments, folder)
    if os.sep in program and _is_inside(home, program) and os.path.isfile(path := _absolute(home, program)):
        return found | Needs(frozenset([path]))
    if "{" in program:
        return found
    # A bare word is searched in PATH.
    return found | Needs(programs=frozenset([_absolute(home, program) if os.sep in program else program]))


def needs_of_words(words: Iterable[str], folder: str | None) -> Needs:
    """Return the files and folders that words name.

    Files may travel, but not programs and not relative paths that lead out of ``folder``; they must be there.
    """
    home = os.path.realpath(folder or os.curdir)
    found = Needs()
    for name in {name for word in words for name in names_in(word)}:
        path = _absolute(home, name)
        if os.path.isfile(path):
            is_inside = _is_inside(home, name)
            if not is_inside and os.access(path, os.X_OK):
                found |= Needs(programs=frozenset([path]))
            elif is_inside or os.path.isabs(name):
                found |= Needs(files=frozenset([path]))
            else:
                found |= Needs(places=frozenset([path]))
        elif os.path.isdir(path) and os.path.realpath(path) != home:
            found |= Needs(places=frozenset([path]))  # a program may write into it, so its contents do not count
    return found


def _absolute(home: str, name: str) -> str:
    return os.path.abspath(os.path.join(home, name))


def _is_inside(home: str, name: str) -> bool:
    return os.path.realpath(os.path.join(home, name)).startswith(home + os.sep)


def needs_of_folder(folder: str | None) -> Needs:
    """Return the modules of a folder that this process has imported: a program of the folder consists of them."""
    if folder is None:
        return Needs()
    inside = os.path.realpath(folder) + os.sep
    paths = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    found = [path for path in paths if path and os.path.realpath(path).startswith(inside)]
    return Needs(frozenset(os.path.abspath(path) for path in found if f"{os.sep}site-packages{os.sep}" not in path))


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file's contents; "folder" for a folder, and empty for what cannot be read."""
    return {path: _digest(path) for path in sorted(paths)}


def _digest(path: str) -> str:
    if os.path.isdir(path):
        return "folder"
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def missing_programs(programs: Iterable[str]) -> list[str]:
    """Return the programs that this machine does not have."""
    return [program for program in sorted(programs) if find_program(program) is None]

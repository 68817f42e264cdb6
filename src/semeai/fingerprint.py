"""What must be equal on all machines of a run: the sources of semeai, and the versions of what computes with them."""

import glob
import hashlib
import os
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("numpy", "numba")  # results of compiled code may depend on them


@cache
def fingerprint() -> dict[str, str]:
    """Return what has to be equal, by name. The version of semeai alone would not tell two checkouts apart."""
    return {
        "semeai": f"{_version('semeai')}, sources {source_digest(Path(__file__).parent)}",
        "Python": f"{sys.version_info[0]}.{sys.version_info[1]}",
        **{name: _version(name) for name in _PACKAGES},
    }


def source_digest(folder: Path) -> str:
    """Return a hash of the names and contents of all Python files below a folder."""
    digest = hashlib.sha256()
    for name in sorted(glob.glob("**/*.py", root_dir=folder, recursive=True)):
        digest.update(name.replace(os.sep, "/").encode() + b"\0" + (folder / name).read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def difference(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Return the first difference of two fingerprints as the end of a sentence; empty if they are equal."""
    for name in ours:
        if ours[name] != theirs.get(name):
            return f"it has {name} {theirs.get(name, 'in no version')}, and this machine has {ours[name]}"
    return ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

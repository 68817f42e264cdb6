"""Copies of files that came from another machine: they lie below a folder, under the paths that they have there."""

import os

_root = ""


def use(root: str) -> None:
    """Look for files below ``root`` first; empty: files are where their paths say."""
    global _root
    _root = root


def located(path: str) -> str:
    """Return where a file or folder really is: its copy if this process has one, otherwise the path itself."""
    copy = place_of(path, _root)
    return copy if _root and os.path.exists(copy) else path


def place_of(path: str, root: str) -> str:
    """Return the place of the copy of ``path`` below ``root``. A relative path counts from the working directory."""
    return os.path.join(root, os.path.abspath(path).lstrip(os.sep))

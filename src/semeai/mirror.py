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


def names_in(word: str) -> set[str]:
    """Return the words that may be the names of files in an argument: also ``--name=FILE``, and a list with commas."""
    return {word, *word.partition("=")[2].split(",")} - {""}


def translated(word: str) -> str:
    """Return an argument in which files are named by the paths of their copies, if this process has copies of them."""
    if _root:
        for name in names_in(word):
            if os.path.isabs(name) and (copy := located(name)) != name:
                word = word.replace(name, copy)
    return word


def place_of(path: str, root: str) -> str:
    """Return the place of the copy of ``path`` below ``root``. A relative path counts from the working directory."""
    return os.path.join(root, os.path.abspath(path).lstrip(os.sep))

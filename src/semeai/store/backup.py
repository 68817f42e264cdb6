"""Copies of a ledger, made while it is written."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from semeai.errors import LedgerError
from semeai.store.engines import BUSY_SECONDS, is_open, reason_of

PAGES = 4096
"""Pages that are copied in one step; a writer can work between two steps."""


def back_up(source: Path, target: Path, progress: Callable[[int, int], object] = lambda done, total: None) -> None:
    """Copy a SQLite ledger, also while it is written; the copy is the state of one moment.

    ``progress`` is called with the pages copied and all pages. An existing file is never overwritten, and a copy that
    was cut short leaves nothing behind.
    """
    if os.path.lexists(target):
        raise LedgerError(f"{target} exists already, and a backup overwrites nothing")
    part = target.with_name(target.name + ".part")
    mode = "mode=ro" if is_open(source) else "immutable=1"  # SQLite leaves files beside it otherwise
    try:
        before = source.stat()
        with (
            contextlib.closing(sqlite3.connect(f"file:{quote(str(source.resolve()))}?{mode}", uri=True)) as old,
            contextlib.closing(sqlite3.connect(part)) as new,
        ):
            old.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
            old.backup(new, pages=PAGES, progress=lambda status, left, total: progress(total - left, total))
        after = source.stat()
        if "immutable" in mode and (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise LedgerError(f"{source} was changed while it was copied: copy it again")
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.link(part, target)  # unlike a renaming, it refuses to overwrite
    except (sqlite3.Error, OSError) as error:
        raise LedgerError(f"cannot copy {source} to {target}: {reason_of(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()

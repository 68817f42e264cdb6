"""Locations of ledgers, without importing a database library."""

import re
from pathlib import Path

from semeai.errors import ConfigError, LedgerError
from semeai.files import checked_path

DEFAULT_LEDGER = "semeai.sqlite"
_URL = re.compile(r"(?P<kind>[^/:]*?)(?P<driver>\+[^/:]*)?:(?P<slashes>/*)(?P<rest>.*)", re.DOTALL)
_POSTGRESQL = "postgresql://USER@HOST/DATABASE"


def beside(place: str | None, folder: Path) -> str:
    """Return the location of the ledger ``place`` of a configuration file in ``folder``; None is the default ledger."""
    place = DEFAULT_LEDGER if place is None else place
    return place if "://" in place else str(folder / place)


def check_location(location: str) -> str:
    """Return the location of a ledger: a PostgreSQL URL as it is, and a SQLite one as the path of its file.

    Raises LedgerError for a URL of anything else, and ConfigError for a path that no file can have.
    """
    try:
        checked_path(location)
    except ConfigError:
        shown = location.rpartition("@")[2] if "://" in location else location
        raise ConfigError(f"ledger {shown}: no file can have this name") from None
    if not location.strip():
        raise LedgerError("the name of a ledger must not be empty")
    if location == ":memory:":
        raise LedgerError("a ledger is kept in a file: ':memory:' would be lost with the process")
    url = _URL.fullmatch(location)
    kind = url["kind"].lower() if url else ""
    if url is None or ("://" not in location and kind not in ("sqlite", "postgres", "postgresql")):
        return location
    if kind == "sqlite":
        if len(url["slashes"]) not in (3, 4) or url["rest"] in ("", ":memory:"):
            raise LedgerError(f"a ledger in SQLite is a file: write its name, or sqlite:///FILE, not {location[:100]}")
        return "/" * (len(url["slashes"]) - 3) + url["rest"]
    if kind == "postgresql" and url["slashes"] == "//":
        return location
    if kind in ("postgres", "postgresql"):
        raise LedgerError(f"a ledger in PostgreSQL is written {_POSTGRESQL}, not {kind}:{url['slashes']}...")
    raise LedgerError(
        f"a ledger is a SQLite file or a PostgreSQL database (postgresql://...), not {location.partition('://')[0][:40]}://"
    )


def without_password(location: str) -> str:
    """Return the location of a ledger without the password, for messages."""
    if "://" not in location:
        return location
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return make_url(location).render_as_string(hide_password=True)
    except (SQLAlchemyError, ValueError):  # ValueError: its port is no number
        return location.split("@")[-1]

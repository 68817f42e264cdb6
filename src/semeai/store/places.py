"""Locations of ledgers, without importing a database library."""

from pathlib import Path

DEFAULT_LEDGER = "semeai.sqlite"


def beside(place: str | None, folder: Path) -> str:
    """Return the location of the ledger ``place`` of a configuration file in ``folder``; None is the default ledger."""
    place = DEFAULT_LEDGER if place is None else place
    return place if "://" in place else str(folder / place)


def without_password(location: str) -> str:
    """Return the location of a ledger without the password, for messages."""
    if "://" not in location:
        return location
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return make_url(location).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return location.split("@")[-1]

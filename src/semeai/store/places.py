"""Where a ledger is; needs no database library."""

from pathlib import Path

DEFAULT_LEDGER = "semeai.sqlite"


def beside(place: str | None, folder: Path) -> str:
    """Return the ledger that a configuration file in ``folder`` names; the default one beside it if it names none."""
    place = DEFAULT_LEDGER if place is None else place
    return place if "://" in place else str(folder / place)


def without_password(location: str) -> str:
    """Return a ledger's place as it may be shown."""
    if "://" not in location:
        return location
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return make_url(location).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return location.split("@")[-1]

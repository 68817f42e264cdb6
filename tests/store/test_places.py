"""Locations of ledgers: which are understood, and what is said about the others."""

import pytest

from semeai.errors import ConfigError, LedgerError
from semeai.store.places import check_location, without_password

POSTGRESQL = "postgresql://me:secret@host:5432/races?sslmode=require"


@pytest.mark.parametrize(("location", "found"), [
    ("semeai.sqlite", "semeai.sqlite"),
    ("/data/races.db", "/data/races.db"),
    ("C:/races.db", "C:/races.db"),
    ("a:b", "a:b"),
    ("sqlite:///races.db", "races.db"),
    ("sqlite:////data/races.db", "/data/races.db"),
    ("sqlite+pysqlite:///races.db", "races.db"),
    ("SQLite:///races.db", "races.db"),
    (POSTGRESQL, POSTGRESQL),
    ("postgresql+psycopg://semeai@/races?host=/run", "postgresql+psycopg://semeai@/races?host=/run"),
])  # fmt: skip
def test_what_is_understood(location, found):
    assert check_location(location) == found


@pytest.mark.parametrize(("location", "sentence"), [
    ("mysql://me:secret@host/races", r"SQLite file or a PostgreSQL database \(postgresql://\.\.\.\), not mysql://$"),
    ("mysql+pymysql://host/races", r"not mysql\+pymysql://$"),
    ("postgressql://host/races", r"not postgressql://$"),
    ("https://host/races.db", r"not https://$"),
    ("://", r"not ://$"),
    ("postgres://me:secret@host/races", r"written postgresql://USER@HOST/DATABASE, not postgres://\.\.\.$"),
    ("postgresql:/host/races", r"written postgresql://USER@HOST/DATABASE, not postgresql:/\.\.\.$"),
    ("postgresql:races", r"written postgresql://USER@HOST/DATABASE, not postgresql:\.\.\.$"),
    ("sqlite://", "write its name, or sqlite:///FILE, not sqlite://$"),
    ("sqlite:///", "write its name, or sqlite:///FILE"),
    ("sqlite://races.db", "write its name, or sqlite:///FILE, not sqlite://races.db$"),
    ("sqlite:races.db", "write its name, or sqlite:///FILE"),
    ("sqlite:///:memory:", "write its name, or sqlite:///FILE"),
    (":memory:", "a ledger is kept in a file"),
    ("", "must not be empty"),
    (" ", "must not be empty"),
])  # fmt: skip
def test_what_is_not(location, sentence):
    with pytest.raises(LedgerError, match=sentence) as wrong:
        check_location(location)
    assert "secret" not in str(wrong.value)


@pytest.mark.parametrize("location", ["a\0b", "sqlite:///a\0b", "a\ud800b", "postgresql://me:secret@h\0"], ids=ascii)
def test_what_no_file_can_be_named(location):
    with pytest.raises(ConfigError, match="no file can have this name") as wrong:
        check_location(location)
    assert "secret" not in str(wrong.value)


def test_a_wrong_port_is_no_traceback():
    assert without_password("postgresql://me:secret@host:port/db") == "host:port/db"

"""Read NumPy archives (.npz) that come from anywhere.

Nothing that the file says of itself is believed before it is compared with the file's size: a header may claim a shape
of any number of elements. Only what ``numpy.savez`` writes is read, and no pickled objects.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.errors import ConfigError
from semeai.files import AnyPath, read_bytes

_END = struct.Struct("<4s4H2LH")
"""The last bytes of an archive: among others the number of its members, and the bytes of their table."""
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    r"\{'descr': '(?P<dtype>[<>|][iufU]\d{1,9})', 'fortran_order': False, 'shape': \((?P<shape>|\d{1,15},)\), \} *\n"
)
_LONGEST_TABLE = 10_000
"""Bytes of the table of members; `zipfile` makes an object for each of its rows."""


@dataclass(frozen=True)
class Wanted:
    """What an array of an archive must be."""

    kind: str
    """Kind of its elements, as a letter of NumPy: i, u, f or U."""
    dimensions: int = 0
    """0 or 1."""


LONGEST_REASON = 300  # characters of a reason in an error message


class _Wrong(Exception):
    """What is wrong with an archive."""


def read_arrays(path: AnyPath, what: str, wanted: Mapping[str, Wanted], limit: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file, which holds all of ``wanted`` by name and nothing else.

    Raises ConfigError in one sentence if the file is damaged, is something else, or unpacks to more than ``limit``
    bytes. ``what`` is the kind of file, for the message.
    """
    data = read_bytes(path, what, limit)
    try:
        return _arrays(data, wanted, limit)
    except _Wrong as wrong:
        reason = str(wrong)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ArithmeticError, LookupError) as error:
        reason = str(error) or type(error).__name__
    except (ValueError, NotImplementedError, RuntimeError) as error:
        reason = str(error) or type(error).__name__
    shown = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…"  # it may quote 64 KB of a name
    raise ConfigError(f"{what} {path}: is damaged, or is no {what}: {shown}")


def _arrays(data: bytes, wanted: Mapping[str, Wanted], limit: int) -> dict[str, NDArray[Any]]:
    _check_end(data, len(wanted))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        if members.keys() != wanted.keys():
            raise _Wrong("it holds other things")
        if sum(member.file_size for member in members.values()) > limit:
            raise _Wrong(f"it unpacks to more than {limit:,} bytes")
        return {name: _array(name, _unpacked(archive, members[name]), wanted[name]) for name in wanted}


def _check_end(data: bytes, n_members: int) -> None:
    """Check the end of the archive, before `zipfile` reads a table of any length."""
    if len(data) < _END.size:
        raise _Wrong("it is too short")
    mark, _, _, _, n, size, _, comment = _END.unpack(data[-_END.size :])
    if mark != b"PK\x05\x06" or comment:
        raise _Wrong("it does not end like an archive")
    if n != n_members or size > _LONGEST_TABLE:
        raise _Wrong("it holds other things")


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _Wrong(f"it is compressed by method {member.compress_type}")
    with archive.open(member) as file:
        found = file.read(member.file_size)
    if len(found) != member.file_size:
        raise _Wrong("it is shorter than it says")
    return found


def _array(name: str, data: bytes, wanted: Wanted) -> NDArray[Any]:
    start = len(_MAGIC) + 2
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start:
        raise _Wrong(f"its {name} are no array")
    start += int.from_bytes(data[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(data[len(_MAGIC) + 2 : start].decode("latin-1"))
    if header is None:
        raise _Wrong(f"its {name} are no plain array")
    try:
        dtype = np.dtype(header["dtype"])
    except (TypeError, ValueError):
        raise _Wrong(f"its {name} have elements {header['dtype']}, which NumPy does not know") from None
    dimensions = int(bool(header["shape"]))
    if dtype.kind != wanted.kind or dimensions != wanted.dimensions:
        raise _Wrong(f"its {name} are {dtype} of {dimensions} dimensions")
    n = int(header["shape"].rstrip(",") or 1)
    if n * dtype.itemsize != len(data) - start:
        raise _Wrong(f"its {name} have {len(data) - start:,} bytes, not {n:,} elements of {dtype.itemsize}")
    if dtype.kind == "U":
        data[start:].decode("utf-32-be" if header["dtype"][0] == ">" else "utf-32-le")  # ValueError if it is no text
    return np.frombuffer(data, dtype, n, start).reshape((n,) if dimensions else ())

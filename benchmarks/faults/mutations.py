"""Damage valid inputs: bytes, texts and NumPy archives. The same random generator gives the same damage."""

import io
import re
import struct
import zipfile
from collections.abc import Sequence
from random import Random

MARKS = [
    b"\0", b"\x1b[31m", b"\x1b]0;title\x07", b"\r", b"\n", b"\t", b"\x7f", b"\x9b2J", b"\xff", b"\xc3", b"\xe2\x80\xae",
    b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"-1", b"0", b"1e400", b"nan", b"9" * 30, b"9" * 5000,
    b"[" * 50, b"(" * 2000, b"{" * 50, b"'", b'"', b"\\", b"]", b")", b";", b"=", b",", b":", b"#", b"{0}", b"../",
]  # fmt: skip
"""Bytes that parsers often trip over."""


def damaged_bytes(random: Random, data: bytes, rounds: int = 3) -> bytes:
    """Return ``data`` with a few flips, cuts, repetitions, insertions or bytes from elsewhere in it."""
    for _ in range(random.randint(1, rounds)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + int(random.expovariate(1 / 8)))
        match random.randrange(7):
            case 0 if at < len(data):
                data = data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
            case 1:
                data = data[:at]
            case 2:
                data = data[:at] + data[end:]
            case 3:
                data = data[:end] + data[at:end] * random.choice([1, 2, 10]) + data[end:]
            case 4:
                data = data[:at] + random.choice(MARKS) + data[end:]
            case 5:
                other = random.randrange(len(data) + 1)
                data = data[:at] + data[other : other + end - at] + data[end:]
            case _:
                data = data[:at] + random.randbytes(end - at) + data[end:]
    return data


def damaged_text(random: Random, text: str, rounds: int = 3) -> str:
    """Return a text with damage, in which any character may occur, also one that UTF-8 cannot write."""
    data = damaged_bytes(random, text.encode("utf-8", "surrogatepass"), rounds)
    return data.decode("utf-8", random.choice(["replace", "surrogateescape", "ignore"]))


def damaged_words(random: Random, lines: Sequence[str]) -> str:
    """Return one of the lines with words left out, doubled, or taken from other lines, and sometimes more damage."""
    words = random.choice(lines).split(" ")
    for _ in range(random.randrange(4)):
        at = random.randrange(len(words) + 1)
        match random.randrange(3):
            case 0:
                del words[at : at + 1]
            case 1:
                words.insert(at, random.choice(random.choice(lines).split(" ")))
            case _:
                words[at : at + 1] = [damaged_text(random, word, 1) for word in words[at : at + 1]]
    line = " ".join(words)
    return damaged_text(random, line) if random.random() < 0.3 else line


VALUES = [
    "0", "-1", "1", "2", "1.5", "0.0", "-0.5", "1e308", "1e-320", "5e18", "99999999999999999999",
    "-9223372036854775809", "true", "false", '""', '"x"', '"nan"', "[]", "[[]]", "[0]", '["a", "b"]', '[1, "a"]', "{}",
    '{"a": 1}', "{a = 1}", '"own"', '"none"', r'"\u001b[31m"', r'"\u202e"', r'"a\nb"', r'"\u0000"', '"mcts"',
    '"random"', '"gtp:sh"', '"go"', '"havannah"', "null", "nan", "1979-05-27", "0x" + "f" * 400, '"{seed}{a}{{"',
    '"""' + "x" * 300 + '"""',
]  # fmt: skip
"""Values of settings, most of which JSON and TOML understand."""


def damaged_settings(random: Random, text: str, names: Sequence[str]) -> str:
    """Return settings, one per line, with other values or names, some left out, and some of ``names`` added."""
    lines = text.strip().split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.choice([i for i, line in enumerate(lines) if " = " in line] or [0])
        name, _, value = lines[at].partition(" = ")
        match random.randrange(6):
            case 0 | 1 | 2:
                lines[at] = f"{name} = {random.choice(VALUES)}"
            case 3:
                lines[at] = f"{random.choice(names)} = {value}"
            case 4:
                del lines[at]
            case _:
                lines.insert(random.randrange(len(lines) + 1), f"{random.choice(names)} = {random.choice(VALUES)}")
    return "\n".join(lines) + "\n"


HEADERS = [
    b"{'descr': '<u8', 'fortran_order': False, 'shape': (1000000000000,), }",
    b"{'descr': '<u8', 'fortran_order': False, 'shape': (-1,), }",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
    b"{'descr': '<U99999999', 'fortran_order': False, 'shape': (), }",
    b"{'descr': '<f2', 'fortran_order': True, 'shape': (2, 3), }",
    b"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }",
    b"{'descr': '<u3', 'fortran_order': False, 'shape': (2,), }",
    b"((((((((((", b"-" * 900, b"__import__('os')", b"", b"\xff" * 64,
]  # fmt: skip
"""Headers of arrays that claim what is not there, or ask for what must not be done."""


def damaged_archive(random: Random, data: bytes) -> bytes:
    """Return a NumPy archive with damage: to the whole file, or to its members, in a file that is itself sound."""
    if random.random() < 0.4:
        return _damaged_zip(random, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(sorted(members))
    match random.randrange(4):
        case 0:
            members[name] = damaged_bytes(random, members[name])
        case 1:
            members[name] = _with_header(random.choice(HEADERS), members[name])
        case 2:
            header = members[name][10 : 10 + int.from_bytes(members[name][8:10], "little")]
            members[name] = _with_header(damaged_bytes(random, header.rstrip(), 2), members[name])
        case _:
            members[random.choice(["keys.npy", "more.npy", "../keys.npy", "x" * 300])] = members.pop(name)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", random.choice([0] * 9 + [8] * 9 + [12])) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)  # without the time of day
    return _damaged_zip(random, written.getvalue()) if random.random() < 0.1 else written.getvalue()


def _with_header(header: bytes, member: bytes) -> bytes:
    """Return an array's file with another header."""
    length = int.from_bytes(member[8:10], "little")
    return member[:8] + struct.pack("<H", len(header) + 1) + header + b"\n" + member[10 + length :]


def _damaged_zip(random: Random, data: bytes) -> bytes:
    """Return an archive with damage near one of its records, or anywhere."""
    marks = [found.start() for found in re.finditer(b"PK", data)]
    if not marks or random.random() < 0.4:
        return damaged_bytes(random, data)
    found = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.choice(marks) + random.randrange(4, 46)
        if at < len(found):
            found[at] = random.choice([0, 1, 8, 255, random.randrange(256)])
    return bytes(found)

"""A damaged archive gives an error in one sentence, and never more memory than its limit."""

import contextlib
import io
import random
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
from benchmarks.faults.mutations import HEADERS, damaged_bytes

from semeai.archives import Wanted, read_arrays
from semeai.errors import ConfigError

WANTED = {"n": Wanted("i"), "values": Wanted("f", 1), "text": Wanted("U")}
LIMIT = 100_000


def members():
    written = io.BytesIO()
    np.savez(written, n=np.array(3), values=np.arange(50.0), text=np.array("some words"))
    with zipfile.ZipFile(written) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def refused(path):
    with pytest.raises(ConfigError) as found:
        read_arrays(path, "database", WANTED, LIMIT)
    sentence = str(found.value)
    assert sentence.startswith(f"database {path}: ")
    assert sentence.isprintable()
    return sentence


def test_what_numpy_writes_is_read(tmp_path):
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", n=np.array(3), values=np.arange(50.0), text=np.array("some words"))
        found = read_arrays(tmp_path / "a.npz", "database", WANTED, LIMIT)
        assert (int(found["n"]), str(found["text"])) == (3, "some words")
        assert found["values"].tolist() == list(range(50))
    np.savez(tmp_path / "a.npz", n=np.array(3), values=np.empty(0), text=np.array(""))
    assert len(read_arrays(tmp_path / "a.npz", "database", WANTED, LIMIT)["values"]) == 0


def with_header(header, member):
    length = int.from_bytes(member[8:10], "little")
    return member[:8] + (len(header) + 1).to_bytes(2, "little") + header + b"\n" + member[10 + length :]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[:60].decode("latin-1"))
def test_a_header_may_claim_anything(tmp_path, header):
    files = members()
    write(tmp_path / "a.npz", {**files, "values.npy": with_header(header, files["values.npy"])})
    assert "its values" in refused(tmp_path / "a.npz")


def test_what_is_wrong_is_said(tmp_path):
    path, files = tmp_path / "a.npz", members()
    write(path, files, zipfile.ZIP_LZMA)
    assert "compressed by method 14" in refused(path)
    write(path, {**files, "values.npy": b"\0" * 200_000})
    assert "unpacks to more than 100,000 bytes" in refused(path)
    write(path, {name: data for name, data in files.items() if name != "n.npy"})
    assert "holds other things" in refused(path)
    write(path, {**files, "text.npy": files["text.npy"][:-4] + b"\xff\xff\xff\x7f"})
    assert "codec can't decode" in refused(path)
    write(path, {**files, "values.npy": files["values.npy"][:-8]})
    assert "its values have 392 bytes, not 50 elements of 8" in refused(path)
    write(path, {f"{i}.npy": b"" for i in range(700)})  # a long table of members is not even read
    assert "holds other things" in refused(path)


def test_packed_bytes_that_are_damaged(tmp_path):
    """Found by fuzzing: the decompressor raises ``zlib.error``, which is no ValueError."""
    path = tmp_path / "a.npz"
    write(path, members())
    data = bytearray(path.read_bytes())
    at = data.index(b"values.npy") + len(b"values.npy")
    data[at : at + 8] = b"\xff" * 8
    path.write_bytes(data)
    assert "decompress" in refused(path)


def test_a_name_of_64_kb_is_not_quoted_in_whole(tmp_path):
    path = tmp_path / "a.npz"
    values = io.BytesIO()
    np.save(values, np.zeros(10_000))
    write(path, {"n.npy": members()["n.npy"], "values.npy": values.getvalue(), "text.npy": members()["text.npy"]}, 0)
    data = bytearray(path.read_bytes())
    data[26:28] = b"\xff\xff"  # length of the first name
    path.write_bytes(data)
    assert "File name in directory 'n.npy' and header" in (sentence := refused(path))
    assert len(sentence) < 1000


def test_any_damage_gives_the_arrays_or_an_error(tmp_path):
    path, generator = tmp_path / "a.npz", random.Random(1)
    write(path, members())
    data = path.read_bytes()
    n_sound = 0
    for _ in range(500):
        path.write_bytes(damaged_bytes(generator, data))
        with contextlib.suppress(ConfigError):
            n_sound += len(read_arrays(path, "database", WANTED, LIMIT)) == len(WANTED)
    assert n_sound < 250


FUZZ = """
    import resource, sys
    from pathlib import Path
    from random import Random

    from benchmarks.faults.mutations import damaged_archive
    from semeai.errors import ConfigError
    from semeai.games.go.database import load_database
    from semeai.printable import one_line

    path, random = Path(sys.argv[1]), Random(1)
    data = path.read_bytes()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 100_000_000,) * 2)
    sound = 0
    for _ in range(3_000):
        path.write_bytes(damaged_archive(random, data))
        try:
            sound += len(load_database(path)) == 40
        except ConfigError as error:
            assert one_line(str(error)) == str(error) and str(path) in str(error)
    print(sound)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is counted from /proc")
def test_three_thousand_damaged_databases(tmp_path):
    """Each gives a sound database or a ConfigError, within 100 MB."""
    from semeai.games.go.database import Database

    keys = np.sort(np.random.default_rng(1).integers(1, 2**63, 40, np.uint64))
    database = Database(keys, np.zeros(40, np.uint8), np.linspace(-2, 2, 40, dtype=np.float32), {"games": 3})
    database.save(tmp_path / "ae.npz")
    command = [sys.executable, "-c", textwrap.dedent(FUZZ), str(tmp_path / "ae.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) < 1_500

import os
import subprocess
import sys

import pytest

from semeai import jit

PROBE = """
import semeai.jit, semeai.rng_kernels as k, numpy as np, numba
state = np.empty(4, np.uint64)
k.seed_state(state, np.uint64(1))
print(semeai.jit.cache_directory())
print(repr(numba.config.CACHE_DIR))
print(sum(k.seed_state.stats.cache_hits.values()))
"""


def probe(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_kernels_are_kept_under_their_own_key_and_found_again(tmp_path):
    first, second = (probe(SEMEAI_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first[0] == second[0] == str(tmp_path / "kernels" / jit.kernel_key())
    assert first[1] == second[1] == "''"  # the caller's own numba functions are left alone
    assert (first[2], second[2]) == ("0", "1")


def test_flags_and_sources_change_the_key(tmp_path, monkeypatch):
    key = jit.kernel_key()
    monkeypatch.setattr(jit, "BOUNDSCHECK", not jit.BOUNDSCHECK)
    flagged = jit.kernel_key()
    assert flagged != key
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "some.py").write_text("@kernel\ndef f(): pass\n")
    before = jit.kernel_key()
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    assert jit.kernel_key() == before
    (tmp_path / "some.py").write_text("@kernel\ndef f(): pass\n\n")
    changed = jit.kernel_key()
    assert changed != before
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "tables.py").write_text("CONSTANT = 1\n")  # constants are compiled into kernels
    assert jit.kernel_key() != changed


@pytest.mark.slow
def test_without_a_writable_place_kernels_still_work():
    nowhere = "import semeai.jit; semeai.jit._is_writable = lambda directory: False" + PROBE
    done = subprocess.run([sys.executable, "-c", nowhere], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["None", "''", "0"]


@pytest.mark.slow
def test_a_place_that_is_a_file_is_passed_over(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    home = tmp_path / "home"
    assert probe(SEMEAI_CACHE_DIR=str(blocked), XDG_CACHE_HOME=str(home))[0].startswith(str(home))


@pytest.mark.skipif(not jit.BOUNDSCHECK, reason="kernels were imported without bounds checks")
def test_the_tests_run_with_bounds_checks():
    import numpy as np

    @jit.kernel
    def beyond(values):
        return values[len(values)]

    with pytest.raises(IndexError):
        beyond(np.zeros(3))


def test_compiling_tells_once(tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(jit, "_warm_ups", {"family": lambda: called.append(1)})
    monkeypatch.setattr(jit, "cache_directory", lambda: tmp_path)
    lines = []
    jit.compile_kernels(lines.append)
    jit.compile_kernels(lines.append)
    assert len(called) == 2
    assert len(lines) == 1
    assert "family" in lines[0]

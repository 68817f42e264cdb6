"""Ctrl-C during the start of the program."""

import os
import signal
import subprocess
import sys

import pytest

ENTRIES = {"module": ["-m", "semeai"], "script": ["-c", "from semeai.cli.main import main; main()"]}
LONG = ["bench", "--seconds", "1000"]


@pytest.mark.skipif(os.name == "nt", reason="there SIGINT goes to the whole console")
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("n_modules", [1, 100, *(pytest.param(n, marks=pytest.mark.slow) for n in (30, 200, 400, 800))])
def test_nothing_is_printed(entry, n_modules):
    """It is interrupted after that many modules, which Python lists on standard error as they are imported."""
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", *ENTRIES[entry], *LONG],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not process.stderr.readline().endswith("| semeai.cli.main\n"):
        assert process.poll() is None
    for _ in range(n_modules):
        process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    assert [line for line in errors.splitlines() if not line.startswith("import time:")] == []

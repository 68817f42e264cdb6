"""MPI jobs for tests: real ranks, started by the mpiexec in the folder of this Python."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

MPIEXEC = Path(sys.executable).parent / "mpiexec"
needs_mpi = pytest.mark.skipif(
    not MPIEXEC.exists() or importlib.util.find_spec("mpi4py") is None, reason="no mpiexec: pip install semeai[mpi]"
)


def mpiexec(ranks, *arguments, stdin="", timeout=300):
    """The finished job."""
    program = [sys.executable, *arguments]
    return subprocess.run(
        [str(MPIEXEC), "-n", str(ranks), *program], input=stdin, capture_output=True, text=True, timeout=timeout,
        cwd=Path(__file__).parent.parent.parent, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip

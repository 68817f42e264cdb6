"""Programs end together with the process that started them."""

import os
import subprocess
import sys
import time

from semeai.processes import describe_exit

WORKER = """
import hashlib, subprocess
from semeai.processes import become_worker, start_program
become_worker()
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
start_program(["sh", "-c", "sleep {nap} & sleep {nap}"], folder=None, **quiet)
print("ready", flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 500_000_000)  # minutes deep in compiled code, as a search may be
"""


def test_sigterm_ends_a_worker_at_once_with_all_that_it_started():
    nap = f"55{os.getpid()}"
    worker = subprocess.Popen([sys.executable, "-c", WORKER.format(nap=nap)], stdout=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "ready\n"
    time.sleep(0.3)
    began = time.monotonic()
    worker.terminate()
    worker.communicate(timeout=300)
    assert time.monotonic() - began < 60
    while subprocess.run(["pgrep", "-f", f"^sleep {nap}"], capture_output=True).stdout:
        assert time.monotonic() - began < 300
        time.sleep(0.05)


def test_exits_are_described():
    assert [describe_exit(code) for code in (3, -9, -200)] == ["3", "-9 (SIGKILL)", "-200"]

"""Shared fixtures. Kernels run with bounds checks in the tests."""

import os
import signal

os.environ.setdefault("SEMEAI_BOUNDSCHECK", "1")  # before semeai.jit is imported; inherited by subprocesses

from hypothesis import settings

settings.register_profile("semeai", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("semeai")

# A shell's background job ignores Ctrl-C, and its children would inherit that: tests that send one need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config):
    """Two processes more than cores for ``-n auto``: many tests wait for processes or for time to pass."""
    return (os.cpu_count() or 1) + 2

"""Programs for the benchmarks that cost almost no time."""

import time


def trivial(params, seed):
    """Return 1 with probability p, otherwise 0. The seed itself is random enough; no generator is needed."""
    return 1.0 if seed & 0xFFFF < params["p"] * 0x10000 else 0.0


def fifty_milliseconds(params, seed):
    """Take 50 ms of time, and no processor time."""
    time.sleep(0.05)
    return 0.5

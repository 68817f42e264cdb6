"""Programs that the tests race. They are in a module that workers can import."""

import ctypes
import math
import os
import random
import re
import signal
import time
from pathlib import Path


def coin(params, seed):
    """Wins with probability p."""
    return float(random.Random(seed).random() < params["p"])


def slow_coin(params, seed):
    time.sleep(params.get("seconds", 0.001))
    return coin(params, seed)


def biased(params, seed):
    """Has defaults for its parameters, so a misspelt one changes nothing."""
    return coin({"p": 0.5 + params.get("bias", 0.0)}, seed)


def pair(params, seed):
    draw = random.Random(seed)
    return [float(draw.random() < params["p"]), float(draw.random() < params["p"])]


def smooth(params, seed):
    """A reward with many values."""
    return min(1.0, max(0.0, random.Random(seed).gauss(params["p"], 0.1)))


def score(params, seed):
    """Any number: larger is better."""
    return params["shift"] + random.Random(seed + int(100 * params["shift"])).gauss(0, 1)


def broken(params, seed):
    """Fails in the way that the candidate asks for."""
    kind = params.get("kind", "fine")
    if seed % 7 == 3 and kind != "fine":
        if kind == "raise":
            raise ValueError("a broken program")
        if kind == "die":
            os._exit(9)
        return {"nan": math.nan, "large": 1.5, "text": "no number", "none": None}[kind]
    return coin({"p": params.get("p", 0.6)}, seed)


def dies_once(params, seed):
    """Kills its worker the first time that it runs, as a lost machine would."""
    marker = Path(params["marker"])
    if not marker.exists():
        marker.touch()
        os._exit(9)
    return coin({"p": 0.8}, seed)


def bad_end(params, seed):
    """Ends in the way that the candidate asks for, on one seed in seven."""
    how = params.get("how") if seed % 7 == 3 else None
    if how == "hang":
        time.sleep(600)
    elif how == "hang in C":
        re.match("(a|aa)+$", "a" * 200 + "b")  # does not let other threads run
    elif how == "segfault":
        ctypes.string_at(0)
    elif how == "SIGKILL":
        os.kill(os.getpid(), signal.SIGKILL)
    return coin({"p": params.get("p", 0.9)}, seed)


def hangs_once(params, seed):
    """Hangs the first time that it runs."""
    marker = Path(params["marker"])
    if not marker.exists():
        marker.touch()
        time.sleep(600)
    return coin({"p": 0.8}, seed)


def sleeps(params, seed):
    time.sleep(0.2)
    return coin(params, seed)


def exits(params, seed):
    raise SystemExit(0)


def prints(params, seed):
    print("a program that talks")
    return coin(params, seed)


def broken_generator(seed):
    yield {"p": 0.95}
    raise ValueError("no more ideas")


def failing(seed):
    while True:
        yield {"kind": "raise", "x": random.random()}


def endless(seed):
    draw = random.Random(seed)
    while True:
        yield {"p": draw.choice([0.3, 0.4, 0.8])}


def kills_its_worker(params, seed):
    """Kills its process with one parameter; on a cluster the dask worker, which supervises its process."""
    if params["p"] < 1:
        return coin(params, seed)
    if "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT" in os.environ:  # a worker of tests/clusters.py
        kills_the_supervisor(params, 3)
    return os.kill(os.getpid(), signal.SIGSEGV)


def has_one_thread(params, seed):
    """Returns 1 if numba and the linear algebra of NumPy use one thread each."""
    import numba
    import numpy as np

    np.ones((2, 2)) @ np.ones((2, 2))
    libraries = set(re.findall(r"/\S*openblas\S*", Path("/proc/self/maps").read_text()))
    names = ("scipy_openblas_get_num_threads64_", "openblas_get_num_threads64_", "openblas_get_num_threads")
    loaded = [ctypes.CDLL(path) for path in libraries]
    counts = [getattr(library, name)() for library in loaded for name in names if hasattr(library, name)]
    return float({numba.get_num_threads(), *counts} == {1})


def kills_the_supervisor(params, seed):
    """Kills the dask worker that supervises its process, as a program that uses up a machine's memory may."""
    if seed % 7 == 3:
        server = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(server.rpartition(")")[2].split()[1]), signal.SIGKILL)
        time.sleep(600)
    return coin({"p": 0.6}, seed)

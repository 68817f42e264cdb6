"""Programs that are raced while something goes wrong."""

import random
import time


def coin(params, seed):
    """Win with probability p, after a millisecond."""
    time.sleep(0.001)
    return float(random.Random(seed).random() < params["p"])


def slow_coin(params, seed):
    """Win with probability p, after five milliseconds."""
    time.sleep(0.005)
    return float(random.Random(seed).random() < params["p"])

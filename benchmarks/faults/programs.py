"""Programs that are raced while something goes wrong."""

import random
import time


def coin(params, seed):
    """Win with probability p, after a millisecond."""
    time.sleep(0.001)
    return float(random.Random(seed).random() < params["p"])

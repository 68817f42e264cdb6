"""Named streams of seeds: every random number depends on the run's seed and on the name of its stream.

A stream is named by a path below the run's seed, e.g. ``derive(seed, "evaluation", 3)``. Nothing uses a global
generator, so the same command gives the same result with any number of workers.
"""

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # commands that only look at a ledger need no NumPy
    import numpy as np
    from numpy.typing import NDArray

SEED_BITS = 31
_MASK = (1 << SEED_BITS) - 1
_ROUNDS = ((16, 0x2C1B3C6D), (15, 0x297A2D39), (14, 0x5F356495))  # odd multipliers: each step is a bijection


def derive(seed: int, *path: str | int) -> int:
    """Return the 64-bit key of the stream named ``path`` below ``seed``."""
    text = "/".join([str(seed), *(f"{type(part).__name__}:{part}" for part in path)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def run_seed(seed: int, *path: str | int) -> int:
    """Return the seed of a run of its own: a ledger keeps signed integers of 64 bits."""
    return derive(seed, *path) >> 1


def generator(seed: int, *path: str | int) -> "np.random.Generator":
    """Return a random generator for the stream named ``path`` below ``seed``."""
    import numpy as np

    return np.random.default_rng(derive(seed, *path))


def evaluation_seeds(key: int, start: int, count: int) -> "NDArray[np.int64]":
    """Return ``count`` seeds of the stream ``key``, from number ``start`` on.

    They fit a C ``int`` (0 <= seed < 2**31), because programs read them from their command line. The first 2**31
    seeds are all different, because each step below permutes the 31-bit numbers.
    """
    import numpy as np

    x = (np.arange(start, start + count, dtype=np.uint64) + np.uint64(key & _MASK)) & np.uint64(_MASK)
    for round_key in (key >> 31 & _MASK, key >> 17 & _MASK):
        for shift, multiplier in _ROUNDS:
            x ^= x >> np.uint64(shift)
            x = (x * np.uint64(multiplier)) & np.uint64(_MASK)
        x ^= np.uint64(round_key)
    return x.astype(np.int64)

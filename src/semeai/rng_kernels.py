"""Random numbers inside kernels: xoshiro256** on an explicit state of four 64-bit words."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semeai.jit import inlined, kernel

State = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_5, _7, _9, _17, _45 = (np.uint64(n) for n in (5, 7, 9, 17, 45))
_19, _57, _11 = np.uint64(19), np.uint64(57), np.uint64(11)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)
_TO_UNIT = 2.0**-53


@kernel
def seed_state(state: State, key: np.uint64) -> None:
    """Fill ``state`` from a 64-bit key by splitmix64, as xoshiro's authors advise."""
    x = key
    for i in range(4):
        x += _GOLDEN
        z = (x ^ (x >> _30)) * _MIX_1
        z = (z ^ (z >> _27)) * _MIX_2
        state[i] = z ^ (z >> _31)


@kernel
def next_word(state: State) -> np.uint64:
    """Return 64 random bits (Blackman & Vigna 2018)."""
    product = state[1] * _5
    result = ((product << _7) | (product >> _57)) * _9
    shifted = state[1] << _17
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << _45) | (state[3] >> _19)
    return result  # type: ignore[no-any-return]


@kernel
def uniform(state: State) -> float:
    """Return a random float in [0, 1)."""
    return float(next_word(state) >> _11) * _TO_UNIT


@kernel
def binomial(state: State, n: int, p: float) -> int:
    """Return a binomial random number: the successes in ``n`` trials of probability ``p``. Exact for any n."""
    flip = p > 0.5
    q = 1.0 - p if flip else p
    k = _binomial_by_inversion(state, n, q) if n * q < 10.0 else _binomial_by_rejection(state, n, q)
    return n - k if flip else k


@kernel
def _binomial_by_inversion(state: State, n: int, p: float) -> int:
    odds = p / (1.0 - p)
    while True:
        u = uniform(state)
        term = (1.0 - p) ** n
        for k in range(n + 1):
            if u < term:
                return k
            u -= term
            term *= odds * (n - k) / (k + 1)
        # Rounding has left a little of u behind every term: draw again.


@kernel
def _binomial_by_rejection(state: State, n: int, p: float) -> int:
    """Return a binomial random number: Hörmann (1993), "The generation of binomial random variates", algorithm BTRS."""
    spread = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    alpha = (2.83 + 5.1 / b) * spread
    quick = 0.92 - 4.2 / b
    mode = math.floor((n + 1) * p)
    log_odds = math.log(p / (1.0 - p))
    log_mode = math.lgamma(mode + 1.0) + math.lgamma(n - mode + 1.0)
    while True:
        u = uniform(state) - 0.5
        v = uniform(state)
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + centre)
        if us >= 0.07 and v <= quick:
            return int(k)
        if 0 <= k <= n and us > 0.0 and v > 0.0:
            v = math.log(v * alpha / (a / (us * us) + b))
            if v <= log_mode - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0) + (k - mode) * log_odds:
                return int(k)


CERTAIN = 1 << 32
"""Probability 1 in playouts, where a probability is a threshold for 32 random bits."""

_X13, _X7, _X17, _X32 = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)


@inlined
def below(source: Any, m: int) -> int:
    """Return a random integer in [0, m) for playouts, by Marsaglia's xorshift64 (2003) on the word ``source.rng``.

    It is the fastest generator that gives playouts of the same quality as better ones. Its state must not be zero.
    """
    x = source.rng
    x ^= x << _X13
    x ^= x >> _X7
    x ^= x << _X17
    source.rng = x
    return np.int64(((x >> _X32) * np.uint64(m)) >> _X32)  # type: ignore[return-value]


@inlined
def happens(source: Any, probability: int) -> bool:
    """Return True with the given probability, in units of 1 / CERTAIN. If it is 0 or 1, no random number is drawn."""
    if probability >= CERTAIN:
        return True
    return probability > 0 and below(source, CERTAIN) < probability

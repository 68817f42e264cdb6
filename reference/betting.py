"""Mixture betting, computed game by game directly from the formulas."""

import math
from collections.abc import Sequence
from fractions import Fraction


def gaps_and_weights(distance: float) -> tuple[list[float], list[float]]:
    gaps, k = [], 0
    while (gap := 0.95 * max(distance, 1e-4) * 2.5**k) <= 0.25 or not gaps:
        gaps.append(gap)
        k += 1
    raw = [(k + 1) ** -0.75 for k in range(len(gaps))]
    return gaps, [w / sum(raw) for w in raw]


def log_wealths(rewards: Sequence[Fraction | float], accept_above: float, discard_below: float) -> tuple[float, float]:
    """Return log E+ and log E-.

    E+ = sum_k p_k prod_t (1 + a_k (x_t - m0)) and E- = sum_k p_k prod_t (1 - b_k (x_t - m1)).
    """
    gaps, weights = gaps_and_weights(discard_below - accept_above)
    m0, m1 = accept_above, discard_below
    accept = discard = 0.0
    for gap, weight in zip(gaps, weights, strict=True):
        a = min(gap / (m0 * (1 - m0)), 0.9 / m0)
        b = min(gap / (m1 * (1 - m1)), 0.9 / (1 - m1))
        up = down = 1.0
        for x in rewards:
            up *= 1 + a * (float(x) - m0)
            down *= 1 - b * (float(x) - m1)
        accept += weight * up
        discard += weight * down
    return math.log(accept), math.log(discard)

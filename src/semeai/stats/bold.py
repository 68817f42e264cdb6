"""Bold betting: mixture betting whose gamblers raise their stakes when what they have left would be lost anyway.

A race stops when one of its two tests decides. What the accepting gamblers have left at a discard is lost, and with it
a part of the risk: mixture betting errs in about 4% of the cases where 5% are allowed. So a part of the wealth is seen
as a *reserve*: what a cautious gambler expects to have left at a discard. A gambler with wealth E and reserve R bets
with E - R as another one does with E. If E - R gets small, his stakes are large.

Why it is valid: the stakes are fixed before each batch, by the rewards before it. Any stakes that are not negative make
the wealth a non-negative supermartingale if the efficiency is at most ``accept_above``, for rewards in [0, 1] of any
distribution and dependence, and Ville's inequality holds. The reserve only chooses stakes. Nothing is assumed about it.

The wealth depends on the batches and not on the total counts alone, so it is carried from look to look.
"""

import math
from typing import NamedTuple

import numpy as np

from semeai.stats.betting import (
    LARGEST_STAKE,
    SMALLEST_DISTANCE,
    Evidence,
    Floats,
    MixtureBetting,
    log_sum_exp,
    weighted_sum,
)
from semeai.stats.counts import SCALE, RewardCounts

# The numbers of the mixture make the quotient of expected games and information bound even over efficiencies. They were
# sought by trial; `python benchmarks/run.py bold` shows what they reach, and where not.
FIRST_GAP = 0.735  # in units of the distance between the thresholds; its weight is 1 before all are normalised
LARGEST_GAP = 0.45  # about the largest stake, for thresholds near 1/2; the other gaps fall from it in equal steps
GAP_STEP = 2.76
SMALLEST_STEP = 2.1  # from the first gap to the next one
WEIGHTS = ((2.5, 0.325), (7, 0.385), (20, 0.6), (54, 0.038))  # gap in distances, weight; in between along its logarithm
COMMON_GAP = 0.07  # smaller gaps have no less weight than one of 20 distances, because candidates are often so good
RARE_GAP, RARE_DISTANCES = 0.1, 5.0  # gaps above both have weights that fall as 1 / gap, but not below the last one
RESERVE_GAP = 0.36  # in distances: the reserve grows like the wealth of a gambler with this gap
RESERVE = 1.7  # reserve at the start, in units of the risk of the other verdict
LARGEST_RESERVE = 0.15
MOST_RESERVED = 0.5  # largest part of the present wealth that counts as reserve
MOST_PER_BATCH = 2.0  # bound on raises: the standard deviation of the log wealth that a raise may add in a batch


class Side(NamedTuple):
    """One of the two tests: that of discards is the same with rewards 1 - x and the threshold 1 - discard_below."""

    threshold: float
    stakes: Floats  # of each gambler, without a raise
    reserve_stake: float


class BoldBetting:
    """The two e-processes of a race, whose stakes are raised by what would be lost at the other verdict."""

    def __init__(self, accept_above: float, discard_below: float) -> None:
        distance = max(discard_below - accept_above, SMALLEST_DISTANCE)
        gaps, weights = bold_mixture(distance)
        self.mixture = MixtureBetting(accept_above, discard_below, gamblers=(gaps, weights))
        self.log_weights: Floats = np.log(weights)
        self.sides = tuple(
            Side(m, np.minimum(gaps / (m * (1 - m)), LARGEST_STAKE / m), RESERVE_GAP * distance / (m * (1 - m)))
            for m in (accept_above, 1 - discard_below)
        )

    def evidence(
        self, last: tuple[float, float], earlier: RewardCounts, batch: RewardCounts, risks: tuple[float, float]
    ) -> Evidence:
        """Return the log wealth of both sides after one more batch, from that before it and all earlier rewards.

        ``risks`` are those of a wrong acceptance and a wrong discard; a side's reserve depends on the other side's.
        """
        accept = last[0] + self._log_gain(self.sides[0], earlier, batch, risks[1], mirrored=False)
        discard = last[1] + self._log_gain(self.sides[1], earlier, batch, risks[0], mirrored=True)
        return Evidence(accept, discard, self.mixture.evidence(earlier + batch).progress)

    def _log_gain(
        self, side: Side, earlier: RewardCounts, batch: RewardCounts, other_risk: float, *, mirrored: bool
    ) -> float:
        """Return the logarithm of the factor by which a batch multiplies the wealth."""
        m = side.threshold
        x, n = _values(earlier, mirrored)
        log_wealth = self.log_weights + weighted_sum(n, np.log1p(np.multiply.outer(x - m, side.stakes)))
        log_reserve = float((n * np.log1p(side.reserve_stake * (x - m))).sum())
        shares, stakes = raised_stakes(side, log_wealth, log_reserve, other_risk, batch.n)
        x, n = _values(batch, mirrored)
        return log_sum_exp(shares + weighted_sum(n, np.log1p(np.multiply.outer(x - m, stakes))))


def raised_stakes(
    side: Side, log_wealth: Floats, log_reserve: Floats | float, other_risk: float, batch: int
) -> tuple[Floats, Floats]:
    """Return how the wealth is shared (in logs) and the stakes for a batch of this size, per gambler (last axis).

    ``log_wealth`` is what each gambler would have without raises, ``log_reserve`` what the reserve grew to.
    """
    m, start = side.threshold, reserve_at_start(other_risk)
    present = np.logaddexp.reduce(log_wealth, axis=-1, keepdims=True)
    shares = log_wealth - present
    stake = (np.exp(shares) * side.stakes).sum(axis=-1, keepdims=True)
    kept = np.minimum(np.expand_dims(log_reserve, -1) - present, 50.0)
    part = np.minimum(start / (1 + start) * np.exp(kept), MOST_RESERVED)
    raised = (stake - part * side.reserve_stake) / (1 - part) - stake
    raised = np.minimum(raised, MOST_PER_BATCH / math.sqrt(m * (1 - m) * batch))
    return shares, np.clip(side.stakes + raised, 0, LARGEST_STAKE / m)


def _values(counts: RewardCounts, mirrored: bool) -> tuple[Floats, Floats]:
    """Return the rewards and how often each was seen; mirrored, a reward x is 1 - x."""
    levels = np.fromiter(counts.keys(), np.float64, len(counts))
    x = (SCALE - levels if mirrored else levels) / SCALE
    return x, np.fromiter(counts.values(), np.float64, len(counts))


def reserve_at_start(other_risk: float) -> float:
    """Return the reserve before the first reward, for the risk of the other verdict."""
    return min(RESERVE * other_risk, LARGEST_RESERVE)


def bold_mixture(distance: float) -> tuple[Floats, Floats]:
    """Return gaps and weights of the gamblers. The largest gap is about the largest stake."""
    first, gaps = min(FIRST_GAP * distance, LARGEST_GAP), [LARGEST_GAP]
    while gaps[0] > SMALLEST_STEP * first * GAP_STEP:
        gaps.insert(0, gaps[0] / GAP_STEP)
    if gaps[0] <= SMALLEST_STEP * first:
        gaps.pop(0)
    found = np.array([first, *gaps])
    relative = np.where(found <= COMMON_GAP, np.minimum(found / distance, WEIGHTS[2][0]), found / distance)
    points = np.array(WEIGHTS)
    weights = np.interp(np.log(relative), np.log(points[:, 0]), points[:, 1])
    rare = np.minimum(1, max(RARE_GAP, RARE_DISTANCES * distance) / found)
    weights = np.maximum(weights * rare, WEIGHTS[-1][1])
    weights[0] = 1.0
    return found, weights / weights.sum()

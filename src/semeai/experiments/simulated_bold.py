"""Bold betting on wins and losses in compiled code, for ``simulated_race``."""

import math

import numpy as np
from numpy.typing import NDArray

from semeai.jit import kernel
from semeai.stats.betting import LARGEST_STAKE
from semeai.stats.bold import MOST_PER_BATCH, MOST_RESERVED, BoldBetting, reserve_at_start

Floats = NDArray[np.float64]


@kernel
def bold_log_gain(
    log_weights: Floats,
    stakes: Floats,
    reserve: Floats,
    m: float,
    wins: int,
    losses: int,
    new_wins: int,
    new_losses: int,
) -> float:
    """Return what ``BoldBetting`` gains on one side; ``reserve`` is a row of the second table of ``bold_tables``."""
    at_start, own_stake = reserve[0], reserve[1]
    most_reserved, most_per_batch, largest_stake = reserve[2], reserve[3], reserve[4]
    k_all = len(stakes)
    shares = np.empty(k_all)
    largest = -math.inf
    for k in range(k_all):
        shares[k] = log_weights[k] + wins * math.log1p(stakes[k] * (1 - m)) + losses * math.log1p(-stakes[k] * m)
        largest = max(largest, shares[k])
    total = 0.0
    for k in range(k_all):
        total += math.exp(shares[k] - largest)
    present = largest + math.log(total)
    stake = 0.0
    for k in range(k_all):
        shares[k] = math.exp(shares[k] - present)
        stake += shares[k] * stakes[k]
    kept = wins * math.log1p(own_stake * (1 - m)) + losses * math.log1p(-own_stake * m)
    part = min(at_start / (1 + at_start) * math.exp(min(kept - present, 50.0)), most_reserved)
    raised = (stake - part * own_stake) / (1 - part) - stake
    raised = min(raised, most_per_batch / math.sqrt(m * (1 - m) * (new_wins + new_losses)))
    total = 0.0
    for k in range(k_all):
        a = min(max(stakes[k] + raised, 0.0), largest_stake / m)
        total += shares[k] * math.exp(new_wins * math.log1p(a * (1 - m)) + new_losses * math.log1p(-a * m))
    return math.log(total)


def bold_tables(bold: BoldBetting, levels: Floats) -> tuple[Floats, Floats]:
    """Return the stakes [accept or discard, gambler], and the reserves [accept or discard, candidate, number].

    The numbers of a reserve: its size at the start, its stake, and the limits of all reserves; a compiled function
    would keep them as constants. ``levels`` are the risks of the candidates [candidate, accept or discard].
    """
    limits = MOST_RESERVED, MOST_PER_BATCH, LARGEST_STAKE
    reserves = [
        [(reserve_at_start(other), side.reserve_stake, *limits) for other in risks]
        for side, risks in zip(bold.sides, levels.T[::-1], strict=True)
    ]
    return np.array([side.stakes for side in bold.sides]), np.array(reserves)

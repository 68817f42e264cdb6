"""Lower bounds on the expected number of games of any test with the same guarantee (rewards 0 and 1)."""

import math


def bernoulli_kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q), in nats."""
    total = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * math.log(a / b) if b > 0 else math.inf
    return total


def information_bound(efficiency: float, risk: float, accept_above: float, discard_below: float) -> float:
    """Return a lower bound on the expected games of one candidate if both errors have probability at most ``risk``.

    Outside the thresholds it is Wald's kl(1 - risk, risk) / KL against the threshold on the other side. Between them
    both verdicts are right, and it is Hoeffding's bound for the Kiefer-Weiss problem (1960, Ann. Math. Statist. 31).
    """
    if risk >= 0.5:
        return 0.0  # tossing a coin is good enough
    if accept_above == efficiency == discard_below:
        return math.inf
    if efficiency >= discard_below:
        return bernoulli_kl(1 - risk, risk) / bernoulli_kl(efficiency, accept_above)
    if efficiency <= accept_above:
        return bernoulli_kl(1 - risk, risk) / bernoulli_kl(efficiency, discard_below)
    zeta = max(bernoulli_kl(efficiency, accept_above), bernoulli_kl(efficiency, discard_below))
    log_ratio = math.log(discard_below * (1 - accept_above) / (accept_above * (1 - discard_below)))
    quarter_tau = log_ratio * math.sqrt(efficiency * (1 - efficiency)) / 4
    root = math.sqrt(quarter_tau**2 - zeta * math.log(2 * risk)) - quarter_tau
    return (root / zeta) ** 2
